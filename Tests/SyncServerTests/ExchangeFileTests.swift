import Foundation
import SyncChecks
import SyncCore
import SyncWire
import Testing

@testable import SyncServer

/// The account files: permissions, when they are opened, and the errors if that fails.
@Suite struct ExchangeFileTests {
    private func permissions(path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func onlyTheOwnerMayReadTheFilesOfAccounts() async throws {
        let bench = try ExchangeBench()
        try await Client(bench: bench).exchange(changes: .note(key: "a"))
        #expect(try permissions(path: bench.path + "/logs") == 0o700)
        for name in try bench.files().keys {
            #expect(try permissions(path: bench.path + "/logs/" + name) == 0o600)
        }
        let file = bench.path + "/logs/ada.sqlite"
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bench.path + "/logs")
        try bench.reopen()
        #expect(try permissions(path: file) == 0o600 && permissions(path: bench.path + "/logs") == 0o700)
    }

    @Test func aFileThatCannotBeOpenedIsAWaitWithItsCauseAndNotAMistake() async throws {
        let bench = try ExchangeBench()
        try FileManager.default.createDirectory(
            atPath: bench.path + "/logs/ada.sqlite",
            withIntermediateDirectories: true
        )
        let wireError = try #require(
            try await Client(bench: bench).exchange(changes: .note(key: "a")).error
        )
        #expect(wireError.code == .unavailable && wireError.retryAfterSeconds == 30)
        #expect(wireError.storage == .failed)
        #expect(wireError.cause?.hasPrefix("SQLite ") == true)
        #expect(!String(decoding: wireError.body, as: UTF8.self).contains("SQLite"))
        let error = await #expect(throws: PurgeError.self) { try await bench.handler.purgeTombstones() }
        #expect(error?.message.contains("ada (SQLite ") == true, "\(error?.message ?? "")")
    }

    @Test func aPushIntoAFileThatIsNoLongerThereIsNotConfirmed() async throws {
        let bench = try ExchangeBench()
        let (ada, eve) = (Client(bench: bench), Client(bench: bench, account: .eve))
        try await ada.exchange(changes: .note(key: "a"))
        try await eve.exchange(changes: .note(key: "e"))
        let (logs, away) = (bench.path + "/logs", bench.path + "/away")
        try FileManager.default.moveItem(atPath: logs, toPath: away)
        for _ in 0..<2 {
            let error = try #require(try await ada.exchange(changes: .note(key: "b")).error)
            #expect(error.code == .unavailable && error.storage == .missing, "\(error)")
            #expect(error.cause != nil)
        }
        // A push whose answer was lost is not confirmed from there either.
        try FileManager.default.moveItem(atPath: away, toPath: logs)
        let request = eve.request([.note(key: "g")])
        #expect(try await eve.send(request).results == ["accepted"])
        try FileManager.default.moveItem(atPath: logs, toPath: away)
        #expect(try await eve.send(request).error?.storage == .missing)
        // As when a disk is there again: what was not confirmed is sent once more.
        try FileManager.default.moveItem(atPath: away, toPath: logs)
        #expect(try await ada.exchange(changes: .note(key: "b")).results == ["accepted"])
        #expect(try await eve.send(request).results == ["accepted"])
        // Another file has taken the place of the open one.
        try FileManager.default.copyItem(atPath: logs + "/ada.sqlite", toPath: bench.path + "/copy")
        try FileManager.default.removeItem(atPath: logs + "/ada.sqlite")
        try FileManager.default.moveItem(atPath: bench.path + "/copy", toPath: logs + "/ada.sqlite")
        let error = try #require(try await ada.exchange(changes: .note(key: "c")).error)
        #expect(error.code == .unavailable && error.storage == .failed, "\(error)")
    }

    @Test func whoIsAtTheEndOfTheLogIsAnsweredWithoutTheFile() async throws {
        let bench = try ExchangeBench()
        let (ada, other) = (Client(bench: bench), Client(bench: bench, device: 2))
        try await ada.exchange(changes: .note(key: "a"))
        try await other.exchange()
        // The first answer at the end of the log comes from the file.
        let first = try await other.exchange()
        try FileManager.default.removeItem(atPath: bench.path + "/logs/ada.sqlite")
        try FileManager.default.createDirectory(
            atPath: bench.path + "/logs/ada.sqlite",
            withIntermediateDirectories: true
        )
        #expect(try await other.exchange().body == first.body)
        // A new device or a new entity is answered from the file.
        other.entities = ["note"]
        #expect(try await other.exchange().status == 200)
    }

    @Test func aChangeIsSeenByWhoWasAtTheEndOfTheLog() async throws {
        let bench = try ExchangeBench(policy: ExchangePolicy(maxOpenFiles: 1))
        let (ada, other, eve) = (
            Client(bench: bench), Client(bench: bench, device: 2), Client(bench: bench, account: .eve)
        )
        try await ada.exchange(changes: .note(key: "a"))
        for number in 0..<5 {
            _ = try await other.pull()
            #expect(try await other.exchange().page.isEmpty)
            try await eve.exchange(changes: .note(key: "e\(number)"))
            let reply = try await ada.exchange(changes: .note(key: "b\(number)"))
            #expect(reply.results == ["accepted"])
            #expect(try await other.exchange().page == ["note/b\(number)"])
            #expect(try await eve.exchange().page.isEmpty)
            #expect(try await ada.exchange().answer?.batch == reply.answer?.batch)
        }
    }

    @Test func anAccountsFileThatWasClosedIsAnsweredFromAsItIs() async throws {
        let bench = try ExchangeBench(policy: ExchangePolicy(maxOpenFiles: 1))
        let (ada, eve) = (Client(bench: bench), Client(bench: bench, account: .eve))
        try await ada.exchange(changes: .note(key: "a"))
        try await eve.exchange(changes: .note(key: "b"))
        let before = try bench.files().filter { $0.key.hasPrefix("ada.sqlite") && !$0.key.hasSuffix("-shm") }
        #expect(before["ada.sqlite-wal"]?.isEmpty == true)
        #expect(try await Client(bench: bench, device: 2).exchange().page == ["note/a"])
        try await eve.exchange(changes: .note(key: "c"))
        let after = try bench.files().filter { $0.key.hasPrefix("ada.sqlite") && !$0.key.hasSuffix("-shm") }
        #expect(before == after)
    }

    @Test func pageCachesOfAllOpenFilesStayBelowTheirTotal() async throws {
        for (total, files) in [(256, 1024), (256, 16), (64, 100), (16, 256)] {
            var budget = CacheBudget(totalKiB: total * 1024, files: files)
            let sizes = (0..<files).map { _ in budget.take() }
            #expect(sizes.reduce(0, +) <= total * 1024, "\(total) MB, \(files) files")
            #expect(sizes.allSatisfy { $0 >= CacheBudget.smallestKiB })
            #expect(total < 64 || sizes[0] == CacheBudget.largeKiB)
            budget.giveBack(sizes[0])
            #expect(budget.take() == sizes[0])
        }
        let bench = try ExchangeBench(policy: ExchangePolicy(maxOpenFiles: 64, cacheMegabytes: 16))
        var sizes: [Int] = []
        for number in 0..<40 {
            let account = Account(id: "account-\(number)", name: "n")
            try await Client(bench: bench, account: account).exchange(changes: .note(key: "a"))
            sizes.append(try await bench.cacheKiB(of: account.id))
        }
        #expect(sizes.prefix(2) == [4096, 4096] && sizes.dropFirst(2).allSatisfy { $0 == 128 }, "\(sizes)")
    }

    @Test func theFirstPurgeAfterAStartOpensOnlyAccountsThatMayHaveSomethingToPurge() async throws {
        let bench = try ExchangeBench(policy: ExchangePolicy(maxOpenFiles: 1))
        let (ada, eve) = (Client(bench: bench), Client(bench: bench, account: .eve))
        try await eve.exchange(changes: .note(key: "b"))
        let reply = try await ada.exchange(changes: .tag(key: "a"))
        #expect(try await bench.handler.purgeTombstones() == 0)
        // This is not saved when the server ends.
        try await ada.exchange(
            changes: Change.tag(key: "a", base: reply.revision).tombstone.with {
                $0.vector = "0000000000000001:2"
            }
        )
        try bench.reopen()
        let file = bench.path + "/logs/eve.sqlite"
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        // From here on, opening the file would fail.
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        #expect(try await bench.handler.purgeTombstones() == 0)
        #expect(try permissions(path: bench.path + "/purge.json") == 0o600)
        try FileManager.default.removeItem(atPath: file)
        try data.write(to: URL(fileURLWithPath: file))
        try bench.reopen()
        bench.clock.advance(seconds: 11 * 86_400)
        #expect(try await bench.handler.purgeTombstones() == 1, "what was stored since is looked for in time")
    }

    @Test func aPurgeScheduleOfOtherRulesOrOneThatIsDamagedDoesNotCount() async throws {
        let bench = try ExchangeBench()
        try await Client(bench: bench, account: .eve).exchange(changes: .note(key: "b"))
        #expect(try await bench.handler.purgeTombstones() == 0)
        let plan = bench.path + "/purge.json"
        let good = try String(contentsOfFile: plan, encoding: .utf8)
        #expect(good.contains("tag=10"))
        let file = bench.path + "/logs/eve.sqlite"
        try bench.reopen()
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        for text in [good.replacing("tag=10", with: "tag=9"), "{", ""] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: plan))
            try bench.reopen()
            await #expect(throws: PurgeError.self) { try await bench.handler.purgeTombstones() }
        }
    }

    @Test func thePurgeOpensNoAccountThatHasNothingToPurge() async throws {
        let bench = try ExchangeBench(policy: ExchangePolicy(maxOpenFiles: 1))
        let (ada, eve) = (Client(bench: bench), Client(bench: bench, account: .eve))
        try await eve.exchange(changes: .note(key: "b"))
        let reply = try await ada.exchange(changes: .tag(key: "a"))
        #expect(try await bench.handler.purgeTombstones() == 0)
        try await ada.exchange(
            changes: Change.tag(key: "a", base: reply.revision).tombstone.with {
                $0.vector = "0000000000000001:2"
            }
        )
        // From here on, opening the file would fail.
        try FileManager.default.removeItem(atPath: bench.path + "/logs/eve.sqlite")
        try FileManager.default.createDirectory(
            atPath: bench.path + "/logs/eve.sqlite",
            withIntermediateDirectories: true
        )
        #expect(try await bench.handler.purgeTombstones() == 0)
        bench.clock.advance(seconds: 11 * 86_400)
        #expect(try await bench.handler.purgeTombstones() == 1)
    }
}
