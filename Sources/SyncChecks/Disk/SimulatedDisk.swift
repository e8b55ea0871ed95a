import SyncCore
public import SyncFileBackend

/// A disk in memory that forgets at a crash what a real one may forget: for stores, folders and servers under test.
///
/// ```swift
/// let disk = SimulatedDisk(seed: 1)
/// try disk.makeFolder("/device")
/// disk.crash(at: 12)                     // the 12th change from now does not happen, nor does anything after it
/// …
/// disk.restart(keeping: .syncedOnly)     // and now open everything again
/// ```
///
/// A file has two contents, what was written and what is on the medium; a folder's names have, too. Only syncing the file,
/// or the folder, makes one of the other. SQLite reaches the same files through a VFS of its own, with locks and shared
/// memory as between threads of one process. Everything that changes the disk is a numbered step; the same calls give the
/// same steps.
///
/// NB: SQLite draws the salts of its logs from one generator per process, so two runs have equal files but for these and
/// the checksums that follow from them.
public final class SimulatedDisk: FileSystem, @unchecked Sendable {
    let core: DiskCore
    /// Differs between the disks of a process.
    let identity: UInt64
    // Guarded by the core's lock. Old ones stay, for connections that were opened through them.
    private var systems: [DiskVFS] = []

    /// An empty disk.
    ///
    /// - Parameters:
    ///   - seed: Where SQLite's requests for random bytes are answered from.
    ///   - flaws: What the disk does wrong, for tests of tests.
    public init(seed: UInt64 = 1, flaws: Set<DiskFlaw> = []) {
        core = DiskCore(seed: seed, flaws: flaws)
        identity = DiskVFS.nextIdentity()
        systems = [DiskVFS(core: core, name: vfsName, generation: 0)]
    }

    deinit { systems.last?.unregister() }

    /// The name under which SQLite knows the disk.
    package var vfsName: String { "simulated-disk-\(identity)" }

    /// The changes so far, failed ones included: write, cut, sync, rename, remove, link, make, sync of a folder.
    public var steps: Int { core.locked { $0.steps } }

    /// Whether the machine is off: every operation fails until `restart`.
    public var isCrashed: Bool { core.locked { $0.isDead } }

    /// The change at which the machine went off last, in words; nil when none did.
    public var crashedIn: String? { core.locked { $0.crashedIn } }

    /// Lets the machine go off at the change number `step` from now, 1 being the next: it and every operation after it
    /// fail, reading included, until `restart`. Replaces an earlier order.
    public func crash(at step: Int) {
        core.locked { $0.crashStep = $0.steps + max(1, step) }
    }

    /// Lets the machine go off now.
    public func crash() {
        core.locked { core in
            core.isDead = true
            core.crashedIn = nil
        }
    }

    /// Brings the machine back with what survived. Locks are gone; connections from before fail in whatever they do, and
    /// may be closed. Orders to crash or fail are forgotten. Also ends a machine that did not crash.
    ///
    /// NB: only what SQLite opened knows that it is dead. Whoever uses the files of the disk, or opens further
    /// connections, is taken for the new process: let go of engines and stores from before.
    public func restart(keeping survival: Survival) {
        core.locked { core in
            var seed = Seed(survival.seed)
            core.root.settle(survival, seed: &seed)
            core.isDead = false
            core.generation += 1
            core.crashStep = nil
            core.failures = [:]
            core.leases = [:]
            systems.last?.unregister()
            systems.append(DiskVFS(core: core, name: vfsName, generation: core.generation))
        }
    }

    /// Lets the change number `step` from now fail, 1 being the next; those after it work again.
    public func fail(step: Int, with fault: DiskFault) {
        core.locked { $0.failures[$0.steps + max(1, step)] = fault }
    }

    /// Forgets orders to crash or fail that are not due yet.
    public func clearFaults() {
        core.locked { core in
            core.crashStep = nil
            core.failures = [:]
        }
    }

    /// The bytes that all files together may have; nil is no limit. What would go beyond fails with "no space".
    public var capacity: Int? {
        get { core.locked { $0.capacity } }
        set { core.locked { $0.capacity = newValue } }
    }

    /// Whether every change is refused with "read-only file system".
    public var isReadOnly: Bool {
        get { core.locked { $0.isReadOnly } }
        set { core.locked { $0.isReadOnly = newValue } }
    }

    /// The length of a file, or of all files in a folder and below; 0 where nothing stands.
    public func bytes(under path: String) -> Int {
        core.locked { core in
            // A path that leads through a file holds nothing either.
            guard let node = try? core.node(path: path) else { return 0 }
            return DiskCore.bytes(in: node)
        }
    }
}

/// What a restart finds of what was written and not synced.
public enum Survival: Sendable, Hashable {
    /// Nothing: a power cut right after the last sync.
    case syncedOnly
    /// Everything: the process was killed, the machine went on. Contents are as unsynced as before; names count as synced.
    case everything
    /// For each change by itself, as the seed says: all, nothing, or of a write beyond 512 bytes some sectors.
    case some(seed: UInt64)

    fileprivate var seed: UInt64 {
        guard case .some(let seed) = self else { return 0 }
        return seed
    }
}

/// Why a single change fails.
public enum DiskFault: Sendable, Hashable, CaseIterable {
    /// The medium (`EIO`).
    case inputOutput
    /// There is no space (`ENOSPC`).
    case noSpace
}

/// What a disk does wrong.
public enum DiskFlaw: Sendable, Hashable, CaseIterable {
    /// Syncing a file does nothing and reports success.
    case ignoresFileSync
    /// Syncing a folder does nothing and reports success.
    case ignoresFolderSync
}
