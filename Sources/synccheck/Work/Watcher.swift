import EntitySync
import Foundation

/// Keeps a store and a remote together: syncs at the start, when the remote says that something changed, and when
/// something is written here. Ends when the process is asked to.
struct Watcher {
    let store: any LocalStore
    /// What to sync with. One that says nothing of changes is asked now and then.
    let remote: any RemoteBackend
    /// Runs one sync and prints what it did.
    let sync: @Sendable () async throws -> Void

    /// Seconds between two looks at the local store.
    static let localInterval = 0.5
    /// Seconds between two looks at a remote that says nothing.
    static let remoteInterval = 5.0

    /// Goes on until SIGINT or SIGTERM. Throws what ends it: a token that is refused, a wrong remote.
    func run() async throws {
        let (wakes, continuation) = AsyncStream.makeStream(
            of: Wake.self,
            bufferingPolicy: .bufferingNewest(8)
        )
        let stop = StopSignal { continuation.yield(.stop) }
        stop.listen()
        defer { stop.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await watchRemote(continuation) }
            group.addTask { try await watchStore(continuation) }
            group.addTask { try await work(wakes) }
            // The first that ends, or fails, ends all.
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    private enum Wake: Sendable {
        case remote, local, stop
    }

    private func work(_ wakes: AsyncStream<Wake>) async throws {
        try await attempt()
        for await wake in wakes {
            if case .stop = wake { return }
            try await attempt()
        }
    }

    /// One sync. What may be better next time is said and forgotten; the rest ends the watch.
    private func attempt() async throws {
        do {
            try await sync()
        } catch let error as SyncError where error.retry == .later || error.kind == .unreachable {
            StandardStreams.write(Failure.sentence(error), to: .error)
        }
    }

    private func watchRemote(_ continuation: AsyncStream<Wake>.Continuation) async throws {
        if let hints = remote.hints() {
            for try await _ in hints { continuation.yield(.remote) }
        }
        while true {
            try await Task.sleep(for: .seconds(Self.remoteInterval))
            continuation.yield(.remote)
        }
    }

    /// Looks for edits that wait; those that the last sync left behind do not wake it again by themselves.
    private func watchStore(_ continuation: AsyncStream<Wake>.Continuation) async throws {
        var last = try lastSequence()
        while true {
            try await Task.sleep(for: .seconds(Self.localInterval))
            let sequence = try lastSequence()
            if sequence != last { continuation.yield(.local) }
            last = sequence
        }
    }

    private func lastSequence() throws -> Int64 {
        try store.read { try $0.lastSequence() }
    }
}
