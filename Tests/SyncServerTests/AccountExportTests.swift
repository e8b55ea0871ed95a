import Foundation
import SyncCore
import Testing

@testable import SyncServer

@Suite struct AccountExportTests {
    /// Records of one entity without end.
    private struct EndlessRecords: AccountRecords {
        func read(account: String, visit: (_ entity: String, _ entry: [UInt8]) throws -> Void) throws
            -> [String]
        {
            while true { try visit("note", Array("{}".utf8)) }
        }
    }

    @Test func anExportThatIsStoppedLeavesNothingBehind() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "export-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let time = Timestamp(microseconds: 0)
        let export = AccountExport(
            folder: folder.appendingPathComponent("exports/of ada/out").path,
            form: .exchange,
            now: time
        )
        let entry = AccountEntry(account: Account(id: "a", name: "ada"), added: time)
        var count = 0
        #expect(throws: CancellationError.self) {
            try export.run(entry: entry, from: EndlessRecords()) {
                count += 1
                if count > 10 { throw CancellationError() }
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
