import SyncCore
import SyncFileBackend
public import SyncFiles

/// An in-memory disk that loses the same data in a crash as a real one may, for tests of stores, folders and
/// servers.
///
/// A file has a written and a synced content, and a folder has written and synced names. Only syncing the file
/// or the folder makes them equal. SQLite uses the same files through its own VFS, with locks and shared memory
/// between threads of a process. Every change is a numbered step, and the same calls give the same steps.
///
/// SQLite generates WAL salts from one generator per process. So files of two runs are equal except for
/// the salts and the checksums.
public final class SimulatedDisk: FileSystem, @unchecked Sendable {
    let core: DiskCore
    /// Unique among the disks of a process.
    let identity: UInt64
    // Guarded by the core's lock. Old ones are kept for the connections opened with them.
    private var systems: [DiskVFS] = []

    /// Makes an empty disk.
    ///
    /// - Parameters:
    ///   - seed: The seed of SQLite's random bytes.
    ///   - flaws: Deliberate defects of the disk, which tests must detect.
    public init(seed: UInt64 = 1, flaws: Set<DiskFlaw> = []) {
        core = DiskCore(seed: seed, flaws: flaws)
        identity = DiskVFS.nextIdentity()
        systems = [DiskVFS(core: core, name: vfsName, generation: 0)]
    }

    deinit { systems.last?.unregister() }

    /// The VFS name of the disk.
    package var vfsName: String { "simulated-disk-\(identity)" }

    /// The number of changes so far, including failed ones: write, truncate, sync, rename, remove, link,
    /// create, folder sync.
    public var steps: Int { core.locked { $0.steps } }

    /// Whether the machine is off. Then every operation fails until `restart`.
    public var isCrashed: Bool { core.locked { $0.isDead } }

    /// A description of the change during the last crash; nil if there was none.
    public var crashedIn: String? { core.locked { $0.crashedIn } }

    /// Schedules a crash at change number `step` from now; 1 is the next. That change and every later
    /// operation fail, including reads, until `restart`. Replaces an earlier schedule.
    public func crash(at step: Int) {
        core.locked { $0.crashStep = $0.steps + max(1, step) }
    }

    /// Crashes the machine now.
    public func crash() {
        core.locked { core in
            core.isDead = true
            core.crashedIn = nil
        }
    }

    /// Restarts the machine with the surviving data. Locks are released, and old connections fail in every
    /// operation but may be closed. Scheduled faults are discarded. The machine need not have crashed before.
    ///
    /// NB: only files opened by SQLite know that they are dead. All other users of the disk count as the new
    /// process, so release old engines and stores.
    public func restart(keeping survival: Survival) {
        core.locked { core in
            var seed = Seed(survival.seed)
            core.root.crash(keeping: survival, seed: &seed)
            core.isDead = false
            core.generation += 1
            core.crashStep = nil
            core.failures = [:]
            core.leases = [:]
            systems.last?.unregister()
            systems.append(DiskVFS(core: core, name: vfsName, generation: core.generation))
        }
    }

    /// Schedules a failure of change number `step` from now; 1 is the next. Later changes work again.
    public func fail(step: Int, with fault: DiskFault) {
        core.locked { $0.failures[$0.steps + max(1, step)] = fault }
    }

    /// Discards scheduled faults.
    public func clearFaults() {
        core.locked { core in
            core.crashStep = nil
            core.failures = [:]
        }
    }

    /// The total size limit of all files in bytes; nil for none. Writes beyond it fail with "no space".
    public var capacity: Int? {
        get { core.locked { $0.capacity } }
        set { core.locked { $0.capacity = newValue } }
    }

    /// Whether every change fails with "read-only file system".
    public var isReadOnly: Bool {
        get { core.locked { $0.isReadOnly } }
        set { core.locked { $0.isReadOnly = newValue } }
    }

    /// The size of a file, or of all files in a folder and below; 0 for a missing path.
    public func bytes(under path: String) -> Int {
        core.locked { core in
            // A path below a file is a missing path.
            guard let node = try? core.node(path: path) else { return 0 }
            return DiskCore.bytes(in: node)
        }
    }
}

/// The unsynced data that survives a crash.
public enum Survival: Sendable, Hashable {
    /// None: a power loss right after the last sync.
    case syncedOnly
    /// Everything: the process was killed, but the machine kept running. Contents remain unsynced; names
    /// count as synced.
    case everything
    /// A random part, decided by the seed for each change: all, nothing, or some sectors of a write over 512
    /// bytes.
    case some(seed: UInt64)

    fileprivate var seed: UInt64 {
        guard case .some(let seed) = self else { return 0 }
        return seed
    }
}

/// The error of a failed change.
public enum DiskFault: Sendable, Hashable, CaseIterable {
    /// An I/O error (`EIO`).
    case inputOutput
    /// No space (`ENOSPC`).
    case noSpace
}

/// A deliberate defect of a disk.
public enum DiskFlaw: Sendable, Hashable, CaseIterable {
    /// Syncing a file reports success but does nothing.
    case ignoresFileSync
    /// Syncing a folder reports success but does nothing.
    case ignoresFolderSync
}
