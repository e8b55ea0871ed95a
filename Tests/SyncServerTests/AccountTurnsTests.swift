import Foundation
import SyncChecks
import SyncCore
import SyncWire
import Testing
import Waits

@testable import SyncServer

/// The promises of the turns that an account's requests take.
@Suite struct AccountTurnsTests {
    private let turns = AccountTurns(limits: AccountTurns.Limits(maxRunning: 2))
    private let room = WaitingRoom()

    @Test func requestsOfAnAccountRunInTheOrderInWhichTheyCame() async throws {
        let order = Guarded<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            let turns = AccountTurns(limits: AccountTurns.Limits(maxRunning: 1))
            group.addTask { [room] in
                try await turns.run(account: "ada", kind: .other) { try await room.pass("first") }
            }
            try await room.waitForEntries(1)
            for number in 1...8 {
                group.addTask {
                    try await turns.run(account: "ada", kind: .other) { order.use { $0.append(number) } }
                }
                try await eventually(what: "\(number) wait") { turns.waitingCount(account: "ada") >= number }
            }
            await room.empty()
            try await group.waitForAll()
            #expect(turns.accounts == [])
        }
        #expect(order.use { $0 } == Array(1...8))
    }

    @Test func onePushAndOneOtherRequestOfAnAccountRunAtOnceAndNoMore() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for kind in [AccountTurns.Kind.push, .push, .push, .other, .other] {
                group.addTask { [turns, room] in
                    try await turns.run(account: "ada", kind: kind) { try await room.pass("\(kind)") }
                }
            }
            try await room.waitForEntries(2)
            try await eventually(what: "three wait") { turns.waitingCount(account: "ada") >= 3 }
            await room.empty()
            try await group.waitForAll()
        }
        #expect(await room.most["push"] == 1)
        #expect(await room.mostTogether == 2)
        #expect(turns.accounts == [])
    }

    @Test func anotherAccountRunsWhileOneWaits() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask { [turns, room] in
                    try await turns.run(account: "ada", kind: .push) { try await room.pass("push") }
                }
            }
            try await eventually(what: "fifteen wait") { turns.waitingCount(account: "ada") >= 15 }
            #expect(try await turns.run(account: "eve", kind: .push) { 7 } == 7)
            #expect(turns.accounts == ["ada"])
            #expect(await room.count == 1)
            await room.empty()
            try await group.waitForAll()
        }
        #expect(turns.accounts == [])
    }

    @Test func aRequestThatIsCancelledLeavesTheQueueAndKeepsNobodyWaiting() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [turns, room] in
                try await turns.run(account: "ada", kind: .push) { try await room.pass("push") }
            }
            try await room.waitForEntries(1)
            let waiting = Task { [turns] in
                try await turns.run(account: "ada", kind: .push) { Issue.record("A cancelled request ran.") }
            }
            try await eventually(what: "one waits") { turns.waitingCount(account: "ada") >= 1 }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            #expect(turns.waitingCount(account: "ada") == 0)
            await room.empty()
            try await group.waitForAll()
        }
        #expect(turns.accounts == [])
        #expect(try await turns.run(account: "ada", kind: .push) { 7 } == 7)
    }

    @Test func requestsThatAreCancelledAtAnyMomentLeaveNothingBehind() async throws {
        let running = Guarded((now: 0, most: 0))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                let task = Task { [turns] in
                    try await turns.run(account: "ada", kind: .push) {
                        running.use {
                            $0.now += 1
                            $0.most = max($0.most, $0.now)
                        }
                        await Task.yield()
                        running.use { $0.now -= 1 }
                    }
                }
                group.addTask {
                    for _ in 0..<(number % 7) { await Task.yield() }
                    if number % 3 > 0 { task.cancel() }
                    _ = try? await task.value
                }
            }
        }
        #expect(running.use { $0.most } == 1)
        #expect(turns.accounts == [])
    }

    @Test func oneMoreThanMayWaitIsToldToComeBack() async throws {
        let turns = AccountTurns(limits: AccountTurns.Limits(maxRunning: 1, maxWaiting: 1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2 {
                group.addTask { [room] in
                    try await turns.run(account: "ada", kind: .push) { try await room.pass("push") }
                }
                if number == 0 { try await room.waitForEntries(1) }
            }
            try await eventually(what: "one waits") { turns.waitingCount(account: "ada") >= 1 }
            let error = await #expect(throws: WireError.self) {
                try await turns.run(account: "ada", kind: .push) {}
            }
            #expect(error?.code == .unavailable && error?.retryAfterSeconds == 1)
            await room.empty()
            try await group.waitForAll()
        }
        #expect(turns.accounts == [])
    }

    @Test func aRequestWhoseTurnComesTooLateIsToldToComeBack() async throws {
        let turns = AccountTurns(limits: AccountTurns.Limits(maxRunning: 1, maxWaitSeconds: 0))
        let error = await #expect(throws: WireError.self) {
            try await turns.run(account: "ada", kind: .push) { Issue.record("It ran.") }
        }
        #expect(error?.code == .unavailable && error?.retryAfterSeconds == 1)
        #expect(turns.accounts == [])
    }

    @Test func anAccountIsAnsweredWhileAnotherOnesRequestsOccupyTheirFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SQLiteLogStore(
            data: folder.path,
            clock: ManualClock(),
            random: SeededRandom(1),
            maxOpenFiles: 4,
            cacheMegabytes: 1,
            threads: FewThreads()
        )
        let ended = Guarded(0)
        let mayGo = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    _ = try await store.exchange(.push, log: .main, account: "ada") { _ in
                        // They end when the other account has its answer, or after a long time without one.
                        _ = mayGo.wait(timeout: .now() + 10)
                        ended.use { $0 += 1 }
                        return LogDecision(
                            shown: [],
                            page: LogPage(places: [:], maxRecords: 1, maxBytes: 1, passed: []),
                            note: 0
                        )
                    }
                }
            }
            // All sixteen are there, whether they hold threads or wait for their turn.
            try await Task.sleep(for: .milliseconds(100))
            #expect(try await store.contains(.main, account: "eve") == false)
            #expect(ended.use { $0 } == 0)
            for _ in 0..<16 { mayGo.signal() }
            try await group.waitForAll()
        }
    }
}

/// Two threads, as a busy server has few.
private struct FewThreads: BlockingThreads {
    private let queue = BlockingQueue(maxThreads: 2)

    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await queue.run(work)
    }
}

extension LogQuery {
    fileprivate static let push = LogQuery(
        device: DeviceID(bits: 1),
        seen: nil,
        records: [],
        wantsFingerprints: false,
        countsExactlyFrom: nil,
        wantsBytes: false,
        writing: .always,
        creation: LogCreation(
            time: Timestamp(microseconds: 0),
            scratchExpiry: Timestamp(microseconds: 0),
            maxScratchLogs: 1
        )
    )
}

/// A room where requests wait until they may go.
private actor WaitingRoom {
    private(set) var count = 0
    private(set) var mostTogether = 0
    private(set) var most: [String: Int] = [:]
    private var inside: [String: Int] = [:]
    private var mayGo = false

    func pass(_ name: String) async throws {
        count += 1
        inside[name, default: 0] += 1
        most[name] = max(most[name] ?? 0, inside[name] ?? 0)
        mostTogether = max(mostTogether, inside.values.reduce(0, +))
        await Task.yield()
        try await eventually(what: "they may go") { mayGo }
        inside[name, default: 0] -= 1
    }

    func empty() { mayGo = true }

    func waitForEntries(_ number: Int) async throws {
        try await eventually(what: "\(number) are in the room") { count >= number }
    }
}
