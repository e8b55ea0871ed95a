import Foundation
public import SyncCore

/// The folder backend's files, in the same steps as the operating system's.
extension SimulatedDisk {
    /// What stands at the path; nil when nothing does.
    public func kind(_ path: String) throws -> FileKind? {
        try reading(path) { core throws(DiskFailure) in
            switch try core.node(path) {
            case nil: nil
            case .file(let file): .file(bytes: file.written.count)
            case .folder: .folder
            }
        }
    }

    /// The names in a folder, sorted by bytes.
    public func list(_ path: String) throws -> [String] {
        try reading(path) { core throws(DiskFailure) in try core.folder(path).sorted.map(\.name) }
    }

    /// Reads a whole file.
    public func read(_ path: String, maxBytes: Int) throws -> [UInt8] {
        let bytes = try reading(path) { core throws(DiskFailure) in
            switch try core.node(path) {
            case nil: throw DiskFailure(ENOENT)
            case .folder: throw DiskFailure(EISDIR)
            case .file(let file): file.written
            }
        }
        if bytes.count > maxBytes { throw FileProblem(path: path, kind: .tooLarge) }
        return bytes
    }

    /// Creates a folder and syncs the one that holds it: two steps, none where something stands there.
    public func makeFolder(_ path: String) throws {
        try reading(path) { core throws(DiskFailure) in
            let (folder, name) = try core.place(path)
            if folder.names[name] == nil { _ = try core.makeFolder(name, in: folder) }
            try core.sync(folder)
        }
    }

    /// Reads a part of a file.
    public func read(_ path: String, from offset: Int, count: Int) throws -> [UInt8] {
        Array(try read(path, maxBytes: .max).dropFirst(offset).prefix(count))
    }

    /// Creates `.tmp-` and the name, writes it, syncs it, gives it its name, and syncs the folder: five steps, one
    /// more for each further piece, and one more each for the remains of an earlier write and for a second name
    /// instead of a replacement.
    public func writeAtomically(
        to path: String,
        replaces: Bool,
        _ body: (FilePieces) throws -> Void
    ) throws {
        do {
            let file = try reading(path) { core throws(DiskFailure) in
                let (folder, name) = try core.place(path)
                let temporary = Self.temporary(name)
                if folder.names[temporary] != nil { try core.remove(temporary, in: folder) }
                return try core.create(temporary, in: folder)
            }
            var offset = 0
            try body(
                FilePieces { bytes in
                    try self.reading(path) { core throws(DiskFailure) in
                        try Self.write(bytes, to: file, at: offset, core)
                    }
                    offset += bytes.count
                }
            )
            try reading(path) { core throws(DiskFailure) in try Self.publish(file, path, replaces, core) }
        } catch {
            // As on a real disk: what cannot be removed either is removed by the next write.
            try? reading(path) { core throws(DiskFailure) in
                let (folder, name) = try core.place(path)
                if folder.names[Self.temporary(name)] != nil {
                    try core.remove(Self.temporary(name), in: folder)
                }
            }
            throw error
        }
        try reading(path) { core throws(DiskFailure) in try core.sync(core.place(path).0) }
    }

    private static func temporary(_ name: String) -> String { ".tmp-" + name }

    /// Syncs a file that is written, and gives it its name.
    private static func publish(
        _ file: DiskFile,
        _ path: String,
        _ replaces: Bool,
        _ core: DiskCore
    ) throws(DiskFailure) {
        let (folder, name) = try core.place(path)
        try core.sync(file)
        if case .folder? = folder.names[name] { throw DiskFailure(replaces ? EISDIR : EEXIST) }
        if replaces {
            try core.rename(temporary(name), to: name, in: folder)
        } else {
            if folder.names[name] != nil { throw DiskFailure(EEXIST) }
            try core.link(file, as: name, in: folder)
            try core.remove(temporary(name), in: folder)
        }
    }

    /// Removes a file, without a sync of the folder: one step.
    public func remove(_ path: String) throws {
        try reading(path) { core throws(DiskFailure) in
            let (folder, name) = try core.place(path)
            switch folder.names[name] {
            case nil: return
            case .folder?: throw DiskFailure(EISDIR)
            case .file?: try core.remove(name, in: folder)
            }
        }
    }

    private static func write(
        _ bytes: [UInt8],
        to file: DiskFile,
        at offset: Int,
        _ core: DiskCore
    ) throws(DiskFailure) {
        if bytes.isEmpty { return }
        let failure = bytes.withUnsafeBytes { content -> DiskFailure? in
            do throws(DiskFailure) {
                try core.write(content, to: file, at: offset)
                return nil
            } catch { return error }
        }
        if let failure { throw failure }
    }

    /// Runs `body` while the machine is on, and tells of a failure in the words of the port.
    private func reading<Result>(
        _ path: String,
        _ body: (DiskCore) throws(DiskFailure) -> Result
    ) throws -> Result {
        do throws(DiskFailure) {
            return try core.locked { core throws(DiskFailure) in
                try core.checkAlive()
                return try body(core)
            }
        } catch {
            throw FileProblem(path: path, kind: FileProblem.Kind(error), number: error.number)
        }
    }
}

extension FileProblem.Kind {
    fileprivate init(_ failure: DiskFailure) {
        self =
            switch failure.number {
            case ENOENT: .notFound
            case EROFS: .notPermitted
            case EEXIST: .exists
            case ENOTDIR, EISDIR: .notAFile
            case ENOSPC: .noSpace
            default: .failed
            }
    }
}
