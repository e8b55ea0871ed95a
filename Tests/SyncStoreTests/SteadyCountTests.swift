import SyncChecks
import SyncCore
import SyncRuntime
import SyncSQLite
import SyncWire
import Testing

@testable import SyncStore

/// What a sync costs in statements, requests, transactions and rows: counts that are the same on every machine.
@Suite struct SteadyCountTests {
    let folder: TemporaryFolder
    static let note = ScratchEntities.all[0]

    init() throws { folder = try TemporaryFolder() }

    private func world(place: World.Place, devices: Int = 2) throws -> World {
        try World(
            devices: devices,
            entities: ScratchEntities.all,
            path: folder.path,
            place: place,
            limits: WireLimits(pageRecords: 10)
        )
    }

    private func put(_ device: World.Device, numbers: Range<Int>, title: String = "t") throws {
        try device.writer.write { session in
            for number in numbers {
                _ = try session.put(
                    entity: Self.note,
                    json: Array(#"{"id":"k\#(number)","title":"\#(title)"}"#.utf8)
                )
            }
        }
    }

    @Test(arguments: [World.Place.folder, .server])
    func aSyncWithNothingToDoCompilesNothingAndIsOneRequest(place: World.Place) async throws {
        let world = try world(place: place)
        try put(world.devices[0], numbers: 0..<30)
        try await world.converge()
        for index in [0, 1] {
            let before = try Work(world.devices[index])
            let report = try await world.sync(index)
            let work = try Work(world.devices[index]).since(earlier: before)
            #expect(before.statementsPrepared > 0)
            #expect(work.statementsPrepared == 0)
            #expect(report.requests == (place == .server ? 1 : 0))
        }
    }

    @Test(arguments: [World.Place.folder, .server])
    func asManyRowsAreWrittenByAnIdleSyncOfAnyStore(place: World.Place) async throws {
        let world = try world(place: place)
        var costs: [Work] = []
        for numbers in [0..<5, 5..<200] {
            try put(world.devices[0], numbers: numbers)
            try await world.converge()
            let before = try Work(world.devices[0])
            try await world.sync(0)
            costs.append(try Work(world.devices[0]).since(earlier: before))
        }
        #expect(costs[0] == costs[1])
        // When the sync was, its line in the history, when one last succeeded and up to which edit.
        #expect(costs[0].rowsWritten == 4)
        #expect(costs[0].transactions == 1)
    }

    @Test(arguments: [World.Place.folder, .server])
    func aSecondEditOnItsWayCompilesNothing(place: World.Place) async throws {
        let world = try world(place: place)
        func travel(_ title: String) async throws -> [Work] {
            let before = try world.devices.map { try Work($0) }
            try put(world.devices[0], numbers: 7..<8, title: title)
            for index in [0, 1] { try await world.sync(index) }
            return try zip(world.devices, before).map { try Work($0).since(earlier: $1) }
        }
        try put(world.devices[0], numbers: 0..<30)
        try await world.converge()
        for title in ["first", "second"] { _ = try await travel(title) }
        #expect(try await travel("third").map(\.statementsPrepared) == [0, 0])
    }

    @Test(arguments: [World.Place.folder, .server])
    func pagesThatComeAgainAsChangesWriteNoRow(place: World.Place) async throws {
        let world = try world(place: place)
        let (a, b) = (world.devices[0], world.devices[1])
        try put(a, numbers: 0..<60)
        try await world.sync(0)
        let tape = Tape()
        _ = try await engine(device: b, tape: tape, plays: false).sync()
        #expect(tape.records == 60)
        for _ in 0..<2 { try await world.sync(1) }
        func cost(sync: () async throws -> Void) async throws -> Work {
            let before = try Work(b)
            try await sync()
            return try Work(b).since(earlier: before)
        }
        let idle = try await cost { try await world.sync(1) }
        var pulled = 0
        let again = try await cost {
            pulled = try await engine(device: b, tape: tape, plays: true).sync().entities.reduce(0) {
                $0 + $1.pulled
            }
        }
        #expect(pulled == 0)
        // Nothing but the cursor, once for each transaction.
        let transactions = again.transactions - idle.transactions
        #expect(transactions > 0)
        #expect(again.rowsWritten - idle.rowsWritten == Int64(transactions))
    }

    /// A transaction takes one page, the next ones twice as many records as the one before.
    @Test(
        arguments: [1: 1, 2: 2, 3: 2, 4: 3, 7: 3, 8: 4, 15: 4, 16: 5, 31: 5, 32: 6].sorted { $0.key < $1.key }
    )
    func aPullCommitsAsItsPagesAddUp(pages: Int, transactions: Int) async throws {
        let world = try world(place: .server)
        // The first sync binds the store, which is a transaction of its own.
        try await world.sync(1)
        try put(world.devices[0], numbers: 0..<(pages * 10))
        try await world.sync(0)
        let before = try Work(world.devices[1])
        let report = try await world.sync(1)
        let pulling = try Work(world.devices[1]).since(earlier: before)
        #expect(report.requests == pages)
        // The next one also looks at the records that came, to tell their fingerprints.
        try await world.sync(1)
        let middle = try Work(world.devices[1])
        try await world.sync(1)
        let idle = try Work(world.devices[1]).since(earlier: middle)
        #expect(pulling.transactions - idle.transactions == transactions)
    }

    private func engine(device: World.Device, tape: Tape, plays: Bool) -> SyncEngine {
        SyncEngine(
            store: device.store,
            backend: TapedBackend(base: device.backend, tape: tape, plays: plays),
            environment: SyncEnvironment(clock: device.clock, random: SeededRandom(5), label: "taped")
        )
    }
}

/// What the connections of a store have done.
private struct Work: Equatable {
    var statementsPrepared = 0
    var transactions = 0
    var rowsWritten: Int64 = 0

