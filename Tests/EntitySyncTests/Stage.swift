import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import SyncServer
import SyncServerBackend
import Testing

/// A server, a network that can be switched off, and devices on a time that passes only when the story says so.
final class Stage: Sendable {
    static let entities: [any SyncEntity.Type] = [
        Bookmark.self, Project.self, ReadStatus.self, Transaction.self,
    ]

    let scratch: Scratch
    let server: LoopbackServer
    let time: VirtualTime
    let network = Switch()
    /// What the schedule of devices that are opened from now on is.
    let schedule: SchedulePolicy

    init(schedule: SchedulePolicy = SchedulePolicy()) throws {
        scratch = try Scratch()
        server = LoopbackServer(
            path: scratch.path + "/server",
            entities: Self.entities.map { $0.adapter.descriptor }
        )
        time = VirtualTime(server.clock)
        self.schedule = schedule
        for name in ["ada", "bob"] { server.add(Account(id: name, name: name), token: "token-" + name) }
    }

    /// A device with accounts. Nothing is synced by itself until the story runs it.
    func accounts(device: String) async throws -> SyncAccounts {
        var configuration = AccountsConfiguration(
            folder: scratch.path + "/" + device,
            entities: Self.entities,
            deviceLabel: device,
            environment: environment(device: device)
        ) { [self] account in try remote(device: device, person: account.text ?? "") }
        configuration.setOwner(Bookmark.Fields.userId)
        configuration.schedule = schedule
        return try await SyncAccounts.open(configuration)
    }

    /// A device of one person, without accounts.
    func space(device: String, of person: String = "ada", clock: (any SyncClock)? = nil) throws -> SyncSpace {
        var configuration = SpaceConfiguration(
            folder: scratch.path + "/" + device,
            entities: Self.entities,
            remote: try remote(device: device, person: person, clock: clock),
            deviceLabel: device,
            environment: environment(device: device)
        )
        configuration.schedule = schedule
        if let clock { configuration.environment.clock = clock }
        return try SyncSpace.open(configuration)
    }

    /// A person's remote, as a device reaches it.
    func remote(device: String, person: String, clock: (any SyncClock)? = nil) throws -> any RemoteBackend {
        NetworkBackend(
            base: try server.backend(
                token: "token-" + person,
                clock: clock ?? time,
                random: SeededRandom(seed(device) &+ 1),
                sleeper: time
            ),
            network: network
        )
    }

    /// Lets time pass, a little at a time, until something is so.
    func until(
        what: Comment,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: () async throws -> Bool
    ) async throws {
        for _ in 0..<5_000 {
            if try await condition() { return }
            await time.advance(seconds: 0.1)
            try await Task.sleep(for: .milliseconds(1))
        }
        Issue.record("It never came to this: \(what)", sourceLocation: sourceLocation)
        throw CancellationError()
    }

    /// Awaits what takes time, such as a sync that waits between its attempts, while time passes.
    func passing<Value: Sendable>(
        seconds: Double,
        _ operation: @Sendable () async throws -> Value
    ) async rethrows -> Value {
        let time = time
        // Not a fixed number of steps: a sync that is still busy when the last one ends would wait for ever.
        let clock = Task {
            while !Task.isCancelled {
                await time.advance(seconds: seconds)
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        defer { clock.cancel() }
        return try await operation()
    }

    private func environment(device: String) -> SpaceEnvironment {
        SpaceEnvironment(
            clock: time,
            random: SeededRandom(seed(device)),
            sleeper: time,
            connectivity: network
        )
    }

    private func seed(_ device: String) -> UInt64 { device.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) } }
}

/// A network that is there or not.
final class Switch: ConnectivityMonitor {
    private let state = Guarded(State())

    private struct State {
        var isOnline = true
        var readers: [AsyncStream<Bool>.Continuation] = []
    }

    var isOnline: Bool { state.use { $0.isOnline } }

    func set(_ isOnline: Bool) {
        state.use { state in
            state.isOnline = isOnline
            for reader in state.readers { reader.yield(isOnline) }
        }
    }

    func changes() -> AsyncStream<Bool> {
        let (stream, reader) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        state.use { $0.readers.append(reader) }
        return stream
    }
}

/// A remote behind a network: without one, nothing arrives.
private struct NetworkBackend: RemoteBackend {
    let base: HTTPBackend
    let network: Switch

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        guard network.isOnline else { throw SyncError.offline() }
        return try await base.open(request)
    }

    var capabilities: RemoteCapabilities { base.capabilities.subtracting(.requestComparison) }

    func hints() -> AsyncThrowingStream<Void, any Error> { base.hints() }

    func conditions() async -> RemoteConditions { await base.conditions() }

    func accountResumed() async { await base.accountResumed() }
}

extension SyncAccounts {
    var bookmarks: SyncCollection<Bookmark> { space.collection() }
}

extension SyncSpace {
    var readStatuses: SyncCollection<ReadStatus> { collection() }
    var transactions: SyncCollection<Transaction> { collection() }

    /// What the bookmarks say, by verse.
    var notes: [Int: String] {
        get throws {
            Dictionary(uniqueKeysWithValues: try bookmarks.all().map { ($0.verseNumber, $0.notes ?? "") })
        }
    }
}

/// Runs a space beside a story.
func running(space: SyncSpace, story: () async throws -> Void) async throws {
    async let run: Void = space.run()
    do { try await story() } catch {
        space.close()
        await run
        throw error
    }
    space.close()
    await run
}
