import SyncCore
import Testing

@testable import SyncStore

/// A child without a parent is counted, whatever type the reference has.
@Suite struct OrphanTests {
    private func entities(key: FieldType) -> (parent: EntityDescriptor, child: EntityDescriptor) {
        let parent = EntityDescriptor(
            name: "shelf",
            typeName: "Shelf",
            fields: [FieldDescriptor(name: "id", type: key, isRequired: true)],
            key: ["id"],
            strategy: .lastWriteWins
        )
        let child = EntityDescriptor(
            name: "book",
            typeName: "Book",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "value", type: key, isNullable: true),
            ],
            key: ["id"],
            strategy: .lastWriteWins,
            references: [ReferenceDescriptor(field: "value", entity: "shelf", onDelete: .nullify)]
        )
        return (parent, child)
    }

    @Test(arguments: [FieldType.string(), .integer()])
    func childrenOfMissingAndDeletedParentsAreCounted(key: FieldType) throws {
        let (parent, child) = entities(key: key)
        let folder = try TemporaryFolder()
        let store = try folder.open(entities: [parent, child])
        func value(number: Int64) -> FieldValue {
            key == .integer() ? .integer(number) : .text("\(number)")
        }
        #expect(try store.read { try $0.orphans(entity: child) } == 0)
        try store.write(.full) { transaction in
            func save(entity: EntityDescriptor, values: [FieldValue?], isDeleted: Bool = false) throws {
                var record = Record(empty: entity)
                record.values = values
                try transaction.save(
                    entity: entity,
                    record: Samples.local(record: record, of: entity, isDeleted: isDeleted)
                )
            }
            // Parents 10 to 19, of which 15 to 19 are deleted; children of 5 to 24, two each, and some of nobody.
            for number in 10..<20 as Range<Int64> {
                try save(entity: parent, values: [value(number: number)], isDeleted: number >= 15)
            }
            for number in 5..<25 as Range<Int64> {
                for copy in ["a", "b"] {
                    try save(entity: child, values: [.text("\(number)\(copy)"), value(number: number)])
                }
                try save(
                    entity: child,
                    values: [.text("\(number)-deleted"), value(number: number)],
                    isDeleted: true
                )
            }
            try save(entity: child, values: [.text("null"), .null])
            try save(entity: child, values: [.text("absent"), nil])
        }
        #expect(try store.read { try $0.orphans(entity: child) } == 30)
    }
}
