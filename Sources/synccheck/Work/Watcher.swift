import EntitySync
import Foundation

/// Keeps a store and a remote together, by the scheduler that apps have: syncs at the start, when the remote says that
/// something changed, when something is written here, and again after a failure. Ends when the process is asked to.
struct Watcher {
    let store: SQLiteStore
    let remote: any RemoteBackend
    /// Seconds between two syncs while nothing happens: few for a remote that says nothing of changes.
    let periodSeconds: Double
    let environment: ScheduleEnvironment
    /// Runs one sync and prints what it did.
    let sync: @Sendable () async throws -> SyncReport

    /// Goes on until SIGINT or SIGTERM. Throws what ends it: a token that is refused, a wrong remote.
    func run() async throws {
        // NB: apart from all that syncs and hints bring, so that nothing delays or replaces it.
        let (ending, end) = AsyncStream.makeStream(of: Never.self)
        let stop = StopSignal { end.finish() }
        stop.listen()
        defer { stop.cancel() }
        try await run(until: ending, end: end)
    }

    /// Goes on until the stream ends, which `end` feeds.
    func run(until ending: AsyncStream<Never>, end: AsyncStream<Never>.Continuation) async throws {
        let fatal = Guarded<(any Error)?>(nil)
        let driver = SchedulerDriver(
            entities: ScheduledEntities(entities: store.entities),
            policy: policy,
            environment: environment,
            // What can only be mended elsewhere, such as a server under another URL, is asked for again all the same.
            failure: { SyncFailure(retry: .later, retryAfterSeconds: ($0 as? SyncError)?.retryAfterSeconds) }
        ) { _ in
            do { return try await sync() } catch {
                if let error = error as? SyncError, error.mayPass {
                    StandardStreams.write(Failure.sentence(error: error), to: .error)
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
    /// Whether trying again by itself may help.
    fileprivate var mayPass: Bool { retry == .later || kind == .unreachable }
}
