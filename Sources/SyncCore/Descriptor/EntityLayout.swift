/// Positions and tables that follow from a descriptor, computed once.
public final class EntityLayout: Sendable {
    /// Positions of the key fields.
    public let key: [Int]
    /// Position of the `created` field.
    public let created: Int?
    /// Position of the `updated` field.
    public let updated: Int?
    /// Position of the `deleted` field.
    public let deleted: Int?
    /// Positions of the fields of each `unique` list.
    public let unique: [[Int]]
    /// Positions of `localOnly` fields.
    public let localOnly: [Int]
    /// What meets as one when two versions merge: whole record, single fields, sets.
    public let units: [MergeUnit]
    /// Codec of the wire form (wire names).
    package let wire: MemberTable
    /// Codec of the plain form (schema names).
    package let plain: MemberTable
    /// Compiled patterns by field position.
    package let patterns: PatternTable
    private let positions: [String: Int]

    init(
        fields: [FieldDescriptor],
        key: [String],
        strategy: MergeStrategy,
        granularity: MergeGranularity,
        created: String?,
        updated: String?,
        deleted: String?,
        unique: [[String]]
    ) {
        var positions: [String: Int] = [:]
        for (index, field) in fields.enumerated() { positions[field.name] = index }
        func position(_ name: String) -> Int {
            guard let index = positions[name] else {
                preconditionFailure("descriptor names field '\(name)', which it does not have")
            }
            return index
        }
        self.positions = positions
        self.key = key.map(position)
        self.created = created.map(position)
        self.updated = updated.map(position)
        self.deleted = deleted.map(position)
        self.unique = unique.map { $0.map(position) }
        localOnly = fields.indices.filter { fields[$0].isLocalOnly }
        let apart = Set(
            self.key + [self.created, self.updated, self.deleted].compactMap { $0 } + localOnly
        )
        units = MergeUnit.units(fields: fields, apart: apart, strategy: strategy, granularity: granularity)
        wire = MemberTable(fields: fields, paths: fields.map { $0.isLocalOnly ? nil : $0.wirePath })
        plain = MemberTable(fields: fields, paths: fields.map { [$0.name] })
        patterns = PatternTable(fields: fields)
    }

    /// The position of a field, or nil.
    public func position(of name: String) -> Int? {
        guard let index = positions[name] else { return nil }
        return index
    }
}

/// What meets as one when two versions of a record merge.
public struct MergeUnit: Sendable, Hashable {
    /// The field's name, or empty for the rest of the record as a whole.
    public var name: String
    /// Positions of the fields in it.
    public var fields: [Int]
    /// How it meets when both sides changed it unseen.
    public var rule: MergeRule
    /// Whether unknown fields belong to it.
    public var holdsUnknown: Bool

    /// The name of the unit of unknown fields where every field is a unit of its own. Not a valid field name.
    public static let unknownName = "?"

    static func units(
        fields: [FieldDescriptor],
        apart: Set<Int>,
        strategy: MergeStrategy,
        granularity: MergeGranularity
    ) -> [MergeUnit] {
        let byField = strategy == .setUnion || granularity == .field
        let defaultRule: MergeRule = strategy == .preserveLocal ? .preserveLocal : .lastWriteWins
        var whole = MergeUnit(name: "", fields: [], rule: defaultRule, holdsUnknown: true)
        var units: [MergeUnit] = []
        for (index, field) in fields.enumerated() where !apart.contains(index) {
            if let merge = field.merge {
                units.append(MergeUnit(name: field.name, fields: [index], rule: merge, holdsUnknown: false))
            } else if byField {
                let isUnion = strategy == .setUnion && field.type.isSet
                let rule: MergeRule = isUnion ? .union : defaultRule
                units.append(MergeUnit(name: field.name, fields: [index], rule: rule, holdsUnknown: false))
            } else {
                whole.fields.append(index)
            }
        }
        if byField { whole.name = unknownName }
        return [whole] + units
    }
}
