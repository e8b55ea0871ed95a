import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// Records as text, out of a space and into one.
@Suite struct ExportTests {
    let scratch: Scratch
    let space: SyncSpace

    init() throws {
        scratch = try Scratch()
        space = try Self.open(scratch, name: "a")
    }

    static func open(_ scratch: Scratch, name: String, clock: ManualClock = ManualClock()) throws -> SyncSpace
    {
        try SyncSpace.open(
            SpaceConfiguration(
                folder: scratch.path + "/" + name,
                entities: Stage.entities,
                remote: scratch.remote,
                deviceLabel: name,
                environment: SpaceEnvironment(
                    clock: clock,
                    random: SeededRandom(UInt64(name.utf8.first ?? 0))
                )
            )
        )
    }

    private var file: URL { scratch.file("records.ndjson") }

    static let times = #""createdAt":"2001-02-03T04:05:06Z","updatedAt":"2002-02-03T04:05:06.789Z""#

    private static let transactions = """
        {"id":"0a0a0a0a-0000-4000-8000-000000000001","ownerId":"ada","payee":null,"amount":"12345678901234567.89",\
        "currency":"EUR","date":"2024-02-29",\(times),"aa":{"y":1.50},"zz":[1e2]}
        {"id":"0a0a0a0a-0000-4000-8000-000000000002","ownerId":"ada","amount":"-0.1","currency":"EUR",\
        "date":"2024-03-01","note":"line\\nfeed",\(times)}

        """
    private static let projects = """
        {"id":"p1","companyId":"c1","title":"Ünï","latitude":0.1,"status":"paused","startDate":"2024-01-02T03:04:05.123456Z",\
        "allDay":true,"teamMemberIds":["a","b"],\(times)}

        """

    @Test func aRoundTripKeepsEveryByte() throws {
        for text in [Self.transactions, Self.projects] {
            try text.write(to: file)
            let other = try Self.open(scratch, name: "other")
            let copy = scratch.file("copy.ndjson")
            if text == Self.projects {
                try space.projects.importRecords(from: file)
                try space.projects.export(to: copy)
                try other.projects.importRecords(from: copy)
                try other.projects.export(to: file)
            } else {
                #expect(try space.transactions.importRecords(from: file) == 2)
                #expect(try space.transactions.export(to: copy) == 2)
                try other.transactions.importRecords(from: copy)
                try other.transactions.export(to: file)
            }
            let exported = try copy.text
            #expect(try file.text == exported)
            #expect(exported.hasPrefix(text.prefix(60)))
            #expect(exported.contains(Self.times))
            other.close()
        }
        let record = try #require(try space.transactions.all().first)
        #expect(record.amount == Decimal(string: "12345678901234567.89"))
        let lines = try scratch.export(space.transactions).split(separator: "\n")
        #expect(lines.first?.hasSuffix(#","aa":{"y":1.50},"zz":[1e2]}"#) == true)
        #expect(try space.projects.find("p1")?.teamMemberIds == ["a", "b"])
    }

    @Test func deletedRecordsTravelOnRequest() throws {
        try space.projects.insert(.named(id: "kept"))
        try space.projects.insert(.named(id: "gone"))
        try space.projects.delete("gone")
        #expect(try space.projects.export(to: file) == 1)
        #expect(try !file.text.contains("gone"))
        #expect(try space.projects.export(to: file, includingDeleted: true) == 2)
        #expect(try file.text.contains(#""$deleted":true}"#))
        let other = try Self.open(scratch, name: "other")
        try other.projects.insert(.named(id: "gone"))
        try other.projects.importRecords(from: file)
        #expect(try other.projects.all().map(\.id) == ["kept"])
        #expect(try scratch.export(other.projects, includingDeleted: true) == file.text)
    }

    @Test func aHandleIsReadAndWrittenWhereItStands() throws {
        try space.projects.insert(.named(id: "p"))
        try "head\n".write(to: file)
        let handle = try FileHandle(forUpdating: file)
        try handle.seekToEnd()
        try space.projects.export(to: handle)
        #expect(try file.text.hasPrefix("head\n{\"id\":\"p\""))
        try handle.seek(toOffset: 5)
        let other = try Self.open(scratch, name: "other")
        var totals: [Int64?] = []
        try other.projects.importRecords(from: handle) { totals.append($0.totalBytes) }
        #expect(try other.projects.all().map(\.id) == ["p"])
        #expect(try totals == [Int64(file.text.utf8.count - 5)])
    }

