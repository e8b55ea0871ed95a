/// Object storage: a folder on a disk, a bucket, or a WebDAV collection. A folder sync reaches its remote
/// through it.
///
/// A key is a path below the root of the storage: components joined by `/`, none of them empty, `.` or `..`. A
/// prefix ends with `/`, or is empty and stands for the root. An object exists whole or not at all, and
/// survives power failure once its put has returned. A list and a get show every put that returned before.
///
/// All calls throw `StorageError`. One sync makes up to `maxConcurrentCalls` calls at the same time.
public protocol ObjectStorage: Sendable {
    /// How many calls one sync may make at the same time, at least 1.
    var maxConcurrentCalls: Int { get }
    /// Whether the storage refused to make a name durable, so that a power failure may take back the last puts.
    var refusesFlush: Bool { get }

    /// What is at the root of the storage.
    func root() async throws -> StorageRoot
    /// Makes the folders of a prefix durable, so that objects can be put directly under it. The parent of the
    /// prefix must exist. An empty prefix makes the root. No error if the folders exist.
    func prepare(prefix: String) async throws
    /// The entries directly under a prefix, sorted by the bytes of their names; nil if there is nothing at the
    /// prefix. A folder may be empty. Links are listed but never followed: throws `notAFolder` if the prefix
    /// itself is a link.
    func list(prefix: String) async throws -> [ObjectEntry]?
    /// The bytes of an object. Throws `tooLarge` if there are more than `maxBytes`, and `notAnObject` for a
    /// link.
    func get(_ key: String, maxBytes: Int) async throws -> [UInt8]
    /// The bytes of an object in a range; fewer if the object ends earlier. Throws `notAnObject` for a link.
    func get(_ key: String, range: Range<Int>) async throws -> [UInt8]
    /// Stores an object, whole or not at all. With `ifAbsent`, throws `exists` if the object exists;
    /// otherwise replaces it.
    ///
    /// `body` supplies the bytes in pieces, and may get other objects meanwhile. If it throws, nothing is
    /// stored.
    func put(_ key: String, ifAbsent: Bool, body: (ObjectWriter) async throws -> Void) async throws
    /// Removes an object. No error if it is gone already.
    func delete(_ key: String) async throws
}

extension ObjectStorage {
    /// No: whatever was put stays.
    public var refusesFlush: Bool { false }

    /// Does nothing: most storages have no folders.
    public func prepare(prefix: String) async throws {}

    /// Stores bytes as an object, whole or not at all.
    public func put(_ key: String, bytes: [UInt8], ifAbsent: Bool) async throws {
        try await put(key, ifAbsent: ifAbsent) { try await $0.write(bytes) }
    }
}

/// Takes the pieces of an object that is being stored, in order.
public struct ObjectWriter {
    /// Takes the next piece.
    public let write: ([UInt8]) async throws -> Void

    /// Makes a writer.
    public init(write: @escaping ([UInt8]) async throws -> Void) {
        self.write = write
    }
}

/// What is at the root of a storage.
public enum StorageRoot: Sendable, Hashable {
    /// The root is there.
    case present
    /// The root does not exist; `prepare(prefix: "")` makes it.
    case absent
    /// Neither the root nor its parent exists.
    case withoutParent
    /// The root leads to a place that is not connected, such as a link to an absent drive.
    case away
    /// Something else is there, which cannot contain objects.
    case notAFolder
}

/// One entry of a listing.
public struct ObjectEntry: Sendable, Hashable {
    /// One component of a key, without a slash.
    public var name: String
    /// What kind of thing has the name.
    public var kind: ObjectKind

    /// Makes an entry.
    public init(name: String, kind: ObjectKind) {
        self.name = name
        self.kind = kind
    }
}

/// What kind of thing has a name.
public enum ObjectKind: Sendable, Hashable {
    /// An object or a regular file, with its size in bytes.
    case object(bytes: Int)
    /// A folder, or a prefix under which other objects stand.
    case folder
    /// A symbolic link, whatever it points to.
    case link
    /// A device, pipe or socket.
    case other
    /// Something that could not be inspected.
    case unreadable(StorageError)
}
