import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncEntities
import SyncRuntime
import SyncSchema
import Testing

/// Follows one record from the schema to another device, with the headings of the README section of the same
/// name.
@Suite struct FollowOneRecordTests {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let headings = ["Schema", "Struct", "Row", "Wire", "And back"]

    @Test func followOneRecord() async throws {
        // Schema
        let path = "Schemas/bookmark.schema.json"
        let bytes = [UInt8](try Data(contentsOf: Self.root.appendingPathComponent(path)))
        let report = SchemaLoader.load([SchemaSource(path: path, bytes: bytes)])
        let schema = try #require(report.schemas.first)
        let entity = BookmarkAdapter.descriptor
        #expect(EntityDescriptor(schema: schema) == entity)

        // Struct
        var bookmark = Bookmark(userId: "reader", surahNumber: 1, verseNumber: 5)
        bookmark.verseText = "إِيَّاكَ نَعۡبُدُ"
        bookmark.tags = ["prayer"]
        let key = RecordKey(bookmark.id.uuidString.lowercased())

        let folder = FileManager.default.temporaryDirectory.path + "/entitysync-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let world = try World(devices: 2, entities: SyncRegistry.descriptors, path: folder)
        let (phone, laptop) = (world.devices[0], world.devices[1])

        // Row
        let record = try bookmark.record()
        try phone.writer.write { session in _ = try session.replace(entity: entity, record: record) }
        let row = try #require(try phone.local(entity: entity, key: key.text))
        #expect(row.state == .pending)
        #expect(row.version.record.values[2] == .integer(1))

        // Wire
        try await world.sync(0)
        #expect(try phone.local(entity: entity, key: key.text)?.state == .synced)
        let names = try FileManager.default.subpathsOfDirectory(atPath: phone.folder)
        let segment = try #require(names.first { $0.contains("/segment-00000001-") })
        let text = try String(contentsOfFile: "\(phone.folder)/\(segment)", encoding: .utf8)
        #expect(text.contains(#""surah_number":1"#) && text.contains("إِيَّاكَ نَعۡبُدُ"))

        // And back
        try await world.sync(1)
        let arrived = try #require(try laptop.local(entity: entity, key: key.text))
        let back = try Bookmark.adapter.model(arrived.version.record)
        #expect(back.id == bookmark.id && back.surahNumber == 1 && back.tags == ["prayer"])
        #expect(back.verseText == bookmark.verseText)
        #expect(try laptop.export(entity: entity) == phone.export(entity: entity))
    }

    @Test func theReadmeHasTheSameHeadings() throws {
        let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        let section = try #require(readme.components(separatedBy: "## Follow one record\n").last)
        let own = try #require(section.components(separatedBy: "\n## ").first)
        let headings = own.components(separatedBy: "\n").filter { $0.hasPrefix("### ") }.map {
            String($0.dropFirst(4))
        }
        #expect(headings == Self.headings)
        let test = try String(contentsOfFile: #filePath, encoding: .utf8)
        for heading in headings { #expect(test.contains("        // \(heading)\n")) }
    }

    /// Each step links to a file that declares the linked function.
    @Test func everyStepOfTheReadmeLeadsToItsFunction() throws {
        let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        let section = try #require(readme.components(separatedBy: "## Follow one record\n").last)
        let own = try #require(section.components(separatedBy: "\n## ").first)
        let links = own.matches(of: /\[`([A-Za-z]+)(?:\.([A-Za-z]+))?`\]\(([^)]+)\)/)
        #expect(links.count > 20)
        for link in links {
            let text = try String(
                contentsOf: Self.root.appendingPathComponent(String(link.3)),
                encoding: .utf8
            )
            #expect(text.contains(String(link.1)), "\(link.0)")
            if let function = link.2 { #expect(text.contains("func \(function)"), "\(link.0)") }
        }
        for direction in own.components(separatedBy: "### And back") {
            let hops = direction.components(separatedBy: "\n").count { $0.prefix(5).contains(". ") }
            #expect(hops < 20)
        }
    }
}
