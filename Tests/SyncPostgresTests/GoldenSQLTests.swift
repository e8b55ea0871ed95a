import Foundation
import SyncPostgres
import SyncSchema
import Testing

/// Generated SQL is compared byte by byte with files that somebody has read.
///
/// `RECORD_GOLDEN=1 swift test --filter GoldenSQLTests` writes the files anew and fails once.
@Suite struct GoldenSQLTests {
    @Test func shippedSchemasGiveTheGoldenFiles() throws {
        let options = PostgresOptions(isStandAlone: true)
        try compare(
            files: PostgresGenerator.files(for: try Samples.shipped(), options: options),
            folder: "Golden"
        )
    }

    @Test func tablesThatAreThereGetOnlyWhatIsMissing() throws {
        let files = try PostgresGenerator.files(
            for: try Samples.shipped(),
            options: PostgresOptions(isExisting: true)
        )
        #expect(files.map(\.name) == ["10-entitysync.sql", "20-entities.sql"])
        let text = try #require(files.last).contents
        #expect(!text.contains("create table"))
        #expect(
            !text.contains("drop table") && !text.contains("drop column") && !text.contains("alter column")
        )
        #expect(text.contains(#"add column if not exists "owner_id" uuid default auth.uid()"#))
    }

    @Test func orderOfTheSchemasMakesNoDifference() throws {
        let schemas = try Samples.shipped()
        let files = try PostgresGenerator.files(for: schemas, options: PostgresOptions())
        #expect(try PostgresGenerator.files(for: schemas.reversed(), options: PostgresOptions()) == files)
    }

    @Test func rowsOfAnEntityWithoutOwnersHaveNoOwnerColumn() throws {
        let files = try PostgresGenerator.files(
            for: try Samples.shipped(),
            options: PostgresOptions(owner: .none)
        )
        let text = files.map(\.contents).joined()
        #expect(!text.contains(#""owner_id" uuid"#))
        #expect(!files[1].contents.contains("auth.uid()"))
    }

    private func compare(files: [SQLFile], folder: String) throws {
        let folder = Samples.folder.appendingPathComponent(folder)
        for file in files {
            let golden = folder.appendingPathComponent(file.name)
            let contents = Data(file.contents.utf8)
            if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
                try contents.write(to: golden)
                Issue.record("recorded \(file.name)")
            } else {
                #expect(try Data(contentsOf: golden) == contents, "\(file.name) differs from its golden file")
            }
        }
    }
}

/// Schemas that tests write SQL for.
enum Samples {
    /// The folder of these tests.
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    /// The schemas in `Schemas/`.
    static func shipped() throws -> [Schema] {
        let root = folder.deletingLastPathComponent().deletingLastPathComponent()
        return try check(
            ["bookmark", "project", "read-status", "transaction"].map { name in
                let file = root.appendingPathComponent("Schemas/\(name).schema.json")
                return SchemaSource(path: file.lastPathComponent, bytes: [UInt8](try Data(contentsOf: file)))
            }
        )
    }

    /// The checked schemas of some sources.
    static func check(_ sources: [SchemaSource]) throws -> [Schema] {
        let report = SchemaLoader.load(sources)
        try #require(report.isValid, "\(report.rendered(format: .text))")
        return report.schemas
    }
}
