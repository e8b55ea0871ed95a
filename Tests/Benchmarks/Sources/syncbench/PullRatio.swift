import Foundation
import SyncCore
import SyncDynamic

/// The pull of all records from page bytes to rows, against the bound with as large transactions.
enum PullRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let input = PullInput(RecordPages(count: bench.records))
        let dynamic = try BenchSchema.descriptor()
        let times = try await bench.takeTurns([
            input.product(bench: bench),
            input.bound(bench: bench),
            input.product(bench: bench, entity: dynamic),
            input.bound(bench: bench, indexes: .none),
        ])
        let sides = Sides(ours: times[0], yardstick: times[1])
        let quotient = times[2].worked.median / times[0].worked.median
        var measurement = Measurement.over(
            sides: sides,
            note: """
                caches, logs and transactions are as large on both sides; \
                a schema read at run time: \(Figure.text(seconds: times[2].median)) s, by CPU \
                \(Figure.text(seconds: quotient)) of the generated (<= 1.3); \
                against a table without secondary indexes \
                \(Figure.text(seconds: times[0].median / times[3].median)), \
                CPU \(Figure.text(seconds: times[0].worked.median / times[3].worked.median))
                """,
            processorAtMost: 1.3
        )
        measurement.holds = quotient <= 1.3
        return measurement
    }
}

/// The pages of a pull in both forms.
struct PullInput: Sendable {
    let count: Int
    let answers: [[UInt8]]
    let plain: [[UInt8]]

    init(_ pages: RecordPages) {
        count = pages.count
        answers = pages.allAnswers()
        plain = pages.allPlain()
    }

    /// The product: one sync from an empty store, until the file is closed.
    func product(
        bench: Bench,
        entity: EntityDescriptor = Bookmark.adapter.descriptor
    ) -> Bench.Side<any PullRun> {
        Bench.Side(
            prepare: { try BenchStore(what: try bench.folder(path: "pull"), descriptor: entity) },
            run: { try await $0.pull(self) },
            clear: { try $0.check(count: count, bench: bench) }
        )
    }

    /// The bound, until the file is closed.
    func bound(bench: Bench, indexes: RawTable.Indexes = .declared) -> Bench.Side<any PullRun> {
        Bench.Side(
            prepare: { try RawPull(folder: try bench.folder(path: "bound"), indexes: indexes) },
            run: { try await $0.pull(self) },
            clear: { try $0.check(count: count, bench: bench) }
        )
    }
}

/// One of the ways to take pages in.
protocol PullRun {
    /// The folder that the file lies in.
    var folder: String { get }
    /// The file.
    var file: String { get }
    /// Takes all pages in and closes the file.
    func pull(_ input: PullInput) async throws
}

extension PullRun {
    /// Makes sure that all records are there, and clears them away.
    func check(count: Int, bench: Bench) throws {
        let database = try RawDatabase(path: file, synchronous: .normal)
        let found = try database.integer(sql: "SELECT count(*) FROM bookmark")
        database.close()
        guard found == count else { throw Unmeasured(reason: "\(found) of \(count) records arrived") }
        try bench.remove(folder)
    }
}

extension BenchStore: PullRun {
    var file: String { Self.path(folder: folder) }

    func pull(_ input: PullInput) async throws {
        try await sync(BenchServer(input.answers))
        close()
    }
}

extension RawPull: PullRun {
    var file: String { Self.path(folder: folder) }

    func pull(_ input: PullInput) async throws { try run(input.plain) }
}
