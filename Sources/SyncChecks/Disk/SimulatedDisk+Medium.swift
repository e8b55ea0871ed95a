import Foundation
package import SyncSQLite

/// The file operations of stores and servers beyond SQLite.
extension SimulatedDisk: DatabaseMedium {
    /// The entry at a path; nil if there is none.
    package func entry(path: String) throws(MediumError) -> MediumEntry? {
        try asking { core throws(DiskError) in
            switch try core.node(path: path) {
            case nil: nil
            case .folder: .folder
            case .file(let file):
                .file(
                    bytes: file.written.count,
                    // Files opened by a dead process are different from those of the present one.
                    device: 1 << 63 | identity << 24 | UInt64(core.generation),
                    number: file.number
                )
            }
        }
    }

    /// The first bytes of a file.
    package func beginning(of path: String, maxBytes: Int) throws(MediumError) -> [UInt8] {
        try asking { core throws(DiskError) in
            guard case .file(let file)? = try core.node(path: path) else { throw DiskError(ENOENT) }
            return Array(file.written.prefix(maxBytes))
        }
    }

    /// Creates missing folders, syncing each parent.
    package func makeFolders(_ path: String) throws(MediumError) {
        _ = try asking { core throws(DiskError) in try core.makeFolders(path) }
    }

    /// The names in a folder, sorted by bytes.
    package func names(in folder: String) throws(MediumError) -> [String] {
        try asking { core throws(DiskError) in try core.folder(path: folder).sorted.map(\.name) }
    }

    /// Creates an empty file if it is missing, without syncing it, and locks it.
    package func lock(_ path: String) throws(MediumError) -> (any MediumLock)? {
        try asking { core throws(DiskError) in
            let (folder, name) = try core.place(path: path)
            let file: DiskFile
            switch folder.names[name] {
            case .file(let found)?:
                if core.isReadOnly { throw DiskError(EROFS) }
                file = found
            case .folder?: throw DiskError(EISDIR)
            case nil: file = try core.create(name, in: folder)
            }
            if core.leases[file.number] != nil { return nil }
            let holder = core.nextNumber()
            core.leases[file.number] = holder
            return DiskLease(core: core, file: file.number, holder: holder)
        }
    }

    private func asking<Result>(
        body: (DiskCore) throws(DiskError) -> Result
    ) throws(MediumError) -> Result {
        do throws(DiskError) {
            return try core.locked { core throws(DiskError) in
                try core.checkAlive()
                return try body(core)
            }
        } catch { throw MediumError(number: error.number) }
    }
}

/// A lock that ends when its process dies.
private struct DiskLease: MediumLock {
    let core: DiskCore
    let file: UInt64
    let holder: UInt64

    func close() {
        core.locked { core in
            if core.leases[file] == holder { core.leases[file] = nil }
        }
    }
}
