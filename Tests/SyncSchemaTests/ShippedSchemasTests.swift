import Foundation
import SyncSchema
import Testing

/// The schemas that the package ships, in the folder `Schemas` at its root.
enum ShippedSchemas {
    static func sources() throws -> [SchemaSource] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = root.appending(path: "Schemas")
        let names = ["bookmark", "project", "read-status", "transaction"].map { $0 + ".schema.json" }
        return try names.map { name in
            SchemaSource(path: name, bytes: Array(try Data(contentsOf: folder.appending(path: name))))
        }
    }
}

@Suite struct ShippedSchemasTests {
    private func schema(name: String) throws -> Schema {
        try #require(SchemaLoader.load(try ShippedSchemas.sources()).schemas.first { $0.name == name })
    }

    @Test func areValid() throws {
        let report = SchemaLoader.load(try ShippedSchemas.sources())
        #expect(report.schemas.map(\.name) == ["bookmark", "project", "read-status", "transaction"])
        #expect(report.diagnostics.map(\.rule) == ["title-shadows"])
    }

    @Test func describeEveryField() throws {
        for schema in SchemaLoader.load(try ShippedSchemas.sources()).schemas {
            #expect(!schema.summary.isEmpty)
            for property in schema.properties {
                #expect(!property.summary.isEmpty, "\(schema.name).\(property.name)")
            }
        }
    }

    @Test func bookmarkMergesToOnePerVerse() throws {
        let schema = try schema(name: "bookmark")
        #expect(schema.strategy == .preserveLocal && schema.key == ["id"] && schema.remote == "bookmarks")
        #expect(schema.unique == [["userId", "surahNumber", "verseNumber"]])
        #expect(schema.properties.first { $0.name == "tags" }?.merge == .union)
        #expect(schema.properties.first { $0.name == "notes" }?.isNullable == true)
        #expect(
            schema.properties.first { $0.name == "surahNumber" }?.type == .integer(minimum: 1, maximum: 114)
        )
    }

    @Test func projectIsDeletedSoftly() throws {
        let schema = try schema(name: "project")
        #expect(
            schema.strategy == .lastWriteWins && schema.deleted == "deletedAt" && schema.remote == "projects"
        )
        guard case .enumeration(let status) = schema.properties.first(where: { $0.name == "status" })?.type
        else {
            throw Unexpected()
        }
        #expect(status.typeName == "Status")
        #expect(
            status.cases.map(\.name) == [
                "rfq", "estimated", "accepted", "inProgress", "completed", "closed", "archived",
            ]
        )
        #expect(
            schema.properties.filter(\.isRequired).map(\.name) == [
                "id", "companyId", "title", "status", "createdAt", "updatedAt",
            ]
        )
    }

    @Test func readStatusIsKeyedByAnyLink() throws {
        let schema = try schema(name: "read-status")
        #expect(schema.strategy == .setUnion && schema.key == ["link"] && schema.typeName == "ReadStatus")
        #expect(schema.properties[0].type == .string(minLength: 1, maxLength: 4000, pattern: nil))
        #expect(schema.properties.first { $0.name == "readAt" }?.wirePath == ["read_at"])
        #expect(schema.properties.map(\.merge) == [nil, .or, .max, nil, nil, nil, nil])
    }

    @Test func transactionAmountsAreExact() throws {
        let schema = try schema(name: "transaction")
        #expect(schema.properties.first { $0.name == "amount" }?.type == .decimal)
        #expect(schema.properties.first { $0.name == "date" }?.type == .date)
        let shares = schema.properties.filter { $0.name == "splits" || $0.name == "payers" }
        #expect(shares.count == 2 && shares[0].type == shares[1].type)
        guard case .array(let item, false, _, _) = shares[0].type, case .object(let share) = item.type else {
            throw Unexpected()
        }
        #expect(
            share.properties.map(\.name) == ["person", "amount", "note"]
                && share.properties[1].type == .decimal
        )
    }
}
