import Foundation
public import SyncCore
import SyncFileBackend
package import SyncFiles

/// File operations of the folder backend, with the same steps as on a real file system.
extension SimulatedDisk {
    /// The kind of the object at a path; nil if there is none.
    public func kind(path: String) throws -> ObjectKind? {
        try reading(path: path) { core throws(DiskError) in
            switch try core.node(path: path) {
            case nil: nil
            case .file(let file): .object(bytes: file.written.count)
            case .folder: .folder
            }
        }
    }

    /// The names in a folder, sorted by bytes.
    public func list(path: String) throws -> [String] {
        try reading(path: path) { core throws(DiskError) in try core.folder(path: path).sorted.map(\.name) }
    }

    /// Reads a whole file.
    public func read(path: String, maxBytes: Int) throws -> [UInt8] {
        let bytes = try reading(path: path) { core throws(DiskError) in
            switch try core.node(path: path) {
            case nil: throw DiskError(ENOENT)
            case .folder: throw DiskError(EISDIR)
            case .file(let file): file.written
            }
        }
        if bytes.count > maxBytes { throw StorageError(place: path, kind: .tooLarge) }
        return bytes
    }

    /// Creates a folder and syncs its parent: two steps, or none if it exists.
    public func makeFolder(_ path: String) throws {
        try reading(path: path) { core throws(DiskError) in
            let (folder, name) = try core.place(path: path)
            if folder.names[name] == nil { _ = try core.makeFolder(name, in: folder) }
            try core.sync(folder)
        }
    }

    /// Reads a part of a file.
    public func read(path: String, from offset: Int, count: Int) throws -> [UInt8] {
        Array(try read(path: path, maxBytes: .max).dropFirst(offset).prefix(count))
    }

    /// Writes a file atomically: creates a `.tmp-` file, writes it, syncs it, renames it, and syncs the
    /// folder. This takes five steps, plus one for the remains of an earlier write, and one for a hard link
    /// instead of a replacement.
    public func writeAtomically(_ bytes: [UInt8], to path: String, replaces: Bool) throws {
        let draft = try draft(path: path)
        do { try draft.write(bytes) } catch {
            draft.discard()
            throw error
        }
        try draft.commit(replaces: replaces)
    }

    /// Starts a file with the steps of `writeAtomically`, one step for each piece.
    package func draft(path: String) throws -> any FileDraft {
        do {
            let file = try reading(path: path) { core throws(DiskError) in
                let (folder, name) = try core.place(path: path)
                let temporary = Self.temporary(name: name)
                if folder.names[temporary] != nil { try core.remove(temporary, in: folder) }
                return try core.create(temporary, in: folder)
            }
            return SimulatedDraft(disk: self, file: file, path: path)
        } catch {
            removeTemporary(path: path)
            throw error
        }
    }

    /// A folder of the disk as object storage. It allows one call at a time, so that the same calls give the
    /// same steps.
    public func objects(in path: String) -> some ObjectStorage {
        FolderStorage(path: path, files: self, maxConcurrentCalls: 1)
    }

    /// Removes a temporary file. As on a real disk, the next write removes one that is left.
    fileprivate func removeTemporary(path: String) {
        try? reading(path: path) { core throws(DiskError) in
            let (folder, name) = try core.place(path: path)
            if folder.names[Self.temporary(name: name)] != nil {
                try core.remove(Self.temporary(name: name), in: folder)
            }
        }
    }

    private static func temporary(name: String) -> String { ".tmp-" + name }

    /// Syncs a written file and gives it its name.
    fileprivate static func publish(
        _ file: DiskFile,
        path: String,
        replaces: Bool,
        core: DiskCore
    ) throws(DiskError) {
        let (folder, name) = try core.place(path: path)
        try core.sync(file)
        if case .folder? = folder.names[name] { throw DiskError(replaces ? EISDIR : EEXIST) }
        if replaces {
            try core.rename(temporary(name: name), to: name, in: folder)
        } else {
            if folder.names[name] != nil { throw DiskError(EEXIST) }
            try core.link(file, as: name, in: folder)
            try core.remove(temporary(name: name), in: folder)
        }
    }

    /// Removes a file in one step, without syncing the folder.
    public func remove(_ path: String) throws {
        try reading(path: path) { core throws(DiskError) in
            let (folder, name) = try core.place(path: path)
            switch folder.names[name] {
            case nil: return
            case .folder?: throw DiskError(EISDIR)
            case .file?: try core.remove(name, in: folder)
            }
        }
    }

    fileprivate static func write(
        _ bytes: [UInt8],
        to file: DiskFile,
        at offset: Int,
        core: DiskCore
    ) throws(DiskError) {
        if bytes.isEmpty { return }
        let failure = bytes.withUnsafeBytes { content -> DiskError? in
            do throws(DiskError) {
                try core.write(content, to: file, at: offset)
                return nil
            } catch { return error }
        }
        if let failure { throw failure }
    }

    /// Runs `body` while the machine is on, and converts errors to those of the port.
    fileprivate func reading<Result>(
        path: String,
        body: (DiskCore) throws(DiskError) -> Result
    ) throws -> Result {
        do throws(DiskError) {
            return try core.locked { core throws(DiskError) in
                try core.checkAlive()
                return try body(core)
            }
        } catch {
            throw StorageError(place: path, kind: StorageError.Kind(error), number: error.number)
        }
    }
}

extension StorageError.Kind {
    fileprivate init(_ failure: DiskError) {
        self =
            switch failure.number {
            case ENOENT: .notFound
            case EROFS: .notPermitted
            case EEXIST: .exists
            case ENOTDIR, EISDIR: .notAnObject
            case ENOSPC: .noSpace
            default: .failed
            }
    }
}

/// A file that is being written.
private struct SimulatedDraft: FileDraft, @unchecked Sendable {
    let disk: SimulatedDisk
    // Used with the disk's lock held.
    let file: DiskFile
    let path: String

    func write(_ bytes: [UInt8]) throws {
        try disk.reading(path: path) { core throws(DiskError) in
            try SimulatedDisk.write(bytes, to: file, at: file.written.count, core: core)
        }
    }

    func commit(replaces: Bool) throws {
        do {
            try disk.reading(path: path) { core throws(DiskError) in
                try SimulatedDisk.publish(file, path: path, replaces: replaces, core: core)
            }
        } catch {
            discard()
            throw error
        }
        try disk.reading(path: path) { core throws(DiskError) in try core.sync(core.place(path: path).0) }
    }

    func discard() { disk.removeTemporary(path: path) }
}
