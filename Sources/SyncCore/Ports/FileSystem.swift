/// The operations that a folder backend needs. Paths are absolute; nothing here follows a symbolic link at its end.
///
/// Errors are `FileProblem`.
public protocol FileSystem: Sendable {
    /// What stands at the path, without following a link; nil when nothing does.
    func kind(path: String) throws -> FileKind?
    /// The names in a folder, sorted by bytes.
    func list(path: String) throws -> [String]
    /// Reads a whole regular file, at most `maxBytes`; refuses a link.
    func read(path: String, maxBytes: Int) throws -> [UInt8]
    /// Reads a part of a regular file: `count` bytes from an offset in bytes, fewer where the file ends; refuses a
    /// link.
    func read(path: String, from offset: Int, count: Int) throws -> [UInt8]
    /// Creates a folder, which is on the disk when this returns; its parent must exist. No error when it stands there
    /// already.
    func makeFolder(_ path: String) throws
    /// Writes a file so that it is there whole or not at all: a temporary name in the same folder, write, fsync,
    /// rename, fsync of the folder. Refuses to replace when `replaces` is false and something stands there.
    ///
    /// `body` hands the file on in pieces, and may read other files meanwhile. Where it throws, nothing is written.
    func writeAtomically(to path: String, replaces: Bool, body: (FilePieces) throws -> Void) throws
    /// Removes a regular file. No error when it is gone already.
    func remove(_ path: String) throws
}

extension FileSystem {
    /// Writes bytes so that they are there whole or not at all.
    public func writeAtomically(_ bytes: [UInt8], to path: String, replaces: Bool) throws {
        try writeAtomically(to: path, replaces: replaces) { try $0.write(bytes) }
    }
}

/// Takes the pieces of a file that is being written, in order.
public struct FilePieces {
    /// Takes the next piece.
    public let write: ([UInt8]) throws -> Void

    /// Makes a taker.
    public init(write: @escaping ([UInt8]) throws -> Void) {
        self.write = write
    }
}

/// What stands at a path.
public enum FileKind: Sendable, Hashable {
    /// A regular file of so many bytes.
    case file(bytes: Int)
    case folder
    /// A symbolic link, whatever it points to.
    case link
    /// A device, pipe or socket.
    case other
}

/// Why a file operation failed.
public struct FileError: Error, Sendable, Hashable {
    /// The path.
    public var path: String
    /// The reason as a kind.
    public var kind: Kind
    /// The operating system's error number, or 0.
    public var number: Int32

    /// Makes a problem.
    public init(path: String, kind: Kind, number: Int32 = 0) {
        self.path = path
        self.kind = kind
        self.number = number
    }

    /// The closed list of reasons.
    public enum Kind: Sendable, Hashable {
        case notFound, notPermitted, exists, notAFile, tooLarge, noSpace, failed
    }
}