    @Test func linesThatDoNotFitAreAllNamedAndNothingIsImported() throws {
        try """
        {"link":"first","isRead":true}
        {"link":7,"isRead":true}

        {"link":"x"
        {"isRead":true,"link":"first"}
        {"link":"last","isRead":true}
        """.write(to: file)
        let error = try #require(
            #expect(throws: ImportError.self) { try space.readStatuses.importRecords(from: file) }
        )
        #expect(error.count == 3)
        #expect(error.lines.map(\.line) == [2, 4, 5])
        #expect(error.lines.map(\.rule) == ["type", "json", "refused"])
        #expect(error.lines.map(\.column) == [nil, 12, nil])
        #expect(error.lines[2].message.contains("same read-status key as line 1"))
        #expect(error.summary.kind == .invalidInput)
        #expect(error.localizedDescription.contains("line 2"))
        #expect(SyncError(shown: error) == error.summary)
        #expect(try space.readStatuses.count == 0)
        #expect(try space.status().pending == 0)
    }

    @Test func theFirstTwentyFindingsAreKeptAndAllAreCounted() throws {
        try String(repeating: "[]\n", count: 50).write(to: file)
        let error = #expect(throws: ImportError.self) { try space.projects.importRecords(from: file) }
        #expect(error?.count == 50)
        #expect(error?.lines.count == 20)
    }

    @Test func onlyFilesAreReadAndNoStoreIsReplaced() throws {
        let store = URL(fileURLWithPath: scratch.path + "/a/store.sqlite")
        let other = try Self.open(scratch, name: "b")
        other.close()
        let closed = URL(fileURLWithPath: scratch.path + "/b/store.sqlite")
        let folder = URL(fileURLWithPath: scratch.path)
        let web = try #require(URL(string: "https://example.org/records"))
        for url in [store, folder, web, scratch.file("nothing")] {
            #expect(throws: SyncError.self, "\(url)") { try space.projects.importRecords(from: url) }
        }
        for url in [store, closed, folder, web, scratch.file("no/where")] {
            #expect(throws: SyncError.self, "\(url)") { try space.projects.export(to: url) }
        }
        try space.projects.insert(.named(id: "still there"))
        #expect(try Self.open(scratch, name: "b").projects.count == 0)
    }
}

/// Exports and imports that are long, given up, or of a whole space.
extension ExportTests {
    private func lines(_ count: Int) -> String {
        (0..<count).map { "{\"link\":\"\($0)\",\"isRead\":\($0.isMultiple(of: 2)),\(Self.times)}\n" }.joined()
    }

    @Test func progressOfALargeFileEndsAtItsTotal() throws {
        let count = 20_500
        try (lines(count) + "\n\n").write(to: file)
        var reports: [RecordProgress] = []
        #expect(try space.readStatuses.importRecords(from: file) { reports.append($0) } == count)
        #expect(reports.map(\.records) == (1...20).map { $0 * 1000 } + [count])
        #expect(reports.map(\.bytes) == reports.map(\.bytes).sorted())
        let size = Int64(try file.text.utf8.count)
        #expect(reports.allSatisfy { $0.totalBytes == size && $0.part ?? -1 > 0 })
        #expect(reports.last?.bytes == size)
        #expect(reports.last?.part == 1)
        reports = []
        let copy = scratch.file("copy")
        #expect(try space.readStatuses.export(to: copy) { reports.append($0) } == count)
        #expect(reports.map(\.records) == (1...20).map { $0 * 1000 } + [count])
        #expect(reports.allSatisfy { $0.totalRecords == count })
        #expect(try reports.last?.bytes == Int64(copy.text.utf8.count))
        #expect(reports.last?.part == 1)
        #expect(try copy.text.split(separator: "\n").count == count)
    }

