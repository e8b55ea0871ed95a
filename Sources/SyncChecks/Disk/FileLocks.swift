import CSQLite

/// The locks and the shared memory of one process's connections to a file. Guarded by the disk's lock, except
/// for the bytes in the memory, which SQLite guards with these locks.
final class FileLocks {
    /// Connections at SHARED or above.
    private var sharing = 0
    /// The only connection above SHARED.
    private var writer: ObjectIdentifier?
    private var writerLevel = SQLITE_LOCK_NONE
    /// The shared memory of the WAL index, while it is in use.
    private(set) var memory: SharedMemory?

    /// Whether a connection wants to write.
    var isReserved: Bool { writer != nil }

    /// Raises a connection's lock, or returns that it must wait. A waiting connection may hold PENDING, which
    /// blocks new readers.
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

    /// Returns the shared memory for one more connection.
    func attach() -> SharedMemory {
        let shared = memory ?? SharedMemory()
        memory = shared
        shared.users += 1
        return shared
    }

    /// Detaches a connection. The memory is freed with the last one.
    func detach(_ shared: SharedMemory) {
        shared.users -= 1
        if shared.users == 0, memory === shared { memory = nil }
    }
}

/// The WAL index: zeroed memory regions at fixed addresses, and eight locks.
final class SharedMemory {
    /// The locks held by one connection.
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

    /// The address of a region; nil if it is missing and must not be created.
    func region(index: Int, bytes: Int, makes: Bool) -> UnsafeMutableRawPointer? {
        while makes, regions.count <= index {
            let region = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 4096)
            region.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
            regions.append(region)
        }
        return index < regions.count ? regions[index] : nil
    }

    /// Takes a shared lock.
    func share(lock: Int, held: inout Held) -> Int32 {
        let bit = UInt16(1) << UInt16(lock)
        if held.shared & bit != 0 { return SQLITE_OK }
        if exclusive & bit != 0 { return SQLITE_BUSY }
        readers[lock] += 1
        held.shared |= bit
        return SQLITE_OK
    }

    /// Takes a range of exclusive locks: all or none.
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

    /// Releases locks.
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
