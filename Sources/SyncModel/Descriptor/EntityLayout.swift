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
    /// The units, and the time of creation where every field meets on its own: of records that were created apart the
    /// earliest counts, until an edit that has seen it gives another.
    package let marked: [MergeUnit]
    /// What a field gets where a record comes without it; nil for a field that then stays absent.
    package let defaults: [FieldValue?]
    /// Codec of the wire form (wire names).
    package let wire: MemberTable
    /// Codec of the plain form (schema names).
    package let plain: MemberTable
    /// The fields as they are decoded.
    let known: [KnownField]
    /// Compiled patterns by field position.
    package let patterns: PatternTable
    /// What a model is read with.
    let row: RowLayout
    /// Names that marks can have for what the schema knows.
    package let markNames: Set<String>
    /// Whether a person decides between some values that were edited unseen.
    package let letsPeopleDecide: Bool
    private let positions: [String: Int]
    /// What reads and writes models as JSON.
    let codec = ModelCodec()

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
        func position(name: String) -> Int {
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
        let times = [self.created, self.updated, self.deleted].compactMap { $0 }
        markNames = Set([""] + fields.filter { !$0.isLocalOnly }.map(\.markName))
        let apart = Set(self.key + times + localOnly)
        units = MergeUnit.units(fields: fields, apart: apart, strategy: strategy, granularity: granularity)
        letsPeopleDecide = strategy == .preserveLocal || units.contains { $0.rule == .preserveLocal }
        let isByField = strategy == .setUnion || granularity == .field
        let creation = isByField ? self.created : nil
        marked =
            units
            + [creation].compactMap { $0 }.map { index in
                MergeUnit(name: fields[index].markName, fields: [index], rule: .min, holdsUnknown: false)
            }
        defaults = fields.map { field in
            guard field.isRequired, let json = field.defaultJSON else { return nil }
            return try? FieldJSON.elements(of: "[\(json)]", element: field.type).first
        }
        wire = MemberTable(fields: fields, paths: fields.map { $0.isLocalOnly ? nil : $0.wirePath })
        plain = MemberTable(fields: fields, paths: fields.map { [$0.name] })
        known = fields.map { KnownField($0) }
        patterns = PatternTable(fields: fields)
        row = RowLayout(fields)
    }

    /// The position of a field, or nil.
    public func position(of name: String) -> Int? {
        guard let index = positions[name] else { return nil }
        return index
    }
}

/// What meets as one when two versions of a record merge.
public struct MergeUnit: Sendable, Hashable {
    /// Where the field stands on the wire, as marks name it: a member's name, or a JSON pointer. Empty for the rest of
    /// the record as a whole. Every app of an account reads marks by it, whatever its schema calls the field.
    public var name: String
    /// Positions of the fields in it.
    public var fields: [Int]
    /// How it meets when both sides changed it unseen.
    public var rule: MergeRule
    /// Whether unknown members belong to it, those excepted that carry marks of their own.
    public var holdsUnknown: Bool

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
                units.append(
                    MergeUnit(name: field.markName, fields: [index], rule: merge, holdsUnknown: false)
                )
            } else if byField {
                let isUnion = strategy == .setUnion && field.type.isSet
                let rule: MergeRule = isUnion ? .union : defaultRule
                units.append(
                    MergeUnit(name: field.markName, fields: [index], rule: rule, holdsUnknown: false)
                )
            } else {
                whole.fields.append(index)
            }
        }
        // Where every field is a unit of its own, so is every member that the schema does not know.
        return byField ? units : [whole] + units
    }
}

extension EntityDescriptor {
    /// Whether every field meets on its own.
    package var meetsByField: Bool { strategy == .setUnion || granularity == .field }

    /// How what has no rule of its own meets.
    package var defaultRule: MergeRule { strategy == .preserveLocal ? .preserveLocal : .lastWriteWins }
}

extension FieldDescriptor {
    /// The name of the field among marks.
    package var markName: String {
        UnknownPath.make(parents: wirePath.dropLast(), name: wirePath.last ?? name)
    }
}
