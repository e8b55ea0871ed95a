import CSQLite
import Foundation

/// An open file of SQLite. After a restart of the machine everything but closing fails.
final class OpenFile {
    /// SQLite's lock level. This and the following properties are guarded by the disk's lock.
    var level = SQLITE_LOCK_NONE
    private let system: DiskVFS
    private let file: DiskFile
    private let locks: FileLocks
    private let isReadOnly: Bool
    /// Whether this is a temporary file of SQLite, which never reaches the medium.
    private let isScratch: Bool
    /// The folder to sync with the first sync, because the file was created in it.
    private var unsyncedFolder: DiskFolder?
    private var memory: SharedMemory?
    private var held = SharedMemory.Held()

    init(
        system: DiskVFS,
        file: DiskFile,
        isReadOnly: Bool = false,
        isScratch: Bool = false,
        unsyncedFolder: DiskFolder? = nil
    ) {
        self.system = system
        self.file = file
        self.isReadOnly = isReadOnly
        self.isScratch = isScratch
        self.unsyncedFolder = unsyncedFolder
        locks = file.locks
    }

    func close() {
        system.core.locked { _ in
            detachMemory()
            locks.lower(self, to: SQLITE_LOCK_NONE)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
        perform(.read) { _ throws(DiskError) in
            let count = max(0, min(buffer.count, file.written.count - offset))
            if count > 0 {
                file.written.withUnsafeBytes {
                    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)]))
                }
            }
            if count == buffer.count { return SQLITE_OK }
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).initializeMemory(
                as: UInt8.self,
                repeating: 0
            )
            return InputOutput.shortRead.code
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        perform(.write, full: SQLITE_FULL) { core throws(DiskError) in
            if isReadOnly { throw DiskError(EBADF) }
            if isScratch {
                file.write(bytes, at: offset)
            } else {
                try core.write(bytes, to: file, at: offset)
            }
            return SQLITE_OK
        }
    }

    func truncate(to length: Int) -> Int32 {
        perform(.truncate) { core throws(DiskError) in
            if isScratch { file.truncate(to: length) } else { try core.truncate(file, to: length) }
            return SQLITE_OK
        }
    }

    func sync() -> Int32 {
        perform(.fsync) { core throws(DiskError) in
            if isScratch { return SQLITE_OK }
            try core.sync(file)
            guard let folder = unsyncedFolder else { return SQLITE_OK }
            try core.sync(folder)
            unsyncedFolder = nil
            return SQLITE_OK
        }
    }

    func size(size: UnsafeMutablePointer<sqlite3_int64>) -> Int32 {
        perform(.fstat) { _ throws(DiskError) in
            size.pointee = sqlite3_int64(file.written.count)
            return SQLITE_OK
        }
    }

    func lock(_ level: Int32) -> Int32 {
        perform(.lock) { _ throws(DiskError) in locks.raise(self, to: level) }
    }

    func unlock(_ level: Int32) -> Int32 {
        system.core.locked { _ in locks.lower(self, to: level) }
        return SQLITE_OK
    }

    func isReserved(_ answer: UnsafeMutablePointer<Int32>) -> Int32 {
        perform(.checkReservedLock) { _ throws(DiskError) in
            answer.pointee = locks.isReserved ? 1 : 0
            return SQLITE_OK
        }
    }

    func map(
        region: Int,
        bytes: Int,
        makes: Bool,
        address: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> Int32 {
        address.pointee = nil
        return perform(.sharedMap) { core throws(DiskError) in
            // A real disk could not create the file of the shared memory.
            if core.isReadOnly, locks.memory == nil { return SQLITE_CANTOPEN }
            let memory = memory ?? locks.attach()
            self.memory = memory
            address.pointee = memory.region(index: region, bytes: bytes, makes: makes)
            return SQLITE_OK
        }
    }

    func lockMemory(_ range: Range<Int>, flags: Int32) -> Int32 {
        if flags & SQLITE_SHM_UNLOCK != 0 {
            system.core.locked { _ in memory?.release(range, held: &held) }
            return SQLITE_OK
        }
        return perform(.sharedLock) { _ throws(DiskError) in
            guard let memory else { throw DiskError(EINVAL) }
            if flags & SQLITE_SHM_SHARED != 0 { return memory.share(lock: range.lowerBound, held: &held) }
            return memory.exclude(range, held: &held)
        }
    }

    /// NB: taking the lock orders memory accesses between threads, as in SQLite's own VFS.
    func barrier() { system.core.locked { _ in } }

    func unmap() -> Int32 {
        system.core.locked { _ in detachMemory() }
        return SQLITE_OK
    }

    private func detachMemory() {
        guard let memory else { return }
        memory.release(0..<SharedMemory.lockCount, held: &held)
        locks.detach(memory)
        self.memory = nil
    }

    private func perform(
        _ operation: InputOutput,
        full: Int32? = nil,
        _ body: (DiskCore) throws(DiskError) -> Int32
    ) -> Int32 {
        system.perform(operation.code, full: full, body)
    }
}

/// SQLite's extended I/O error codes, macros that Swift does not import.
enum InputOutput: Int32 {
    case read = 1
    case shortRead = 2
    case write = 3
    case fsync = 4
    case folderSync = 5
    case truncate = 6
    case fstat = 7
    case delete = 10
    case access = 13
    case checkReservedLock = 14
    case lock = 15
    case sharedLock = 20
    case sharedMap = 21
    case deleteMissing = 23

    var code: Int32 { SQLITE_IOERR | rawValue << 8 }
}
