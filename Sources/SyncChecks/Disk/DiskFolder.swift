/// An entry of a folder.
enum DiskNode {
    case file(DiskFile)
    case folder(DiskFolder)

    /// Identifies the node.
    var number: UInt64 {
        switch self {
        case .file(let file): file.number
        case .folder(let folder): folder.number
        }
    }
}

/// A simulated folder: its names as programs see them, and as a power loss would leave them. Guarded by the
/// disk's lock.
final class DiskFolder {
    /// Identifies the folder, like an inode number.
    let number: UInt64
    /// The names that programs see.
    private(set) var names: [String: DiskNode]
    /// The synced names.
    private var synced: [String: DiskNode]
    /// Changes since the last sync, in order.
    private var pending: [Change] = []

    fileprivate enum Change {
        case set(String, DiskNode)
        case clear(String)
        case move(String, to: String, DiskNode)
    }

    init(number: UInt64, names: [String: DiskNode] = [:]) {
        self.number = number
        self.names = names
        synced = names
    }

    /// The names sorted by bytes, so that equal disks are traversed in the same order.
    var sorted: [(name: String, node: DiskNode)] {
        names.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }

    /// Assigns a name to a node, replacing the present one.
    func set(_ name: String, node: DiskNode) { change(.set(name, node)) }

    /// Takes a name away.
    func clear(_ name: String) { change(.clear(name)) }

    /// Renames a node atomically.
    func move(_ name: String, to other: String) {
        guard let node = names[name] else { return }
        change(.move(name, to: other, node))
    }

    /// Places a synced node directly, without a program's steps.
    func place(_ name: String, node: DiskNode?) {
        names[name] = node
        synced[name] = node
        pending.removeAll { $0.touches(name: name) }
    }

    /// Syncs all names to the medium.
    func sync() {
        synced = names
        pending = []
    }

    /// Reduces the names to those that survive a crash, here and below.
    func crash(keeping survival: Survival, seed: inout Seed) {
        switch survival {
        // NB: names count as synced in this case. A new process cannot know that a name was never synced,
        // SQLite does not check either, and journaling file systems sync names within seconds.
        case .everything: sync()
        case .syncedOnly: break
        case .some: for change in pending where seed.next() % 2 == 0 { change.apply(to: &synced) }
        }
        pending = []
        names = synced
        for (_, node) in sorted {
            switch node {
            case .file(let file): file.crash(keeping: survival, seed: &seed)
            case .folder(let folder): folder.crash(keeping: survival, seed: &seed)
            }
        }
    }

    private func change(_ change: Change) {
        change.apply(to: &names)
        pending.append(change)
    }
}

extension DiskFolder.Change {
    fileprivate func apply(to names: inout [String: DiskNode]) {
        switch self {
        case .set(let name, let node): names[name] = node
        case .clear(let name): names[name] = nil
        case .move(let name, let other, let node):
            if names[name]?.number == node.number { names[name] = nil }
            names[other] = node
        }
    }

    fileprivate func touches(name: String) -> Bool {
        switch self {
        case .set(let changed, _), .clear(let changed): changed == name
        case .move(let from, let to, _): from == name || to == name
        }
    }
}
