import EntitySync
import Foundation
import SyncCore
import SyncRuntime
import SyncSchedule
import SyncStore

/// Keeps a store in sync with a remote, using the same scheduler as apps: it syncs at the start, on change
/// hints, after local writes, and again after failures. Ends at a signal.
struct Watcher {
    let store: SQLiteStore
    let remote: any RemoteBackend
    /// The interval in seconds of idle syncs: short for a remote without change hints.
    let periodSeconds: Double
    let environment: SpaceEnvironment
    /// Runs one sync and prints its result.
    let sync: @Sendable () async throws -> SyncReport

    /// Runs until SIGINT or SIGTERM. Throws permanent errors, such as a refused token or a wrong remote.
    func run() async throws {
        // NB: this stream is separate from syncs and hints, so that nothing delays or replaces a stop.
        let (ending, end) = AsyncStream.makeStream(of: Never.self)
        let stop = StopSignal { end.finish() }
        stop.listen()
        defer { stop.cancel() }
        try await run(until: ending, end: end)
    }

    /// Runs until the stream `ending` finishes.
    func run(until ending: AsyncStream<Never>, end: AsyncStream<Never>.Continuation) async throws {
        let fatal = Guarded<(any Error)?>(nil)
        let driver = SchedulerDriver(
            entities: ScheduledEntities(entities: store.entities),
            policy: policy,
            environment: environment,
            // Errors that must be fixed elsewhere, such as a moved server, are retried all the same.
            setback: { Setback(retry: .later, retryAfterSeconds: ($0 as? SyncError)?.retryAfterSeconds) },
            notBefore: { await remote.conditions().notBefore }
        ) { _ in
            do { return try await sync() } catch {
                if let error = error as? SyncError, error.mayPass {
                    StandardStreams.write(CommandExit.sentence(error: error), to: .error)
                } else if !(error is CancellationError) {
                    fatal.use { $0 = error }
                    end.finish()
                }
                throw error
            }
        }
        let feed = ScheduleFeed(driver: driver, remote: remote, store: store)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in ending {}
                await driver.stop()
            }
            group.addTask {
                do { try await feed.followHints() } catch  where !(error is CancellationError) {
                    fatal.use { $0 = error }
                    end.finish()
                } catch {}
            }
            group.addTask { await feed.followCommits() }
            driver.send(.appBecameActive)
            await driver.run()
            group.cancelAll()
        }
        if let error = fatal.use({ $0 }) { throw error }
    }

    private var policy: SchedulePolicy {
        var policy = SchedulePolicy()
        policy.periodSeconds = periodSeconds
        return policy
    }
}

extension SyncError {
    /// Whether a retry may help.
    fileprivate var mayPass: Bool { retry == .later || kind == .unreachable }
}
