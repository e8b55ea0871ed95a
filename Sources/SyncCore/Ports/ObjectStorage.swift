/// A place that holds objects by key: a folder of a disk, a bucket, a WebDAV collection. A folder sync reaches its remote
/// through it.
///
/// A key is a path below the root of the storage: components with `/` between them, none of them empty, `.` or `..`. A
/// prefix is empty, which stands for the root, or ends with `/`. An object is there whole or not at all, and a put that
/// has returned outlives a power cut. A list and a get show every put that returned before.
///
/// All calls throw `StorageError`. Calls may come side by side, up to `maxConcurrentCalls` of them from one sync.
public protocol ObjectStorage: Sendable {
    /// How many calls of one sync may be under way at once, from 1 on. With 1 each call waits for the one before.
    var maxConcurrentCalls: Int { get }

    /// What stands where the objects of this storage should be.
    func root() async throws -> StorageRoot
    /// Sees to it that objects can be put right under a prefix, and that a power cut leaves them their place: folders are
    /// made. What holds the prefix must be there. An empty prefix makes the root. No error where it stands already.
    func prepare(prefix: String) async throws
    /// What stands right under a prefix, sorted by the bytes of its name; nil where nothing stands at the prefix.
    /// A folder may be empty. Links are told, and never followed: throws `notAFolder` where one stands at the prefix.
    func list(prefix: String) async throws -> [ObjectEntry]?
    /// The bytes of an object. Throws `tooLarge` where there are more than `maxBytes`, and `notAnObject` for a link.
    func get(_ key: String, maxBytes: Int) async throws -> [UInt8]
    /// The bytes of an object in a range, fewer where the object ends before. Throws `notAnObject` for a link.
    func get(_ key: String, range: Range<Int>) async throws -> [UInt8]
    /// Stores an object, whole or not at all. With `ifAbsent` it throws `exists` where one stands there already;
    /// otherwise it replaces that one.
    ///
    /// `body` hands the bytes over in pieces, and may get other objects meanwhile. Where it throws, nothing is stored.
    func put(_ key: String, ifAbsent: Bool, body: (ObjectWriter) async throws -> Void) async throws
    /// Removes an object. No error when it is gone already.
    func delete(_ key: String) async throws
}

extension ObjectStorage {
    /// Most storages have no folders, and need nothing.
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

/// What stands where the objects of a storage should be.
public enum StorageRoot: Sendable, Hashable {
    /// The root is there.
    case present
    /// It is not there, and `prepare(prefix: "")` makes it.
    case absent
    /// It is not there, nor is what should hold it.
    case withoutParent
    /// The name leads to a place that is away, as a link to a drive that is not connected does.
    case away
    /// Something stands there that can hold no objects.
    case notAFolder
}

/// What a listing shows.
public struct ObjectEntry: Sendable, Hashable {
    /// One component of a key, without a slash.
    public var name: String
    /// What stands under the name.
    public var kind: ObjectKind

    /// Makes an entry.
    public init(name: String, kind: ObjectKind) {
        self.name = name
        self.kind = kind
    }
}

/// What stands under a name.
public enum ObjectKind: Sendable, Hashable {
    /// An object, or a regular file, of so many bytes.
    case object(bytes: Int)
    /// A folder, or a prefix under which other objects stand.
    case folder
    /// A symbolic link, whatever it points to.
    case link
    /// A device, pipe or socket.
    case other
    /// Something that may not be looked at.
    case unreadable(StorageError)
}
