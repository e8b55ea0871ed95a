import EntitySync
import Foundation
import SyncCore
import Testing

@testable import syncbench

/// What makes the ratios of records believable: both sides do the same work on the same input.
@Suite struct RecordRatioTests {
    private let pages = RecordPages(count: 2500)

    @Test func theInputIsTheSameForTheSameSeedAndHoldsNoVerseTwice() throws {
        let records = (0..<pages.count).map { pages.records.record(index: $0) }
        #expect(records == (0..<pages.count).map { BenchRecords().record(index: $0) })
        #expect(BenchRecords(seed: 43).record(index: 0) != records[0])
        #expect(Set(records.map(\.id)).count == records.count)
        let verses = Set(records.map { "\($0.userId) \($0.surahNumber) \($0.verseNumber)" })
        #expect(verses.count == records.count)
        let size = pages.plain(page: 0).count / RecordPages.size
        #expect((650...850).contains(size), "\(size) bytes a record")
    }

    @Test func theYardstickHasACacheAndALogOfTheSizesOfTheProduct() throws {
        let package = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        let file = package.appendingPathComponent("Sources/SyncStore/Connection/StoreOpening.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        for line in [
            "settings.cacheSizeKiB = \(RawDatabase.writerCacheKiB / 1024) * 1024",
            "static let checkpointEveryPages: Int32 = \(RawDatabase.checkpointEveryPages)",
            "settings.logSizeLimitBytes = \(RawDatabase.logSizeLimitMiB) * 1024 * 1024",
        ] { #expect(text.contains(line + "\n"), "\(line)") }
    }

    @Test func bothSidesReadTheSameValuesFromTheSameInput() async throws {
        try await Scratch.use { bench in
            let folder = try await BenchStore.pulled(bench: bench, pages: pages)
            let raw = try RawPull.filled(bench: bench, pages: pages)
            let space = try SyncSpace.open(
                SpaceConfiguration(folder: folder, entities: [Bookmark.self])
            )
            let database = try RawDatabase(path: RawPull.path(folder: raw), synchronous: .normal)
            let expected = (0..<pages.count).map { Bookmark(pages.records.record(index: $0)) }
                .sorted { Bookmark.recordKey($0.id).text < Bookmark.recordKey($1.id).text }
            #expect(try RawRead.all(database: database, isSorted: true) == expected)
            #expect(try await space.collection(Bookmark.self).all() == expected)
            #expect(try RawRead.all(database: database, isSorted: false).count == pages.count)
            space.close()
            database.close()
        }
    }

    @Test func anObserverIsShownEveryEditEitherWay() async throws {
        try await Scratch.use { bench in
            var small = bench
            small.records = 500
            // Throws unless each edit is shown.
            let measured = try await ObserveRatio.measure(small)
            #expect(measured.ratio > 0)
        }
    }

    @Test func theTableMadeByHandEndsWithTheSameRows() async throws {
        try await Scratch.use { bench in
            let input = PullInput(pages)
            for side in [
                input.product(bench: bench), input.bound(bench: bench),
                input.bound(bench: bench, indexes: .none), input.byHand(bench: bench),
            ] {
                let run = try await side.prepare()
                try await side.run(run)
                // Throws unless all records are there.
                try await side.clear(run)
            }
        }
    }

    @Test func whatIsReadByFoundationIsWhatTheScannerReads() throws {
        let bytes = pages.plain(page: 0)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let decoded = try decoder.decode([HandBookmark].self, from: Data(bytes))
        var times: [Int64] = []
        try bytes.withUnsafeBufferPointer { buffer in
            var scanner = try RecordScanner(buffer)
            var record = ScannedRecord()
            while try scanner.next(record: &record) { times.append(record.updatedAt) }
        }
        #expect(times == decoded.map { Int64($0.updatedAt.timeIntervalSince1970) * 1_000_000 })
    }

    @Test func bothSidesPushTheSameBodies() async throws {
        try await Scratch.use { bench in
            let folder = try RawPull.filled(bench: bench, pages: pages, isPending: true)
            let push = try RawPush(RawPull.copy(of: folder, bench: bench, synchronous: .full))
            try await push.push()
            #expect(try push.pushed() == pages.count)
            // All bodies and no more: a comma fewer than records, and two brackets, in each batch.
            let bodies = (0..<pages.pageCount).reduce(0) { $0 + pages.plain(page: $1).count }
            #expect(push.written == bodies)

            let store = try BenchStore.copy(
                of: try BenchStore.pending(bench: bench, pages: pages),
                bench: bench
            )
            let product = ProductPush(store: store)
            try await product.push()
            #expect(try product.pushed() == pages.count)
        }
    }

    @Test func aServerByHandGivesBackTheBytesThatItStored() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/syncbench-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try RawServerStore(folder: folder)
        for page in 0..<pages.pageCount {
            #expect(try server.answer(method: "POST", url: "/\(page)", body: pages.plain(page: page)).isEmpty)
        }
        #expect(try server.count() == pages.count)
        for page in 0..<pages.pageCount {
            #expect(try server.answer(method: "GET", url: "/\(page)", body: []) == pages.plain(page: page))
        }
        server.close()
    }

    @Test func rowsThatArePulledAgainAreCounted() async throws {
        try await Scratch.use { bench in
            let template = try await BenchStore.pulled(bench: bench, pages: pages)
            let news = [
                ServerAnswer().page(
                    entries: [pages.entry(index: 0, edit: 1), pages.entry(index: 1, edit: 1)],
                    isSnapshot: false,
                    cursor: ServerAnswer.cursor(page: 1),
                    hasMore: false
                )
            ]
            #expect(try await RepullRatio.rowsWritten(by: news, template: template, bench: bench) == 2)
        }
    }

    @Test func recordsThatComeAgainAsChangesAreNotWrittenAgain() async throws {
        try await Scratch.use { bench in
            let template = try await BenchStore.pulled(bench: bench, pages: pages)
            let changes = pages.allAnswers(isSnapshot: false)
            #expect(try await RepullRatio.rowsWritten(by: changes, template: template, bench: bench) == 0)
        }
    }

    @Test func theSchemaOfRunTimeIsThatOfTheGeneratedCode() throws {
        #expect(try BenchSchema.descriptor() == Bookmark.adapter.descriptor)
    }

    @Test func aProcessTellsItsPeakMemory() async throws {
        #expect(try await ChildTask.peakOfPull(records: 1000) > 1 << 20)
    }
}

/// A folder for one test.
enum Scratch {
    static func use(_ body: (Bench) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/syncbench-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(Bench(records: 2000, scratch: folder))
    }
}
