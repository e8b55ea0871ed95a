public import SyncCore
import SyncModel

/// A condition on the records of a query: `Bookmark.Fields.surahNumber == 2`. Conditions combine by `&&`, `||` and `!`.
public struct FieldCondition<Entity: SyncEntity>: Sendable {
    let node: Node

    /// A condition as it was written, with values of the model's types.
    indirect enum Node: Sendable {
        case test(field: String, Test)
        case all([Node])
        case any([Node])
        case not(Node)
        case refers(field: String, any RelatedCondition)
        case isReferred(field: String, any RelatedCondition)
        case matches(TextSearch)

        /// The conditions of which all hold.
        var conjuncts: [Node] { if case .all(let parts) = self { parts } else { [self] } }
        /// The conditions of which at least one holds.
        var alternatives: [Node] { if case .any(let parts) = self { parts } else { [self] } }
    }

    enum Test: Sendable {
        case equals(any FieldConvertible)
        case isPresent
        case oneOf([any FieldConvertible])
        case range(lower: Bound?, upper: Bound?)
        case prefix(String)
        case contains(String, StoreQuery.TextFolding)
        case hasAnyElement([any FieldConvertible])
        case hasAllElements([any FieldConvertible])
        case compares(StoreQuery.Comparison, field: String)
    }

    struct Bound: Sendable {
        var value: any FieldConvertible
        var isIncluded: Bool
    }

    init(_ node: Node) { self.node = node }

    init(field: String, test: Test) { node = .test(field: field, test) }

    init<Target: SyncEntity>(field: String, target: FieldCondition<Target>) {
        node = .refers(field: field, Related(condition: target))
    }

    init<Child: SyncEntity>(child field: String, condition: FieldCondition<Child>?) {
        node = .isReferred(field: field, Related(condition: condition))
    }

    /// A full-text search finds the record, by its fields in `search` of the schema or by some of them. See
    /// ``TextSearch`` for what people can write.
    public static func matches<each Value: FieldConvertible>(
        _ text: String,
        in fields: repeat Field<Entity, each Value>
    ) -> FieldCondition {
        var names: [String] = []
        repeat names.append((each fields).schemaName)
        return FieldCondition(.matches(TextSearch(text, fields: names.isEmpty ? nil : names)))
    }

    /// The condition with its values as stored in their columns. Throws `FieldError` for a value that cannot be
    /// stored, and `SyncError` for a field that is no such reference.
    package func filter() throws -> StoreQuery.Filter { try Self.filter(of: node) }

    private static func filter(of node: Node) throws -> StoreQuery.Filter {
        let descriptor = Entity.adapter.descriptor
        switch node {
        case .test(let field, let test):
            return try descriptor.filter(shown: try condition(field: field, test: test))
        case .all(let parts): return .allOf(try parts.map(filter))
        case .any(let parts): return .anyOf(try parts.map(filter))
        case .not(let part): return .not(try filter(of: part))
        case .refers(let field, let target):
            try descriptor.checkReference(field: field, to: target.entity)
            return .refers(field: field, entity: target.entity.name, try target.filter())
        case .isReferred(let field, let child):
            try child.entity.checkReference(field: field, to: descriptor)
            return .isReferred(entity: child.entity.name, field: field, try child.filter())
        case .matches(let text): return .matches(text)
        }
    }

    private static func condition(field: String, test: Test) throws -> StoreQuery.Condition {
        let descriptor = try Entity.adapter.descriptor.queried(field: field)
        let type = descriptor.type
        func column(value: any FieldConvertible) throws -> FieldValue {
            try FieldError.path(outer: field) { try value.fieldValue(as: type) }
        }
        func column(bound: Bound) throws -> StoreQuery.Bound {
            StoreQuery.Bound(value: try column(value: bound.value), isIncluded: bound.isIncluded)
        }
        func elements(_ values: [any FieldConvertible]) throws -> [FieldValue] {
            guard case .array(let element, _, _, _, _) = type else { return [] }
            return try FieldError.path(outer: field) { try values.map { try $0.fieldValue(as: element) } }
        }
        let test: StoreQuery.Test =
            switch test {
            case .equals(let value): .equals(try column(value: value))
            case .isPresent: .range(lower: nil, upper: nil)
            case .oneOf(let values): .oneOf(try values.map(column))
            case .range(let lower, let upper):
                .range(lower: try lower.map(column), upper: try upper.map(column))
            case .prefix(let text): .prefix(text)
            case .contains(let text, let folding): .contains(text, ignoring: folding)
            case .hasAnyElement(let values): .hasAnyElement(try elements(values))
            case .hasAllElements(let values): .hasAllElements(try elements(values))
            case .compares(let comparison, let other): .compares(comparison, field: other)
            }
        return StoreQuery.Condition(field: field, test: test)
    }
}

/// A condition on records of another entity: those that a field refers to, or those that refer to a record.
protocol RelatedCondition: Sendable {
    var entity: EntityDescriptor { get }
    func filter() throws -> StoreQuery.Filter
}

/// A condition on records of another entity; nil for all.
private struct Related<Other: SyncEntity>: RelatedCondition {
    let condition: FieldCondition<Other>?

    var entity: EntityDescriptor { Other.adapter.descriptor }

    func filter() throws -> StoreQuery.Filter { try condition?.filter() ?? .all([]) }
}

extension EntityDescriptor {
    /// Throws if a field is no reference to an entity.
    fileprivate func checkReference(field: String, to target: EntityDescriptor) throws {
        guard references.contains(where: { $0.field == field && $0.entity == target.name }) else {
            throw SyncError.noReference(entity: name, field: field, target: target.name)
        }
    }
}
