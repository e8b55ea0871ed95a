import EntitySync
import Foundation
import SyncAccounts
import SyncChecks
import SyncCore
import SyncRuntime
import SyncStore
import Testing

/// A device that holds accounts in a folder of its own, and a remote for each account.
final class AccountDevice: Sendable {
    let root: String
    let entities: [EntityDescriptor]
    let clock = ManualClock()
    let random: SeededRandom
    let ownerFields: [String: String]
    private let remotes = Guarded<[AccountID: any RemoteBackend]>([:])
    /// Whose credentials were asked for, in order.
    let asked = Guarded<[AccountID]>([])

    init(
        root: String,
        entities: [EntityDescriptor],
        ownerFields: [String: String] = [:],
        seed: UInt64 = 7
    ) {
        self.root = root
        self.entities = EntityOrder.sorted(entities)
        self.ownerFields = ownerFields
        random = SeededRandom(seed)
    }

    func connect(_ id: AccountID, to backend: any RemoteBackend) { remotes.use { $0[id] = backend } }

    var files: AccountFiles { AccountFiles(root: root, entities: entities, random: random) }

    /// Starts the app.
    func start(storage: (any AccountStorage)? = nil) throws -> AccountManager {
        let settings = AccountSettings(
            ownerFields: ownerFields,
            environment: SyncEnvironment(clock: clock, random: random, label: "test"),
            backend: { id in
                self.asked.use { $0.append(id) }
                return try #require(self.remotes.use { $0[id] })
            }
        )
        return try AccountManager(storage: storage ?? files, settings: settings)
    }

    /// Opens an account's store beside the manager.
    func store(folder: String) throws -> SQLiteStore {
        try SQLiteStore.open(path: "\(root)/\(folder)/store.sqlite", entities: entities, random: random)
    }

    /// The account folders on the disk.
    func folders() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root).filter { !$0.hasPrefix("index") }.sorted()
    }

    /// Whether any file of the device holds a text.
    func holds(_ text: String) throws -> Bool {
        for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
            guard let data = FileManager.default.contents(atPath: "\(root)/\(name)") else { continue }
            if data.range(of: Data(text.utf8)) != nil { return true }
        }
        return false
    }
}

/// Runs a story on a device with a folder of its own, which is removed afterwards.
func withDevice(
    entities: EntityDescriptor...,
    ownerFields: [String: String] = [:],
    _ story: (AccountDevice) async throws -> Void
) async throws {
    try await withFolder { path in
        try await story(
            AccountDevice(root: "\(path)/accounts", entities: entities, ownerFields: ownerFields)
        )
    }
}

extension AccountSession {
    func put(entity: EntityDescriptor, json: String) throws {
        _ = try writer.put(entity: entity, json: Array(json.utf8))
    }

    /// A field of all live records, by key.
    func values(entity: EntityDescriptor, field: String = "title") throws -> [String: String] {
        try store.values(entity: entity, field: field)
    }

    func local(entity: EntityDescriptor, key: String) throws -> LocalRecord? {
        try store.read { try $0.load(entity: entity, key: RecordKey(key)) }
    }
}

extension LocalStore {
    func values(entity: EntityDescriptor, field: String = "title") throws -> [String: String] {
        guard let position = entity.layout.position(of: field) else { return [:] }
        var result: [String: String] = [:]
        try read { snapshot in
            try snapshot.scan(entity: entity, includeHidden: false) { local in
                result[local.version.key.text] = local.version.record.values[position]?.string ?? ""
            }
        }
        return result
    }
}

/// A remote that stops at one moment of a sync until the test lets it go, whether the sync was cancelled or not.
struct PausingBackend: RemoteBackend {
    enum Moment: CaseIterable, Sendable {
        case beforeOpen, afterOpen, beforeFetch, afterFetch, beforePrepare, afterPrepare, beforePush,
            afterPush
        case beforeClose, afterClose
    }

    let base: any RemoteBackend
    let pause: Pause

    var capabilities: RemoteCapabilities {
        base.capabilities.subtracting([.changeHints, .requestComparison])
    }

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        await pause.arrive(moment: .beforeOpen)
        let session = try await base.open(request)
        await pause.arrive(moment: .afterOpen)
        return Session(base: session, pause: pause)
    }

    private struct Session: RemoteSession {
        let base: any RemoteSession
        let pause: Pause

        var greeting: SessionGreeting { base.greeting }

        func fetch() async throws -> RemotePage? {
            await pause.arrive(moment: .beforeFetch)
            let page = try await base.fetch()
            await pause.arrive(moment: .afterFetch)
            return page
        }

        func pushLimit() async -> PushLimit { await base.pushLimit() }

        func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush {
            await pause.arrive(moment: .beforePrepare)
            let prepared = try await base.prepare(changes, cursor: cursor)
            await pause.arrive(moment: .afterPrepare)
            return prepared
        }

        func push(_ prepared: PreparedPush) async throws -> PushReceipt {
            await pause.arrive(moment: .beforePush)
            let receipt = try await base.push(prepared)
            await pause.arrive(moment: .afterPush)
            return receipt
        }

        func close(cursor: String?) async throws {
            await pause.arrive(moment: .beforeClose)
            try await base.close(cursor: cursor)
            await pause.arrive(moment: .afterClose)
        }
    }
}

/// One stop on the way of a sync.
actor Pause {
    private var moment: PausingBackend.Moment?
    private var hasArrived = false
    private var isReleased = false
    private var watchers: [CheckedContinuation<Void, Never>] = []
    private var held: CheckedContinuation<Void, Never>?

    /// Stops at the first occurrence of a moment.
    init(at moment: PausingBackend.Moment? = nil) { self.moment = moment }

    /// Waits until the sync stands there.
    func arrival() async {
        if !hasArrived { await withCheckedContinuation { watchers.append($0) } }
    }

    func letGo() {
        isReleased = true
        held?.resume()
        held = nil
    }

    func arrive(moment: PausingBackend.Moment) async {
        guard moment == self.moment else { return }
        self.moment = nil
        hasArrived = true
        for watcher in watchers { watcher.resume() }
        watchers = []
        if !isReleased { await withCheckedContinuation { held = $0 } }
    }
}