    @Test func aCancelledImportLeavesNothing() async throws {
        try lines(3000).write(to: file)
        let (space, file) = (space, file)
        @Sendable func work() throws {
            try space.readStatuses.importRecords(from: file) { progress in
                if progress.records == 2000 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        let task = Task { try work() }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try space.readStatuses.count == 0)
        #expect(try space.status().pending == 0)
        #expect(try await space.readStatuses.importRecords(from: file) == 3000)
    }

    @Test func anImportAndAnExportThatWaitLearnThatTheirTaskIsCancelled() async throws {
        try lines(3000).write(to: file)
        let (statuses, file, copy) = (space.readStatuses, file, scratch.file("copy"))
        for isImport in [true, false] {
            let running = Guarded<Task<Int, any Error>?>(nil)
            let (gate, opener) = AsyncStream<Void>.makeStream()
            let task = Task {
                for await _ in gate { break }
                let cancel: @Sendable (RecordProgress) -> Void = { progress in
                    if progress.records == 2000 { running.use { $0?.cancel() } }
                }
                return isImport
                    ? try await statuses.importRecords(from: file, progress: cancel)
                    : try await statuses.export(to: copy, progress: cancel)
            }
            running.use { $0 = task }
            opener.yield()
            await #expect(throws: CancellationError.self) { try await task.value }
            if isImport {
                #expect(try statuses.count == 0)
                #expect(try await statuses.importRecords(from: file) == 3000)
            }
        }
        #expect(try scratch.names == ["a", "records.ndjson"])
    }

    @Test func aCancelledOrFailedExportLeavesTheEarlierFile() async throws {
        struct GivenUp: Error {}
        try lines(3000).write(to: file)
        try await space.readStatuses.importRecords(from: file)
        let (space, copy) = (space, scratch.file("copy"))
        @Sendable func work() throws {
            try space.readStatuses.export(to: copy) { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        let task = Task { try work() }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try scratch.names == ["a", "records.ndjson"])
        try "earlier".write(to: copy)
        #expect(throws: GivenUp.self) { try space.readStatuses.export(to: copy) { _ in throw GivenUp() } }
        #expect(try copy.text == "earlier")
        #expect(try scratch.names == ["a", "copy", "records.ndjson"])
        try await space.readStatuses.export(to: copy)
        #expect(try copy.text.utf8.count > 100_000)
        #expect(try scratch.names == ["a", "copy", "records.ndjson"])
    }

    @Test func aSpaceTravelsAsAFolder() throws {
        try Self.transactions.write(to: file)
        try space.transactions.importRecords(from: file)
        try space.projects.insert(.named(id: "p"))
        try space.bookmarks.insert(.verse(verse: 1, notes: "mine"))
        let folder = scratch.file("all")
        var reports: [RecordProgress] = []
        #expect(try space.export(toFolder: folder) { reports.append($0) } == 4)
        #expect(reports.last?.part == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(
            names == ["bookmark.ndjson", "project.ndjson", "read-status.ndjson", "transaction.ndjson"]
        )
        let other = try Self.open(scratch, name: "other")
        reports = []
        #expect(try other.importRecords(fromFolder: folder) { reports.append($0) } == 4)
        #expect(reports.last?.part == 1)
        let copy = scratch.file("copy")
        try other.export(toFolder: copy)
        for name in names {
            #expect(
                try copy.appendingPathComponent(name).text == folder.appendingPathComponent(name).text,
                "\(name)"
            )
        }
    }

    @Test func aFolderIsImportedWholeOrNotAtAll() throws {
        let folder = scratch.file("all")
        #expect(throws: SyncError.self) { try space.importRecords(fromFolder: folder) }
        try space.projects.insert(.named(id: "p"))
        try space.export(toFolder: folder)
        let other = try Self.open(scratch, name: "other")
        let last = try #require(other.entities.last).name
        try "[]\n".write(to: folder.appendingPathComponent(last + ".ndjson"))
        let error = #expect(throws: ImportError.self) { try other.importRecords(fromFolder: folder) }
        #expect(error?.entity == last)
        #expect(try other.projects.count == 0)
        try "".write(to: folder.appendingPathComponent(last + ".ndjson"))
        try "".write(to: folder.appendingPathComponent("stranger.ndjson"))
        #expect(throws: SyncError.self) { try other.importRecords(fromFolder: folder) }
        #expect(try other.projects.count == 0)
    }

    @Test func aFailedExportOfASpaceLeavesNoFolder() throws {
        struct GivenUp: Error {}
        try space.projects.insert(.named(id: "p"))
        #expect(throws: GivenUp.self) {
            try space.export(toFolder: scratch.file("all")) { _ in throw GivenUp() }
        }
        #expect(try scratch.names == ["a"])
    }
}

extension Scratch {
    func file(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }

    /// What is in the folder, but the remote.
    var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "shared" }.sorted()
        }
    }

    func export<Entity>(_ records: SyncCollection<Entity>, includingDeleted: Bool = false) throws -> String {
        let url = file("scratch-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try records.export(to: url, includingDeleted: includingDeleted)
        return try url.text
    }
}

extension URL {
    var text: String { get throws { try String(contentsOf: self, encoding: .utf8) } }
}

extension String {
    func write(to url: URL) throws { try Data(utf8).write(to: url) }
}
