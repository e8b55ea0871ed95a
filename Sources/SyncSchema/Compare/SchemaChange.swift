/// A difference between two versions of a schema, and its effect on apps and stores with the older one.
public struct SchemaChange: Sendable, Hashable {
    /// The stable name of the rule in kebab-case, for example `wire-name-changed`.
    public var rule: String
    /// The area that the change affects.
    public var area: Area
    /// Whether the change breaks an existing app, store or record.
    public var severity: Severity
    /// The entity.
    public var entity: String
    /// The field, with nested members after a point and `[]` for elements; nil for a change of the entity
    /// itself.
    public var field: String?
    /// The effect, as one sentence without a final period.
    public var message: String
    /// The advice, as one sentence without a final period.
    public var help: String
    /// The reason why the change is accepted; nil if it is not.
    public var ignored: String?

    /// The area that a change affects.
    public enum Area: String, Sendable, Hashable, CaseIterable {
        /// Existing databases.
        case store
        /// Records exchanged between apps with the older and the newer schema.
        case wire
        /// The results of merging concurrent edits.
        case merge
    }

    /// The severity of a change.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// A valid app, store or record stops working.
        case breaking
        /// Both schemas work together.
        case safe
    }

    /// Whether the change should stop a release.
    public var isBreaking: Bool { severity == .breaking && ignored == nil }

    init(
        rule: ChangeRule,
        severity: Severity? = nil,
        entity: String,
        field: String? = nil,
        _ message: String,
        help: String
    ) {
        self.rule = rule.rawValue
        area = rule.area
        self.severity = severity ?? rule.severity
        self.entity = entity
        self.field = field
        self.message = message
        self.help = help
    }
}

extension SchemaChange: Comparable {
    /// Orders by entity, field and rule (bytes), with the entity's own changes first.
    public static func < (left: SchemaChange, right: SchemaChange) -> Bool {
        let lhs = [left.entity, left.field ?? "", left.rule, left.message]
        let rhs = [right.entity, right.field ?? "", right.rule, right.message]
        for (left, right) in zip(lhs, rhs) where ByteKey(left) != ByteKey(right) {
            return ByteKey(left) < ByteKey(right)
        }
        return false
    }
}
