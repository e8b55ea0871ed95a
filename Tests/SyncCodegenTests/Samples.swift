import Foundation
import SyncSchema
import Testing

/// Schemas that tests generate code from.
enum Samples {
    /// The package's folder.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func testFolder(path: String) -> URL {
        root.appendingPathComponent("Tests").appendingPathComponent(path)
    }

    /// The schemas in `Schemas/`.
    static func shipped() throws -> [Schema] {
        let names = ["bookmark", "project", "read-status", "transaction"]
        let sources = try names.map { name in
            let file = root.appendingPathComponent("Schemas/\(name).schema.json")
            return SchemaSource(path: file.lastPathComponent, bytes: [UInt8](try Data(contentsOf: file)))
        }
        return try check(sources)
    }

    /// Everything that a schema can say, and an entity that it refers to.
    static func kitchenSink() throws -> [Schema] {
        try check([
            SchemaSource(path: "kitchen-sink.schema.json", bytes: Array(KitchenSink.entity.utf8)),
            SchemaSource(path: "sink-owner.schema.json", bytes: Array(KitchenSink.owner.utf8)),
        ])
    }

    /// The checked schemas of texts by entity name.
    static func check(_ sources: [SchemaSource]) throws -> [Schema] {
        let report = SchemaLoader.load(sources)
        try #require(report.isValid, "\(report.rendered(format: .text))")
        return report.schemas
    }
}
