import Foundation
import SyncSchema
import Testing

/// The schemas that the package ships, beside this test's package.
enum ShippedSchemas {
    static func sources() throws -> [SchemaSource] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Schemas")
            .standardized
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".schema.json")
        }
        return try names.map { name in
            SchemaSource(path: name, bytes: Array(try Data(contentsOf: folder.appending(path: name))))
        }
    }
}

@Suite struct ShippedSchemasTests {
    @Test func areAllValid() throws {
        let report = SchemaLoader.load(try ShippedSchemas.sources())
        #expect(report.isValid)
        #expect(report.schemas.map(\.name) == ["bookmark", "project", "read-status", "transaction"])
    }
}
