import CSQLite
import Foundation

extension DiskVFS {
    /// The VFS functions that SQLite calls, without name and context.
    ///
    /// SQLite passes pointers that are valid during the call.
    static func table() -> sqlite3_vfs {
        var table = sqlite3_vfs()
        table.iVersion = 2
        table.szOsFile = Int32(OpenFile.slot + MemoryLayout<UnsafeMutableRawPointer>.size)
        table.mxPathname = 1024
        table.xOpen = { system, name, file, flags, outFlags in
            guard let system = DiskVFS.of(system: system), let file else { return SQLITE_MISUSE }
            // Nil tells SQLite not to close a file that was not opened.
            file.pointee.pMethods = nil
            var opened: OpenFile?
            var resulting: Int32 = 0
            let path = name.map { String(cString: $0) }
            let code = system.open(path: path, flags: flags, opened: &opened, outFlags: &resulting)
            outFlags?.pointee = resulting
            guard code == SQLITE_OK, let opened else { return code }
            opened.store(in: file)
            return SQLITE_OK
        }
        table.xDelete = { system, name, syncsFolder in
            guard let system = DiskVFS.of(system: system), let name else { return SQLITE_MISUSE }
            return system.delete(String(cString: name), syncsFolder: syncsFolder != 0)
        }
        table.xAccess = { system, name, flags, answer in
            guard let system = DiskVFS.of(system: system), let name, let answer else { return SQLITE_MISUSE }
            return system.access(path: String(cString: name), flags: flags, answer: &answer.pointee)
        }
        table.xFullPathname = { _, name, capacity, path in
            guard let name, let path, strlen(name) < Int(capacity) else { return SQLITE_CANTOPEN }
            strcpy(path, name)
            return SQLITE_OK
        }
        table.xRandomness = { system, count, bytes in
            guard let system = DiskVFS.of(system: system), let bytes else { return 0 }
            system.random(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
            return count
        }
        // NB: this does not sleep, so a busy timeout ends after its number of attempts. Other threads get a
        // chance to run.
        table.xSleep = { _, microseconds in
            sched_yield()
            return microseconds
        }
        // Both return noon of 2026-01-01, in days and in milliseconds of the Julian calendar.
        table.xCurrentTime = { _, days in
            days?.pointee = 2_461_042
            return SQLITE_OK
        }
        table.xCurrentTimeInt64 = { _, milliseconds in
            milliseconds?.pointee = 2_461_042 * 86_400_000
            return SQLITE_OK
        }
        table.xGetLastError = { system, _, _ in DiskVFS.of(system: system)?.systemError ?? 0 }
        return table
    }

    private static func of(system: UnsafeMutablePointer<sqlite3_vfs>?) -> DiskVFS? {
        system?.pointee.pAppData.map { Unmanaged<DiskVFS>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension OpenFile {
    /// The offset of this object's pointer in SQLite's file structure.
    fileprivate static let slot = MemoryLayout<sqlite3_file>.stride

    /// Retains itself for SQLite, which releases it in `xClose`.
    fileprivate func store(in file: UnsafeMutablePointer<sqlite3_file>) {
        let pointer = Unmanaged.passRetained(self).toOpaque()
        UnsafeMutableRawPointer(file).storeBytes(
            of: pointer,
            toByteOffset: Self.slot,
            as: UnsafeMutableRawPointer.self
        )
        file.pointee.pMethods = UnsafePointer(Self.methods)
    }

    private static func unmanaged(file: UnsafeMutablePointer<sqlite3_file>) -> Unmanaged<OpenFile> {
        .fromOpaque(UnsafeRawPointer(file).load(fromByteOffset: slot, as: UnsafeMutableRawPointer.self))
    }

    private static func of(file: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile? {
        file.map { unmanaged(file: $0).takeUnretainedValue() }
    }

    // Written once, then only read by SQLite.
    nonisolated(unsafe) private static let methods = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        var table = sqlite3_io_methods()
        table.iVersion = 2
        addFile(&table)
        addLocks(&table)
        addSharedMemory(&table)
        methods.initialize(to: table)
        return methods
    }()

    private static func addFile(_ table: inout sqlite3_io_methods) {
        table.xClose = { file in
            guard let file else { return SQLITE_MISUSE }
            OpenFile.unmanaged(file: file).takeRetainedValue().close()
            file.pointee.pMethods = nil
            return SQLITE_OK
        }
        table.xRead = { file, buffer, count, offset in
            guard let file = OpenFile.of(file: file), let buffer else { return SQLITE_MISUSE }
            return file.read(
                into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)),
                at: Int(offset)
            )
        }
        table.xWrite = { file, bytes, count, offset in
            guard let file = OpenFile.of(file: file), let bytes else { return SQLITE_MISUSE }
            return file.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: Int(offset))
        }
        table.xTruncate = { file, length in
            OpenFile.of(file: file)?.truncate(to: Int(length)) ?? SQLITE_MISUSE
        }
        table.xSync = { file, _ in OpenFile.of(file: file)?.sync() ?? SQLITE_MISUSE }
        table.xFileSize = { file, size in
            guard let file = OpenFile.of(file: file), let size else { return SQLITE_MISUSE }
            return file.size(size: size)
        }
        table.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        // The value of SQLite's own VFS for an unknown file system.
        table.xSectorSize = { _ in 4096 }
        // On this disk a write never damages adjacent bytes. Atomic writes are not promised.
        table.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    }

    private static func addLocks(_ table: inout sqlite3_io_methods) {
        table.xLock = { file, level in OpenFile.of(file: file)?.lock(level) ?? SQLITE_MISUSE }
        table.xUnlock = { file, level in OpenFile.of(file: file)?.unlock(level) ?? SQLITE_MISUSE }
        table.xCheckReservedLock = { file, answer in
            guard let file = OpenFile.of(file: file), let answer else { return SQLITE_MISUSE }
            return file.isReserved(answer)
        }
    }

    private static func addSharedMemory(_ table: inout sqlite3_io_methods) {
        table.xShmMap = { file, region, bytes, makes, address in
            guard let file = OpenFile.of(file: file), let address else { return SQLITE_MISUSE }
            // The pointer is imported as volatile, which Swift does not have.
            let plain = UnsafeMutableRawPointer(address).assumingMemoryBound(
                to: UnsafeMutableRawPointer?.self
            )
            return file.map(region: Int(region), bytes: Int(bytes), makes: makes != 0, address: plain)
        }
        table.xShmLock = { file, first, count, flags in
            OpenFile.of(file: file)?.lockMemory(Int(first)..<Int(first + count), flags: flags)
                ?? SQLITE_MISUSE
        }
        table.xShmBarrier = { file in OpenFile.of(file: file)?.barrier() }
        table.xShmUnmap = { file, _ in OpenFile.of(file: file)?.unmap() ?? SQLITE_MISUSE }
    }
}
