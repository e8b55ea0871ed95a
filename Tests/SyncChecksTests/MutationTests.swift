import Foundation
import SyncChecks
import SyncCore
import SyncHTTPClient
import SyncRuntime
import SyncServer
import SyncServerBackend
import SyncStore
import Testing

#if Mutations
    /// Mutation tests: without any one of its safeguards the product breaks a promise, and that is detected.
    @Suite struct MutationTests {
        @Test(arguments: MutationTable.worlds)
        func aMissingGuardBreaksAPromise(row: MutationRow) async {
            let found = await row.violation(seed: row.seed)
            if found?.rule == row.rule {
                print("\(row.testDescription): \(row.rule), seed \(row.seed), one within \(row.within) runs")
            } else {
                let other = await anotherSeed(row: row)
                Issue.record(
                    "\(row.testDescription): seed \(row.seed) breaks \(found?.rule ?? "nothing"); \(other)"
                )
            }
            let sound = await row.violationWithGuards(seed: row.seed)
            #expect(sound == nil, "seed \(row.seed) breaks a promise with all guards")
        }

        @Test(arguments: MutationTable.plans)
        func aMissingGuardBreaksAPlan(row: GuardPlan) throws {
            let entity = try #require(PlanSimulationTests.entities.first { $0.name == row.entity })
            let simulator = PlanSimulator([entity])
            let found = Mutation.$disabled.withValue([row.off]) { simulator.play(row.seed).violation }
            if found?.rule != row.rule {
                let other = Mutation.$disabled.withValue([row.off]) {
                    (1...2000).lazy.map { ($0, simulator.play($0).violation?.rule) }.first { $0.1 != nil }
                }
                Issue.record(
                    "\(row.testDescription): seed \(row.seed) breaks \(found?.rule ?? "nothing"); another: \(other.map { "\($0)" } ?? "none")"
                )
            }
            #expect(simulator.play(row.seed).violation == nil, "a promise is broken with all guards")
        }

        @Test(arguments: MutationTable.checks)
        func aMissingGuardIsMissedByTheCheckThatIsNamedForIt(row: GuardCheck) async throws {
            let check = try #require(BackendSuite.checks.first { $0.id == row.id })
            let outcome = try await Mutation.$disabled.withValue([row.off]) {
                try await check.outcome(subject: subject(row: row))
            }
            #expect(CheckResult(check: check, outcome: outcome).isFailure, "\(outcome)")
            #expect(try await check.outcome(subject: subject(row: row)) == .passed)
        }

        @Test func everyGuardHasALine() {
            let others = MutationTable.checks.map(\.off) + MutationTable.plans.map(\.off)
            var missed = MutationTable.worlds.reduce(into: Set(others)) {
                $0.formUnion($1.off)
            }
            for row in OutsideMutationTests.rows { missed.formUnion(row.off) }
            missed.formUnion(SchemaChangeMutationTests.rows.map(\.off))
            #expect(missed.union(MutationTable.tests.keys) == Set(Safeguard.allCases))
            #expect(missed.isDisjoint(with: MutationTable.tests.keys))
        }

        @Test(arguments: MutationTable.tests.keys)
        func aTestStandsForAGuardThatNoWorldMisses(missing: Safeguard) throws {
            let place = try #require(MutationTable.tests[missing])
            let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            let text = try String(contentsOf: tests.appending(path: place.file), encoding: .utf8)
            #expect(text.contains("func \(place.test)("))
        }

        @Test func anEditIsLaterThanWhatItReplacesThoughTheClockWasSetBack() throws {
            #expect(try laterByClockSetBack())
            let isLater = try Mutation.$disabled.withValue([.timestampTick]) { try laterByClockSetBack() }
            #expect(!isLater)
        }

        private func laterByClockSetBack() throws -> Bool {
            let entity = ScratchEntities.all[0]
            let store = try SQLiteStore.open(
                path: "/store.sqlite",
                entities: [entity],
                random: SeededRandom(1),
                medium: SimulatedDisk()
            )
            defer { store.close() }
            let clock = ManualClock()
            let writer = LocalWriter(store: store, clock: clock, random: SeededRandom(2))
            var seed = Seed(1)
            let first = RecordGenerator(entity).record(number: 1, seed: &seed)
            let key = try writer.write { try $0.replace(entity: entity, record: first) }
            let before = try store.read { try $0.load(entity: entity, key: key) }
            clock.advance(seconds: -86_400)
            try writer.write { try $0.delete(entity: entity, key: key) }
            let after = try store.read { try $0.load(entity: entity, key: key) }
            return try #require(after).version.metadata.editTimestamp.time
                > #require(before).version.metadata.editTimestamp.time
        }

        /// Searches for a new seed of a row after the worlds have changed.
        private func anotherSeed(row: MutationRow) async -> String {
            // NB: a search among all seeds of a rare kind would slow down every other test.
            for seed in 0..<min(row.within, 200) {
                guard let found = await row.violation(seed: seed),
                    await row.violationWithGuards(seed: seed) == nil
                else {
                    continue
                }
                return "seed \(seed) breaks \(found.rule)"
            }
            return "none of \(min(row.within, 200)) seeds does"
        }

        private func subject(row: GuardCheck) throws -> any BackendSubject {
            guard row.place == .server else { return DiskFolderSubject(disk: SimulatedDisk()) }
            let server = LoopbackServer(path: "/server", entities: ScratchEntities.all, disk: SimulatedDisk())
            server.add(Account(id: "account-1", name: "one"), token: "token")
            return ServerSubject(
                url: try ServerURL(LoopbackServer.url),
                credentials: FixedToken(text: "token"),
                entities: ScratchEntities.all,
                environment: HTTPEnvironment(
                    clock: server.clock,
                    random: SeededRandom(1),
                    sleeper: NoSleep(),
                    transport: server
                )
            )
        }
    }
#endif
