import CSQLite

/// The locks that the connections of one process hold on one file, and the memory that they share. Guarded by the disk's
/// lock, but for the bytes in the memory, which SQLite guards by the locks on it.
final class FileLocks {
    /// Connections at SHARED or above.
    private var sharing = 0
    /// The one connection above SHARED.
    private var writer: ObjectIdentifier?
    private var writerLevel = SQLITE_LOCK_NONE
    /// The memory of the write-ahead log's index, while somebody uses it.
    private(set) var memory: SharedMemory?

    /// Whether anybody wants to write.
    var isReserved: Bool { writer != nil }

    /// Raises a connection's lock, or tells that it has to wait; then it may hold PENDING, which lets no new reader in.
    func raise(_ file: OpenFile, to level: Int32) -> Int32 {
        if file.level >= level { return SQLITE_OK }
        let me = ObjectIdentifier(file)
        let isFree = writer == nil || writer == me
        if level == SQLITE_LOCK_SHARED {
            guard isFree || writerLevel < SQLITE_LOCK_PENDING else { return SQLITE_BUSY }
            sharing += 1
            file.level = level
            return SQLITE_OK
        }
        guard isFree else { return SQLITE_BUSY }
        writer = me
        file.level = level == SQLITE_LOCK_EXCLUSIVE && sharing > 1 ? SQLITE_LOCK_PENDING : level
        writerLevel = file.level
        return file.level == level ? SQLITE_OK : SQLITE_BUSY
    }

    /// Lowers a connection's lock to SHARED or NONE.
    func lower(_ file: OpenFile, to level: Int32) {
        if file.level <= level { return }
        if writer == ObjectIdentifier(file) {
            writer = nil
            writerLevel = SQLITE_LOCK_NONE
        }
        if level == SQLITE_LOCK_NONE { sharing -= 1 }
        file.level = level
    }

    /// The memory for one more connection.
    func attach() -> SharedMemory {
        let shared = memory ?? SharedMemory()
        memory = shared
        shared.users += 1
        return shared
    }

    /// Takes a connection off the memory, which goes with the last one.
    func detach(_ shared: SharedMemory) {
        shared.users -= 1
        if shared.users == 0, memory === shared { memory = nil }
    }
}

/// The index of a write-ahead log: regions of zeroed memory at fixed addresses, and eight locks.
final class SharedMemory {
    /// What one connection holds.
    struct Held {
        var shared: UInt16 = 0
        var exclusive: UInt16 = 0
    }

    static let lockCount = 8
    var users = 0
    private var regions: [UnsafeMutableRawPointer] = []
    private var readers = [Int](repeating: 0, count: lockCount)
    private var exclusive: UInt16 = 0

    deinit { for region in regions { region.deallocate() } }

    /// The address of a region; nil where there is none and none is to be made.
    func region(index: Int, bytes: Int, makes: Bool) -> UnsafeMutableRawPointer? {
        while makes, regions.count <= index {
            let region = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 4096)
            region.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
            regions.append(region)
        }
        return index < regions.count ? regions[index] : nil
    }

    /// Takes one lock for reading.
    func share(lock: Int, held: inout Held) -> Int32 {
        let bit = UInt16(1) << UInt16(lock)
        if held.shared & bit != 0 { return SQLITE_OK }
        if exclusive & bit != 0 { return SQLITE_BUSY }
        readers[lock] += 1
        held.shared |= bit
        return SQLITE_OK
    }

    /// Takes some locks for writing: all or none.
    func exclude(_ locks: Range<Int>, held: inout Held) -> Int32 {
        let mask = Self.mask(locks: locks)
        if exclusive & mask & ~held.exclusive != 0 { return SQLITE_BUSY }
        for lock in locks {
            let own = held.shared & (UInt16(1) << UInt16(lock)) != 0 ? 1 : 0
            if readers[lock] > own { return SQLITE_BUSY }
        }
        exclusive |= mask
        held.exclusive |= mask
        return SQLITE_OK
    }

    /// Gives locks back.
    func release(_ locks: Range<Int>, held: inout Held) {
        for lock in locks where held.shared & (UInt16(1) << UInt16(lock)) != 0 { readers[lock] -= 1 }
        let mask = Self.mask(locks: locks)
        exclusive &= ~(held.exclusive & mask)
        held.shared &= ~mask
        held.exclusive &= ~mask
    }

    private static func mask(locks: Range<Int>) -> UInt16 {
        locks.reduce(0) { $0 | (UInt16(1) << UInt16($1)) }
    }
}
