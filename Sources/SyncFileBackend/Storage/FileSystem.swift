package import SyncCore

/// The operations on files that a folder as object storage needs. Calls block.
///
/// Paths are absolute, and nothing here follows a symbolic link at the end of one. Errors are `StorageError`.
package protocol FileSystem: Sendable {
    /// What stands at the path, without following a link; nil when nothing does.
    func kind(path: String) throws -> ObjectKind?
    /// The names in a folder, sorted by bytes.
    func list(path: String) throws -> [String]
    /// The names in a folder, sorted by bytes, with what stands under them.
    func entries(path: String) throws -> [ObjectEntry]
    /// Reads a whole regular file, at most `maxBytes`; refuses a link.
    func read(path: String, maxBytes: Int) throws -> [UInt8]
    /// Reads a part of a regular file: `count` bytes from an offset in bytes, fewer where the file ends; refuses a
    /// link.
    func read(path: String, from offset: Int, count: Int) throws -> [UInt8]
    /// Creates a folder, which is on the disk when this returns; its parent must exist. No error when it stands there
    /// already.
    func makeFolder(_ path: String) throws
    /// Begins a file that is there whole or not at all: under a temporary name in the same folder, until it is
    /// committed.
    func draft(path: String) throws -> any FileDraft
    /// Removes a regular file. No error when it is gone already.
    func remove(_ path: String) throws
}

/// A file that is being written. It ends with either `commit` or `discard`.
package protocol FileDraft: Sendable {
    /// Appends bytes. Where it throws, the draft is still to be discarded.
    func write(_ bytes: [UInt8]) throws
    /// Flushes the file, gives it its name, and flushes the folder. Throws `exists` when something stands there and
    /// `replaces` is false. Where it throws before the file has its name, what was written is removed.
    func commit(replaces: Bool) throws
    /// Removes what was written.
    func discard()
}

extension FileSystem {
    /// Looks at each name by itself. What is gone meanwhile is left out.
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

    /// Writes bytes so that they are there whole or not at all.
    package func writeAtomically(_ bytes: [UInt8], to path: String, replaces: Bool) throws {
        let draft = try draft(path: path)
        do { try draft.write(bytes) } catch {
            draft.discard()
            throw error
        }
        try draft.commit(replaces: replaces)
    }
}
