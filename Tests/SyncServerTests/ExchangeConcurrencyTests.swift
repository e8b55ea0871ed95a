import Foundation
import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

@Suite(.everyLogStore) struct ExchangeConcurrencyTests {
    @Test func manyWritersOfOneAccountGetEachRevisionOnce() async throws {
        let bench = try ExchangeBench()
        let numbers = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for device in 1...16 {
                group.addTask {
                    let client = Client(bench: bench, device: UInt64(device))
                    var own: [Int64] = []
                    for round in 0..<10 {
                        let change = Change.note(key: "\(device)-\(round)")
                        var reply = try await client.exchange(changes: change)
                        // On a machine with much else to do a turn may come too late: who is told so comes back.
                        while reply.error?.code == .unavailable {
                            reply = try await client.exchange(changes: change)
                        }
                        own.append(try #require(reply.revision?.number))
                    }
                    return own
                }
            }
            var all: [Int64] = []
            for try await own in group {
                #expect(own == own.sorted(), "one writer's revisions grow")
                all += own
            }
            return all
        }
        #expect(numbers.sorted() == Array(1...160))
        try bench.reopen()
        let reply = try await Client(bench: bench, device: 99).exchange()
        // A PostgreSQL shows them in the order of transactions, which may overlap.
        #expect(reply.numbers.sorted() == Array(1...160))
        #expect(Set(reply.page).count == 160)
    }

    @Test func readersThatPageDuringWritesMissNothing() async throws {
        let bench = try ExchangeBench()
        let writing = Task {
            let client = Client(bench: bench)
            for round in 0..<60 { try await client.exchange(changes: .note(key: "\(round)")) }
        }
        let reader = Client(bench: bench, device: 2)
        var seen: [String] = []
        while seen.count < 30 {
            seen += try await reader.exchange(limit: 3).page
            // Lets the writer run, which may need this thread.
            await Task.yield()
        }
        try await writing.value
        // A PostgreSQL shows what is written when all older transactions have ended, those of other tests among them.
        for _ in 0..<500 where seen.count < 60 {
            seen += try await reader.pull(limit: 3)
            if seen.count < 60 { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(seen == (0..<60).map { "note/\($0)" })
    }

    @Test func moreAccountsThanOpenFilesAreServedAtOnce() async throws {
        let bench = try ExchangeBench(policy: ExchangePolicy(maxOpenFiles: 2))
        let accounts = (0..<10).map { Account(id: "account-\($0)", name: "") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for account in accounts {
                group.addTask {
                    let client = Client(bench: bench, account: account)
                    for round in 0..<5 {
                        let reply = try await client.exchange(changes: .note(key: "\(account.id)-\(round)"))
                        #expect(reply.results == ["accepted"])
                    }
                }
            }
            try await group.waitForAll()
        }
        for account in accounts {
            let keys = try await Client(bench: bench, device: 2, account: account).pull()
            #expect(keys == (0..<5).map { "note/\(account.id)-\($0)" })
        }
    }

    @Test(.ofFiles) func whatWasAcknowledgedIsThereForAHandlerThatOpensBesideADroppedOne() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        for round in 0..<5 {
            try await one.exchange(changes: .note(key: "\(round)"))
            // Copies the files while they are open, as a crash would leave them.
            let found = try bench.files().filter { !$0.key.hasSuffix("-shm") }
            let copy = try ExchangeBench()
            try copy.restore(found)
            #expect(try await Client(bench: copy, device: 2).pull() == (0...round).map { "note/\($0)" })
        }
    }
}
