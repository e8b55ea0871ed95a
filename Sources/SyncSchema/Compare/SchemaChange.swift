/// One difference between two versions of a schema, and what it does to those who use the older one.
public struct SchemaChange: Sendable, Hashable {
    /// The stable name of the rule in kebab-case, for example `wire-name-changed`.
    public var rule: String
    /// What the change acts on.
    public var area: Area
    /// Whether somebody's app stops working as before.
    public var severity: Severity
    /// The entity.
    public var entity: String
    /// The field, with members of nested objects behind a point and `[]` for elements; nil when it is about the entity.
    public var field: String?
    /// What happens, as one sentence without a final period.
    public var message: String
    /// What to do, as one sentence without a final period.
    public var help: String
    /// Why the change is accepted all the same; nil when nobody said so.
    public var ignored: String?

    /// What a change acts on.
    public enum Area: String, Sendable, Hashable, CaseIterable {
        /// Databases that exist.
        case store
        /// Records under way between apps with the older and the newer schema.
        case wire
        /// What two concurrent edits come to.
        case merge
    }

    /// How grave a change is.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// An app, a store or a record that was sound is not any more.
        case breaking
        /// Both schemas live together.
        case safe
    }

    /// Whether the change speaks against a release.
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
    /// Entity, field and rule as bytes, the entity's own changes first.
    public static func < (left: SchemaChange, right: SchemaChange) -> Bool {
        let lhs = [left.entity, left.field ?? "", left.rule, left.message]
        let rhs = [right.entity, right.field ?? "", right.rule, right.message]
        for (left, right) in zip(lhs, rhs) where ByteKey(left) != ByteKey(right) {
            return ByteKey(left) < ByteKey(right)
        }
        return false
    }
}
