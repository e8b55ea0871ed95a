import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncEntities
import SyncSchema
import Testing

@Suite struct AdapterConformanceTests {
    @Test func generatedAdaptersKeepEveryValue() throws {
        try AdapterSuite(adapter: BookmarkAdapter()).check()
        try AdapterSuite(adapter: ProjectAdapter()).check()
        try AdapterSuite(adapter: ReadStatusAdapter()).check()
        try AdapterSuite(adapter: TransactionAdapter()).check()
    }

    @Test func adaptersOfSchemasKeepEveryValue() throws {
        for schema in try ShippedSchemas.load() {
            try AdapterSuite(adapter: DynamicAdapter(schema: schema)).check()
        }
    }

    @Test func schemaAndGeneratedCodeDescribeTheSameEntities() throws {
        let schemas = try ShippedSchemas.load()
        #expect(EntityDescriptor.descriptors(of: schemas) == SyncRegistry.descriptors)
        #expect(SyncRegistry.descriptor(named: "read-status") == ReadStatusAdapter.descriptor)
        #expect(SyncRegistry.descriptor(named: "nothing") == nil)
    }
}

/// The schemas from which `SyncEntities` is generated.
enum ShippedSchemas {
    static func load() throws -> [Schema] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = root.appendingPathComponent("Schemas")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let sources = try names.filter { $0.hasSuffix(".schema.json") }.map { name in
            SchemaSource(
                path: name,
                bytes: [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
            )
        }
        let report = SchemaLoader.load(sources)
        try #require(report.isValid && report.schemas.count >= 4)
        return report.schemas
    }
}
