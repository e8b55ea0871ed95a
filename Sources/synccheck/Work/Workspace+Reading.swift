import EntitySync
import Foundation

/// Stores that a command only looks at, and does not change: neither for newer schemas, with which an app that has the
/// former ones could no longer open the store, nor where nothing may be written.
extension Workspace {
    /// Runs `body` on an existing store that is only looked at. Throws `invalidInput` if there is none.
    func reading<Result>(_ body: (SQLiteStore) throws -> Result) throws -> Result {
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
        let folder = (storePath as NSString).deletingLastPathComponent
        return FileManager.default.isWritableFile(atPath: folder.isEmpty ? "." : folder)
            && FileManager.default.isWritableFile(atPath: storePath)
            && hasSpace(folder: folder.isEmpty ? "." : folder)
    }

    /// Whether SQLite can make the files that it reads a store with. On a full disk it cannot.
    private func hasSpace(folder: String) -> Bool {
        var space = statvfs()
        guard statvfs(folder, &space) == 0 else { return true }
        return UInt64(space.f_bavail) * UInt64(space.f_frsize) >= 128 * 1024
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
            // SQLite reads no log where it may not make files of its own.
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
}