    init(_ device: World.Device) throws {
        let store = try #require(device.store as? SQLiteStore)
        let found = store.connections { ($0.counters, $0.totalChanges) }
        statementsPrepared = found.reduce(0) { $0 + $1.0.statementsPrepared }
        // Those of the connection that writes; the others only read.
        transactions = found[0].0.transactionsCommitted
        rowsWritten = found[0].1
    }

    func since(earlier: Work) -> Work {
        var work = self
        work.statementsPrepared -= earlier.statementsPrepared
        work.transactions -= earlier.transactions
        work.rowsWritten -= earlier.rowsWritten
        return work
    }
}

/// Pages as they came once.
private final class Tape: Sendable {
    private let pages = Guarded<[RemotePage]>([])

    var records: Int { pages.use { $0.reduce(0) { $0 + $1.changes.count } } }

    func record(_ page: RemotePage) { pages.use { $0.append(page) } }

    /// All pages as changes, up to a cursor.
    func changes(cursor: String) -> [RemotePage] {
        pages.use { pages in
            pages.map { RemotePage(changes: $0.changes, cursor: cursor) }
        }
    }
}

/// A remote whose pages are written down, or one that tells them again as changes.
private struct TapedBackend: RemoteBackend {
    let base: any RemoteBackend
    let tape: Tape
    let plays: Bool

    var capabilities: RemoteCapabilities {
        base.capabilities.subtracting([.changeHints, .requestComparison])
    }

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        Session(
            base: try await base.open(request),
            tape: tape,
            playing: plays ? Guarded(tape.changes(cursor: request.cursor ?? "")) : nil
        )
    }

    private struct Session: RemoteSession {
        let base: any RemoteSession
        let tape: Tape
        let playing: Guarded<[RemotePage]>?

        var greeting: SessionGreeting { base.greeting }

        func fetch() async throws -> RemotePage? {
            if let playing {
                if let page = playing.use({ $0.isEmpty ? nil : $0.removeFirst() }) { return page }
                return try await base.fetch()
            }
            let page = try await base.fetch()
            if let page { tape.record(page) }
            return page
        }

        func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush {
            try await base.prepare(changes, cursor: cursor)
        }

        func push(_ prepared: PreparedPush) async throws -> PushReceipt { try await base.push(prepared) }

        func close(cursor: String?) async throws { try await base.close(cursor: cursor) }
    }
}
