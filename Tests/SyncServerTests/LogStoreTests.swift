import Foundation
import SyncChecks
import SyncCore
import SyncWire
import Testing

@testable import SyncServer

/// The promises of every log store.
@Suite(.everyLogStore, .ofStores) struct LogStoreTests {
    private struct Undone: Error {}

    private let bench: ExchangeBench
    private var store: any LogStore { bench.store }
    private let a = LogRecordID(entity: "note", key: RecordKey("a"))
    private let b = LogRecordID(entity: "tag", key: RecordKey("b"))

    init() throws { bench = try ExchangeBench() }

    private func time(seconds: Int64) -> Timestamp { Timestamp(microseconds: seconds * 1_000_000) }

    private func query(
        _ records: [LogRecordID] = [],
        seen: Int64? = nil,
        at seconds: Int64 = 0
    ) -> LogQuery {
        LogQuery(
            device: DeviceID(bits: 1),
            seen: seen,
            records: records,
            wantsFingerprints: true,
            countsExactlyFrom: 0,
            wantsBytes: true,
            writing: .always,
            creation: LogCreation(
                time: time(seconds: seconds),
                scratchExpiry: time(seconds: seconds - 100),
                maxScratchLogs: 2
            )
        )
    }

    private func version(_ record: LogRecordID, entry: String, isDeleted: Bool = false) -> NewVersion {
        let timestamp = EditTimestamp(time: time(seconds: 1), device: DeviceID(bits: 1), sequence: 1)
        return NewVersion(
            record: record,
            isNew: true,
            editTimestamp: timestamp,
            pushed: timestamp,
            vector: "0000000000000001:1",
            isDeleted: isDeleted,
            entry: Array(entry.utf8)
        )
    }

    /// Stores versions. Returns the state before and the result.
    @discardableResult
    private func push(
        _ versions: [NewVersion],
        to log: LogName = .main,
        shown: [Int] = [],
        at seconds: Int64 = 0,
        run: String = "0000000000000077"
    ) async throws -> LogResult<LogState> {
        try await store.exchange(
            query(versions.map(\.record), seen: 1, at: seconds),
            log: log,
            account: "ada"
        ) { [commitTime = time(seconds: seconds)] state in
            LogDecision(
                shown: shown,
                commit: LogCommit(
                    time: commitTime,
                    run: state.continuesRun ? state.run : run,
                    versions: versions,
                    batch: "batch"
                ),
                page: LogPage(places: ["note": 0, "tag": 0], maxRecords: 10, maxBytes: 1000, passed: []),
                note: state
            )
        }
    }

    /// The state of the log.
    private func state(
        _ log: LogName = .main,
        records: [LogRecordID] = [],
        seen: Int64? = nil
    ) async throws -> LogState {
        try await store.exchange(query(records, seen: seen), log: log, account: "ada") { state in
            LogDecision(
                shown: [],
                commit: nil,
                page: LogPage(places: [:], maxRecords: 1, maxBytes: 1, passed: []),
                note: state
            )
        }
        .note
    }

    @Test func aDecisionThatThrowsChangesNothing() async throws {
        try await push([version(a, entry: "{1")])
        for log in [LogName.main, .scratch("s")] {
            await #expect(throws: Undone.self) {
                try await store.exchange(query([a]), log: log, account: "ada") {
                    _ -> LogDecision<Int> in throw Undone()
                }
            }
        }
        #expect(try await !store.contains(.scratch("s"), account: "ada"))
        #expect(try await state(records: [a]).records[0]?.number == 1)
    }

    @Test func shownEntriesAreFromBeforeTheCommitAndThePageFromAfterIt() async throws {
        let first = try await push([version(a, entry: "{1"), version(b, entry: "{2")])
        #expect(first.note.records.allSatisfy { $0 == nil } && first.note.batch == nil)
        let second = try await push([version(a, entry: "{three")], shown: [0])
        #expect(second.shown == [Array("{1".utf8)])
        #expect(second.note.records[0]?.entryBytes == 2 && second.note.batch == "batch")
        let run = "0000000000000077"
        let text = #"{"revision":"2-\#(run)",2,{"revision":"3-\#(run)",three"#
        #expect(String(decoding: second.page.text, as: UTF8.self) == text && second.page.count == 2)
        #expect(second.page.position == 3 && second.page.run == run && !second.page.hasMore)
    }

    @Test func aRunBeginsWithTheFirstCommitOfEachOpening() async throws {
        #expect(try await !push([version(a, entry: "{1")], run: "0000000000000001").note.continuesRun)
        #expect(try await push([version(a, entry: "{2")]).note.continuesRun)
        try bench.reopen()
        let before = try await push([version(a, entry: "{3")], run: "0000000000000002").note
        #expect(!before.continuesRun && before.run == "0000000000000001")
        for (seen, run) in [(0, ""), (2, "0000000000000001"), (3, "0000000000000002")] {
            let state = try await state(seen: Int64(seen))
            #expect(state.seenRun == run && state.run == "0000000000000002")
        }
    }

    @Test func tombstonesGoUpToTheirCutoffAndRaiseTheFloor() async throws {
        try await push([version(a, entry: "{1", isDeleted: true)], at: 10)
        try await push([version(b, entry: "{2", isDeleted: true)], at: 20)
        let cutoffs = TombstoneCutoffs(
            otherwise: time(seconds: 0),
            entities: ["note": time(seconds: 10), "tag": time(seconds: 19)]
        )
        let result = try await store.purge(.main, account: "ada", cutoffs: cutoffs)
        #expect(result == PurgeResult(removed: 1, oldest: ["tag": time(seconds: 20)]))
        let state = try await state(records: [a, b])
        #expect(state.floor == 1 && state.revision == 2)
        #expect(state.records[0] == nil && state.records[1]?.number == 2 && state.usedRecords == 1)
        #expect(try await store.purge(.scratch("s"), account: "ada", cutoffs: cutoffs) == nil)
        #expect(try await store.purge(.main, account: "eve", cutoffs: cutoffs) == nil)
    }

    @Test func scratchLogsComeAndGo() async throws {
        #expect(try await store.accounts().isEmpty)
        try await push([version(a, entry: "{1")], to: .scratch("s"))
        try await push([version(a, entry: "{1")], to: .scratch("t"), at: 50)
        await #expect(throws: WireError.self) { try await push([], to: .scratch("u"), at: 60) }
        try await push([version(a, entry: "{1")], to: .scratch("u"), at: 101)
        for (name, isThere) in [("s", false), ("t", true), ("u", true)] {
            #expect(try await store.contains(.scratch(name), account: "ada") == isThere)
        }
        let epoch = try await state(.scratch("t")).epoch
        #expect(try await store.restart(.scratch("t"), account: "ada"))
        let state = try await state(.scratch("t"), records: [a])
        #expect(state.epoch != epoch && state.revision == 0 && state.records[0] == nil)
        #expect(!state.continuesRun && state.batch == nil)
        #expect(try await store.remove(.scratch("t"), account: "ada"))
        #expect(try await !store.remove(.scratch("t"), account: "ada"))
        #expect(try await !store.restart(.scratch("t"), account: "ada"))
        #expect(try await store.accounts() == ["ada"])
        #expect(try await store.contains(.main, account: "ada"))
    }
}
