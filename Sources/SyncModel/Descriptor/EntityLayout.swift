/// Positions and tables derived from a descriptor, computed once.
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
    /// What merges as one: the whole record, single fields, sets.
    public let units: [MergeUnit]
    /// The units, and the creation time if every field merges separately: of records that were created apart, the
    /// earliest one counts until an edit that has seen it sets another.
    package let timestamped: [MergeUnit]
    /// The value of a field that a record comes without; nil for a field that stays absent.
    package let defaults: [FieldValue?]
    /// Codec of the wire form (wire names).
    package let wire: MemberTable
    /// Codec of the plain form (schema names).
    package let plain: MemberTable
    /// The fields as they are decoded.
    let known: [KnownField]
    /// Compiled patterns, by their text.
    package let patterns: PatternTable
    /// The layout for reading models.
    let row: RowLayout
    /// All names of units in field timestamps that the schema knows.
    package let markNames: Set<String>
    /// Fields that were renamed with their name on the wire: the former name, under which older apps write them.
    let formerNames: [(name: String, field: Int)]
    /// Unknown members with these paths have no place in the plain form, where a field has that name: values of apps
    /// that share what stays on this device here, or that have a field of that name on the wire, as older apps do.
    package let carriedPaths: Set<String>
    /// Whether a person decides between some concurrently edited values.
    package let letsPeopleDecide: Bool
    /// Distinguishes schemas of an entity: two versions of an app may write the same record in different ways.
    let contentSchema: String
    private let positions: [String: Int]
    /// The codec of models.
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
        contentSchema = EntityDescriptor.contentSchema(fields: fields, deleted: deleted)
        let times = [self.created, self.updated, self.deleted].compactMap { $0 }
        markNames = Set([""] + fields.filter { !$0.isLocalOnly }.map(\.markName))
        let apart = Set(self.key + times + localOnly)
        units = MergeUnit.units(fields: fields, apart: apart, strategy: strategy, granularity: granularity)
        letsPeopleDecide = strategy == .preserveLocal || units.contains { $0.rule == .preserveLocal }
        let isByField = strategy == .setUnion || granularity == .field
        let creation = isByField ? self.created : nil
        timestamped =
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
        let shared = fields.filter { !$0.isLocalOnly }
        let outer = Set(shared.compactMap(\.wirePath.first).map { RecordKey($0) })
        let hiding = shared.filter { $0.wirePath != [$0.name] && !outer.contains(RecordKey($0.name)) }
        carriedPaths = Set(fields.filter(\.isLocalOnly).map(\.markName) + hiding.map(\.name))
        formerNames = fields.enumerated().flatMap { index, field in
            field.formerWireNames.compactMap { outer.contains(RecordKey($0)) ? nil : ($0, index) }
        }
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

/// A unit: what merges as one when two versions of a record merge.
public struct MergeUnit: Sendable, Hashable {
    /// The field's path on the wire, as field timestamps name it: a member's name, or a JSON pointer. Empty for the
    /// rest of the record. It is the same for every app of an account, whatever its schema calls the field.
    public var name: String
    /// Positions of the fields in it.
    public var fields: [Int]
    /// How it merges if both sides changed it.
    public var rule: MergeRule
    /// Whether unknown members belong to it, except those with their own timestamps.
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
        // If every field is a unit, so is every unknown member.
        return byField ? units : [whole] + units
    }
}

extension EntityDescriptor {
    /// Whether every field merges separately.
    package var meetsByField: Bool { strategy == .setUnion || granularity == .field }

    /// The rule for fields without their own.
    package var defaultRule: MergeRule { strategy == .preserveLocal ? .preserveLocal : .lastWriteWins }
}

extension FieldDescriptor {
    /// The field's former names on the wire, newest first, as far as the schema renamed it there, too. Beside a name of
    /// the field's own choice, the former ones are taken as they are written.
    package var formerWireNames: [String] {
        guard !formerNames.isEmpty, !isLocalOnly, wirePath.count == 1, let present = wirePath.first else {
            return []
        }
        let styles: [(String) -> String] = [{ $0 }, Words.snakeCase, Words.camelCase]
        let style = styles.first { $0(name).utf8.elementsEqual(present.utf8) } ?? { $0 }
        return formerNames.map(style).filter { !$0.hasSameBytes(as: present) }
    }

    /// The field's name in field timestamps.
    package var markName: String {
        UnknownPath.make(parents: wirePath.dropLast(), name: wirePath.last ?? name)
    }
}
