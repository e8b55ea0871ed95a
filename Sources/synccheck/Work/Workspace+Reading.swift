import EntitySync
import Foundation
import SyncStore

/// Stores that a command only looks at, and does not change: neither for newer schemas, with which an app that has the
/// former ones could no longer open the store, nor where nothing may be written.
extension Workspace {
    /// Runs `body` on an existing store that is only looked at. Throws `invalidInput` if there is none.
    func reading<Result>(body: (SQLiteStore) throws -> Result) throws -> Result {
        if let store = try openInPlace() {
            defer { store.close() }
            return try body(store)
        }
        let copy = try copied()
        defer { copy.removeCopy() }
        let store = try copy.open()
        defer { store.close() }
        return try body(store)
    }

    /// The same workspace, or one that opens a copy of the store, if the store would have to change. Call `removeCopy` at
    /// the end. Throws `invalidInput` if there is no store.
    func unchanged() throws -> Workspace {
        guard let store = try openInPlace() else { return try copied() }
        store.close()
        return self
    }

    /// Opens the store where it is; nil if it would have to change, or cannot.
    private func openInPlace() throws -> SQLiteStore? {
        try requireStore()
        if access(storePath, R_OK) != 0 { throw SyncError.cannotRead(path: storePath, number: errno) }
        return mayWriteStore ? try openUnchanged() : nil
    }

    private func copied() throws -> Workspace {
        let isWritable = mayWriteStore
        var copy = self
        let path = inTemporaryFolder.storePath
        copy.copyPath = path
        do { try makeCopy(path, isWritable: isWritable) } catch {
            copy.removeCopy()
            throw error
        }
        let why = isWritable ? "The store was written with other schemas" : "The store cannot be written"
        StandardStreams.write("note: \(why). This looks at a copy; the store stays as it is.\n", to: .error)
        return copy
    }

    /// Opens an existing store; nil if it would have to change.
    func openUnchanged() throws -> SQLiteStore? {
        guard try storeExists else { return nil }
        return try SQLiteStore.openUnchanged(path: storePath, entities: entities, random: random)
    }

    /// Removes the copy, if there is one.
    func removeCopy() {
        guard let copyPath else { return }
        try? FileManager.default.removeItem(atPath: (copyPath as NSString).deletingLastPathComponent)
    }

    private var mayWriteStore: Bool {
        FileManager.default.isWritableFile(atPath: storeFolder)
            && FileManager.default.isWritableFile(atPath: storePath) && hasSpace(folder: storeFolder)
    }

    /// Whether SQLite can make the files that it reads a store with. On a full disk it cannot.
    private func hasSpace(folder: String) -> Bool {
        var space = statvfs()
        guard statvfs(folder, &space) == 0 else { return true }
        return Self.isEnough(blocks: UInt64(space.f_bavail), ofBytes: UInt64(space.f_frsize))
    }

    /// Whether free blocks are enough for SQLite's files. Some file systems that know no bound report huge numbers.
    static func isEnough(blocks: UInt64, ofBytes size: UInt64) -> Bool {
        let bytes = blocks.multipliedReportingOverflow(by: size)
        return bytes.overflow || bytes.partialValue >= 128 * 1024
    }

    private func makeCopy(_ copy: String, isWritable: Bool) throws {
        let files = FileManager.default
        do {
            try files.createDirectory(
                atPath: (copy as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            if isWritable { return try SQLiteStore.copy(path: storePath, to: copy) }
            if copyWithFilesOfOthers(to: copy) { return }
            // SQLite reads no log where it can make no files of its own. NB: nobody is kept from writing meanwhile.
            // If somebody does, the copy may be torn.
            for suffix in ["", "-wal"] where files.fileExists(atPath: storePath + suffix) {
                try files.copyItem(atPath: storePath + suffix, toPath: copy + suffix)
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy + suffix)
            }
        } catch let error as SyncError {
            throw error
        } catch {
            throw SyncError.cannotCopy(path: storePath, error: error)
        }
    }

    /// Copies a store that another process has open, in one state: SQLite needs no file of its own then. False if that
    /// is not so, or the store may not be written.
    private func copyWithFilesOfOthers(to copy: String) -> Bool {
        guard FileManager.default.fileExists(atPath: storePath + "-shm") else { return false }
        do {
            try SQLiteStore.copy(path: storePath, to: copy)
            return true
        } catch {
            for suffix in ["", "-journal", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: copy + suffix)
            }
            return false
        }
    }
}
