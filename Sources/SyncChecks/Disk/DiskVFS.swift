import CSQLite
import Foundation

/// The SQLite VFS of a simulated disk between two restarts.
final class DiskVFS {
    let core: DiskCore
    private let generation: Int
    private let name: UnsafeMutablePointer<CChar>
    private let methods: UnsafeMutablePointer<sqlite3_vfs>
    /// The error number of the last failure. Guarded by the disk's lock.
    private var lastError: Int32 = 0
    private var isRegistered = true

    /// Registers the VFS under a unique name.
    init(core: DiskCore, name text: String, generation: Int) {
        self.core = core
        self.generation = generation
        let bytes = text.utf8CString
        name = .allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { (name + index).initialize(to: byte) }
        methods = .allocate(capacity: 1)
        methods.initialize(to: Self.table())
        methods.pointee.zName = UnsafePointer(name)
        methods.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        // This fails only if SQLite cannot be initialised; then no file opens.
        sqlite3_vfs_register(methods, 0)
    }

    deinit {
        unregister()
        methods.deallocate()
        name.deallocate()
    }

    /// Unregisters the VFS. Open files continue to work. Idempotent.
    func unregister() {
        if isRegistered { sqlite3_vfs_unregister(methods) }
        isRegistered = false
    }

    /// Runs `body` while the machine is on and was not restarted. Returns `code` on failure, or `full` if
    /// there is no space.
    func perform(
        _ code: Int32,
        full: Int32? = nil,
        _ body: (DiskCore) throws(DiskError) -> Int32
    ) -> Int32 {
        core.locked { core in
            do throws(DiskError) {
                try core.checkAlive(generation)
                return try body(core)
            } catch {
                lastError = error.number
                return error.number == ENOSPC ? full ?? code : code
            }
        }
    }

    var systemError: Int32 { core.locked { _ in lastError } }

    /// Opens a file like SQLite's own VFS, and returns it in `opened`.
    func open(path: String?, flags: Int32, opened: inout OpenFile?, outFlags: inout Int32) -> Int32 {
        outFlags = flags
        return perform(SQLITE_CANTOPEN) { core throws(DiskError) in
            guard let path else {
                let scratch = DiskFile(number: core.nextNumber(), name: "scratch")
                opened = OpenFile(system: self, file: scratch, isScratch: true)
                return SQLITE_OK
            }
            let (folder, name) = try core.place(path: path)
            switch folder.names[name] {
            case .folder?: throw DiskError(EISDIR)
            case .file(let file)?:
                if flags & SQLITE_OPEN_EXCLUSIVE != 0 { throw DiskError(EEXIST) }
                let isReadOnly = flags & SQLITE_OPEN_READWRITE == 0 || core.isReadOnly
                if isReadOnly {
                    outFlags = flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_READONLY
                }
                opened = OpenFile(system: self, file: file, isReadOnly: isReadOnly)
            case nil:
                guard flags & SQLITE_OPEN_CREATE != 0 else { throw DiskError(ENOENT) }
                let file = try core.create(name, in: folder)
                let journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL
                opened = OpenFile(
                    system: self,
                    file: file,
                    unsyncedFolder: flags & journals != 0 ? folder : nil
                )
            }
            return SQLITE_OK
        }
    }

    func delete(_ path: String, syncsFolder: Bool) -> Int32 {
        perform(InputOutput.delete.code) { core throws(DiskError) in
            let (folder, name) = try core.place(path: path)
            guard case .file? = folder.names[name] else { return InputOutput.deleteMissing.code }
            try core.remove(name, in: folder)
            if syncsFolder { try core.sync(folder) }
            return SQLITE_OK
        }
    }

    func access(path: String, flags: Int32, answer: inout Int32) -> Int32 {
        answer = 0
        return perform(InputOutput.access.code) { core throws(DiskError) in
            switch try core.node(path: path) {
            case nil: break
            case .folder: answer = 1
            // NB: an empty file counts as missing, as in SQLite's own VFS.
            case .file(let file):
                if flags == SQLITE_ACCESS_EXISTS {
                    answer = file.written.isEmpty ? 0 : 1
                } else {
                    answer = flags == SQLITE_ACCESS_READWRITE && core.isReadOnly ? 0 : 1
                }
            }
            return SQLITE_OK
        }
    }

    func random(into buffer: UnsafeMutableRawBufferPointer) {
        core.locked { core in
            for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: core.seed.next()) }
        }
    }

    /// A unique number per disk in this process, larger than the system's device numbers.
    static func nextIdentity() -> UInt64 {
        identities.withLock { $0.next() }
    }

    private static let identities = Identities()

    private final class Identities: @unchecked Sendable {
        // Guarded by `lock`.
        private var last: UInt64 = 0
        private let lock = NSLock()

        func withLock<Result>(body: (Identities) -> Result) -> Result { lock.withLock { body(self) } }

        func next() -> UInt64 {
            last += 1
            return last
        }
    }
}
