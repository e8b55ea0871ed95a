/// What a name of a folder leads to.
enum DiskNode {
    case file(DiskFile)
    case folder(DiskFolder)

    /// What tells nodes apart.
    var number: UInt64 {
        switch self {
        case .file(let file): file.number
        case .folder(let folder): folder.number
        }
    }
}

/// A folder of the disk: the names that programs see, and those that a power cut would leave. Guarded by the disk's lock.
final class DiskFolder {
    /// Tells folders apart, as an inode number does.
    let number: UInt64
    /// What programs see.
    private(set) var names: [String: DiskNode]
    /// What is on the medium.
    private var synced: [String: DiskNode]
    /// What was changed since the last sync, in order.
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

    /// The names as bytes order them, so that equal disks are walked equally.
    var sorted: [(name: String, node: DiskNode)] {
        names.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }

    /// Gives a node a name, in the place of what has it.
    func set(_ name: String, node: DiskNode) { change(.set(name, node)) }

    /// Takes a name away.
    func clear(_ name: String) { change(.clear(name)) }

    /// Gives a node another name, in one piece.
    func move(_ name: String, to other: String) {
        guard let node = names[name] else { return }
        change(.move(name, to: other, node))
    }

    /// Puts a node there as if it had always been there: by hand, not by a program.
    func place(_ name: String, node: DiskNode?) {
        names[name] = node
        synced[name] = node
        pending.removeAll { $0.touches(name: name) }
    }

    /// Waits until every name is on the medium.
    func sync() {
        synced = names
        pending = []
    }

    /// Leaves what the end of the machine leaves, here and below.
    func settle(_ survival: Survival, seed: inout Seed) {
        switch survival {
        // NB: names count as being on the medium then. A new process cannot know that a name which it finds was never
        // synced, SQLite does not ask either, and journaling file systems write names within seconds.
        case .everything: sync()
        case .syncedOnly: break
        case .some: for change in pending where seed.next() % 2 == 0 { change.apply(to: &synced) }
        }
        pending = []
        names = synced
        for (_, node) in sorted {
            switch node {
            case .file(let file): file.settle(survival, seed: &seed)
            case .folder(let folder): folder.settle(survival, seed: &seed)
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
