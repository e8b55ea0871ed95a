import EntitySync
import Foundation
import SyncCore

/// One fault on the way of an operation on accounts.
final class AccountFault: Sendable {
    /// Where in a step the fault strikes.
    enum Place: CaseIterable, Sendable { case before, halfway, after }

    /// The process ended here, or the medium failed.
    struct Struck: Error {}

    private struct State {
        var step: Int?
        var place = Place.before
        var isLasting = true
        var count = 0
        var steps: [String] = []
        var hasStruck = false
    }

    private let state = Guarded(State())

    /// Strikes at the next steps' `step`-th (from 0). A lasting one fails all that comes after it, as when the process ends.
    func strike(at step: Int, place: Place, isLasting: Bool) {
        state.use { $0 = State(step: step, place: place, isLasting: isLasting) }
    }

    /// Strikes no more, if it has not yet.
    func disarm() { state.use { if !$0.hasStruck { $0.step = nil } } }

    var hasStruck: Bool { state.use { $0.hasStruck } }
    var steps: [String] { state.use { $0.steps } }

    /// Performs a step with the fault in it, if it is that one's turn.
    func perform<Result>(
        _ name: String,
        halfway: () throws -> Void = {},
        _ body: () throws -> Result
    ) throws -> Result {
        let place: Place? = try state.use { state in
            if state.hasStruck, state.isLasting { throw Struck() }
            guard let step = state.step, !state.hasStruck else { return nil }
            state.steps.append(name)
            defer { state.count += 1 }
            guard state.count == step else { return nil }
            state.hasStruck = true
            return state.place
        }
        switch place {
        case .before?: throw Struck()
        case .halfway?:
            try halfway()
            throw Struck()
        case .after?:
            _ = try body()
            throw Struck()
        case nil: return try body()
        }
    }
}

/// Account files in which each change of the disk is a step that a fault can strike.
struct FaultyAccountFiles: AccountStorage {
    let device: AccountDevice
    let fault: AccountFault

    private var base: AccountFiles { device.files }

    func readIndex() throws -> [UInt8]? { try base.readIndex() }
    func holdsStore(in folder: String) throws -> Bool { try base.holdsStore(in: folder) }
    func lock() throws -> any StoreLease { try base.lock() }

    func writeIndex(_ bytes: [UInt8]) throws {
        try fault.perform("index") { try base.writeIndex(bytes) }
    }

    func openStore(in folder: String) throws -> any AccountStore {
        // Halfway: the folder is there, and no store in it.
        try fault.perform("open", halfway: { try makeFolder(folder) }) {
            FaultyStore(base: try base.openStore(in: folder), fault: fault)
        }
    }

    func removeFolder(_ folder: String) throws {
        // Halfway: one file is gone, the others are not.
        let path = "\(device.root)/\(folder)/store.sqlite"
        try fault.perform("remove", halfway: { try? FileManager.default.removeItem(atPath: path) }) {
            try base.removeFolder(folder)
        }
    }

    private func makeFolder(_ folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(device.root)/\(folder)",
            withIntermediateDirectories: true
        )
    }
}

/// A store in which each commit is a step.
private struct FaultyStore: AccountStore {
    let base: any AccountStore
    let fault: AccountFault

    var entities: [EntityDescriptor] { base.entities }

    func write<Result>(_ durability: Durability, body: (any StoreTransaction) throws -> Result) throws
        -> Result
    {
        try fault.perform("commit", halfway: { try rollBack(durability, body: body) }) {
            try base.write(durability, body: body)
        }
    }

    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try base.read(body)
    }
    func lease() throws -> any StoreLease { try base.lease() }
    func close() { base.close() }

    func changes(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription {
        base.changes(notify)
    }

    /// All was done but the commit.
    private func rollBack<Result>(
        _ durability: Durability,
        body: (any StoreTransaction) throws -> Result
    ) throws {
        try base.write(durability) { transaction in
            _ = try body(transaction)
            throw AccountFault.Struck()
        }
    }
}

/// Account files whose folders cannot be removed for some time.
struct FailingRemovals: AccountStorage {
    let base: AccountFiles
    let fails = Guarded(false)

    func readIndex() throws -> [UInt8]? { try base.readIndex() }
    func writeIndex(_ bytes: [UInt8]) throws { try base.writeIndex(bytes) }
    func lock() throws -> any StoreLease { try base.lock() }
    func holdsStore(in folder: String) throws -> Bool { try base.holdsStore(in: folder) }
    func openStore(in folder: String) throws -> any AccountStore { try base.openStore(in: folder) }

    func removeFolder(_ folder: String) throws {
        if fails.use({ $0 }) { throw SyncError.storeFailed(detail: "removing is not possible") }
        try base.removeFolder(folder)
    }
}
