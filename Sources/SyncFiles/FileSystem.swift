package import SyncCore

/// File operations for a folder as object storage. Calls block.
///
/// Paths are absolute. A symbolic link at the end of a path is never followed. Errors are `StorageError`.
package protocol FileSystem: Sendable {
    /// The kind of object at the path, without following a link; nil if there is none.
    func kind(path: String) throws -> ObjectKind?
    /// The names in a folder, sorted by bytes.
    func list(path: String) throws -> [String]
    /// The names in a folder with their kinds, sorted by bytes.
    func entries(path: String) throws -> [ObjectEntry]
    /// Reads a whole regular file, at most `maxBytes`. Rejects a link.
    func read(path: String, maxBytes: Int) throws -> [UInt8]
    /// Reads `count` bytes of a regular file from an offset; fewer if the file ends. Rejects a link.
    func read(path: String, from offset: Int, count: Int) throws -> [UInt8]
    /// Creates a folder durably; its parent must exist. No error if the folder exists.
    func makeFolder(_ path: String) throws
    /// Starts an atomic write: under a temporary name in the same folder, until it is committed.
    func draft(path: String) throws -> any FileDraft
    /// Removes a regular file. No error if it is gone already.
    func remove(_ path: String) throws
    /// Whether a folder's names could not be flushed to the disk so far.
    var refusesFlush: Bool { get }
}

/// A file that is being written. It ends with either `commit` or `discard`.
package protocol FileDraft: Sendable {
    /// Appends bytes. If this throws, the draft must still be discarded.
    func write(_ bytes: [UInt8]) throws
    /// Flushes the file, gives it its name, and flushes the folder. Throws `exists` if the name is taken and
    /// `replaces` is false. If it throws before the file has its name, the draft is removed.
    func commit(replaces: Bool) throws
    /// Removes the draft.
    func discard()
}

extension FileSystem {
    /// Default implementation: all is flushed.
    package var refusesFlush: Bool { false }

    /// Default implementation: inspects each name. Names that vanish meanwhile are left out.
    package func entries(path: String) throws -> [ObjectEntry] {
        try list(path: path).compactMap { name in
            do {
                return try kind(path: path == "/" ? "/\(name)" : "\(path)/\(name)")
                    .map { ObjectEntry(name: name, kind: $0) }
            } catch let error as StorageError {
                return ObjectEntry(name: name, kind: .unreadable(error))
            }
        }
    }

    /// Writes a file atomically.
    package func writeAtomically(_ bytes: [UInt8], to path: String, replaces: Bool) throws {
        let draft = try draft(path: path)
        do { try draft.write(bytes) } catch {
            draft.discard()
            throw error
        }
        try draft.commit(replaces: replaces)
    }
}
