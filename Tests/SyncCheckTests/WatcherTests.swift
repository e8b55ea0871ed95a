import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import SyncSchedule
import SyncStore
import Testing

@testable import synccheck

/// `sync --watch` uses the same scheduler as apps.
@Suite(.timeLimit(.minutes(30))) struct WatcherTests {
    /// A remote that sends the given number of change hints and supports nothing else.
    private struct HintingRemote: RemoteBackend {
        var changes = 0
        let told = Guarded(0)

        let capabilities: RemoteCapabilities = [.versionMetadata, .changeHints]

        func hints() -> AsyncThrowingStream<Void, any Error> {
            let (told, changes) = (told, changes)
            return AsyncThrowingStream(unfolding: { () async throws -> Void? in
                let number = told.use { count -> Int in
                    count += 1
                    return count
                }
                if number > changes { try await Task.sleep(for: .seconds(1_000_000)) }
                return ()
            })
        }

        func open(_ request: SessionRequest) async throws -> any RemoteSession { throw CancellationError() }
    }

    /// Advances the clock almost without waiting.
    private struct FastTime: SyncSleeper {
        let clock = ManualClock()

        func sleep(seconds: Double) async throws {
            // Without a suspension the wait could never be ended.
            try await Task.sleep(for: .milliseconds(1))
            clock.set(Timestamp(microseconds: clock.now().microseconds + Int64(seconds * 1_000_000)))
        }
    }

    /// Waits until it is cancelled.
    private struct StandingTime: SyncSleeper {
        func sleep(seconds: Double) async throws { try await Task.sleep(for: .seconds(1_000_000)) }
    }

    private static let done = SyncReport(outcome: .synced, requests: 1, entities: [], diagnostics: [])
    private static let down = SyncError(kind: .unreachable, message: "Down.", help: "Wait.", retry: .later)

    /// Watches with a new store until `end` finishes.
    private func watch(
        _ remote: HintingRemote,
        clock: ManualClock,
        sleeper: any SyncSleeper,
        sync: @escaping @Sendable (_ number: Int, AsyncStream<Never>.Continuation) throws -> SyncReport
    ) async throws -> Int {
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("store.sqlite").path
        // NB: a store with entities is needed. Without any, only the period would start another sync.
        let store = try SQLiteStore.open(path: path, entities: ScratchEntities.all, random: SystemRandom())
        let (ending, end) = AsyncStream.makeStream(of: Never.self)
        let count = Guarded(0)
        let environment = SpaceEnvironment(clock: clock, random: SeededRandom(7), sleeper: sleeper)
        let watcher = Watcher(
            store: store,
            remote: remote,
            periodSeconds: .infinity,
            environment: environment
        ) {
            let number = count.use {
                $0 += 1
                return $0
            }
            return try sync(number, end)
        }
        do { try await watcher.run(until: ending, end: end) } catch {
            store.close()
            throw error
        }
        store.close()
        return count.use { $0 }
    }

    @Test func aFailedSyncIsTriedAgainUntilItSucceeds() async throws {
        let time = FastTime()
        let count = try await watch(HintingRemote(), clock: time.clock, sleeper: time) { number, end in
            if number <= 8 { throw Self.down }
            end.finish()
            return Self.done
        }
        #expect(count == 9)
    }

    @Test func aFloodOfChangesIsOneSyncAndTheEndIsNotLost() async throws {
        let clock = ManualClock()
        let feed = Guarded<AsyncStream<Never>.Continuation?>(nil)
        let remote = HintingRemote(changes: 5000)
        async let count = watch(remote, clock: clock, sleeper: StandingTime()) { _, end in
            feed.use { $0 = end }
            return Self.done
        }
        while feed.use({ $0 == nil }) || remote.told.use({ $0 <= 5000 }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        feed.use { $0 }?.finish()
        // The clock stands still, so the first quiet time never ends.
        #expect(try await count == 1)
    }

    @Test func whatDoesNotPassEndsIt() async throws {
        let time = FastTime()
        let refused = SyncError(kind: .notPermitted, message: "No.", help: "Sign in.", retry: .afterSignIn)
        let error = await #expect(throws: SyncError.self) {
            try await watch(HintingRemote(), clock: time.clock, sleeper: time) { _, _ in throw refused }
        }
        #expect(error?.kind == .notPermitted)
    }
}
