#if Server
    import Foundation
    import SyncCore
    import Testing

    @testable import syncserver

    /// Resources that are divided between accounts, peers and files.
    @Suite(.ownThreads) struct LimitTests {
        @Test(arguments: [
            (128, 2000, 1024), (256, 512, 1024), (1024, 2000, 64), (1024, 512, 1024), (80, 8, 1),
        ])
        func connectionsAndAccountFilesFitTheSystemsLimit(system: Int, connections: Int, files: Int)
            throws
        {
            let limits = try OpenFileLimits.divide(system, connections: connections, accountFiles: files)
            #expect(limits.connections + 3 * limits.accountFiles + OpenFileLimits.reserved <= system)
            #expect(limits.connections >= min(connections, 8) && limits.accountFiles >= 1)
            #expect(limits.isLowered == (system != 80))
            #expect(limits.sentence.contains("the system allows \(system)") == limits.isLowered)
        }

        @Test func whatIsAskedForIsGivenWhereItFits() throws {
            let limits = try OpenFileLimits.divide(10_000, connections: 2000, accountFiles: 1024)
            #expect(limits.connections == 2000 && limits.accountFiles == 1024 && !limits.isLowered)
        }

        @Test func tooFewOpenFilesAreAnErrorWithHelp() {
            let error = #expect(throws: SyncError.self) {
                try OpenFileLimits.divide(70, connections: 10, accountFiles: 10)
            }
            #expect(error?.kind == .inputOutput && error?.help.contains("ulimit") == true)
        }

        @Test func anAccountTakesItsShareOfMemoryAndNoMore() throws {
            let budget = BodyBudget(bytes: 8000, smallBytes: 100)
            var shares = (0..<4).map { _ in BodyBudget.Share(account: "eve") }
            for index in 0..<3 { try budget.take(500, for: &shares[index]) }
            #expect(throws: BodyBudget.BodyBudgetError.account) { try budget.take(500, for: &shares[3]) }
            var other = BodyBudget.Share(account: "ada")
            try budget.take(1500, for: &other)
            budget.give(shares[0])
            try budget.take(500, for: &shares[3])
        }

        @Test func smallBodiesHaveAReserve() throws {
            let budget = BodyBudget(bytes: 8000, smallBytes: 100)
            for account in ["a", "b", "c", "d"] {
                var share = BodyBudget.Share(account: account)
                try budget.take(1750, for: &share)
            }
            var (small, large) = (BodyBudget.Share(account: "ada"), BodyBudget.Share(account: "ada"))
            try budget.take(100, for: &small)
            #expect(throws: BodyBudget.BodyBudgetError.server) { try budget.take(101, for: &large) }
            #expect(throws: BodyBudget.BodyBudgetError.server) { try budget.take(1, for: &small) }
            budget.give(small)
            // An account that has used its share of the common pool has a share of the reserve, too.
            var more = (0..<3).map { _ in BodyBudget.Share(account: "a") }
            try budget.take(100, for: &more[0])
            try budget.take(100, for: &more[1])
            #expect(throws: BodyBudget.BodyBudgetError.account) { try budget.take(100, for: &more[2]) }
        }

        @Test(arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2::5", "20:1:d:b8:0:1:0:2"),
            ("", ""), ("nonsense", "nonsense"),
        ])
        func theAddressesOfOneNetworkAreOnePeer(address: String, peer: String) {
            #expect(PeerKey.text(address: address) == peer)
        }

        @Test func aLogThatIsNotReadDropsLinesAndCountsThem() async throws {
            let (gate, written, drops) = (DispatchSemaphore(value: 0), Lines(), Lines())
            let queue = LogQueue(
                capacity: 10,
                write: { text in
                    gate.wait()
                    written.append(text)
                },
                droppedMessage: { "dropped \($0)" },
                onDrop: { drops.append("") }
            )
            queue.put("first")
            try await eventually(what: "the first line is taken") { queue.isBusy }
            for number in 0..<25 { queue.put("\(number)") }
            #expect(drops.all.count == 15)
            for _ in 0..<3 { gate.signal() }
            try await onOwnThread { queue.close(within: maxWaitSeconds) }
            let lines = written.all.joined().split(separator: "\n").map(String.init)
            #expect(lines == ["first"] + (0..<10).map { "\($0)" } + ["dropped 15"])
        }

        /// Texts that several threads add to.
        private final class Lines: @unchecked Sendable {
            // Guarded by `lock`.
            private var texts: [String] = []
            private let lock = NSLock()

            var all: [String] { lock.withLock { texts } }

            func append(_ text: String) { lock.withLock { texts.append(text) } }
        }
    }
#endif
