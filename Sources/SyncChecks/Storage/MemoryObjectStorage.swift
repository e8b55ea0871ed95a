public import SyncCore

/// An in-memory object storage for tests, with the least code that keeps the promises of `ObjectStorage`.
///
/// It has no folders and no links, so nothing is left of a device whose objects were removed.
public final class MemoryObjectStorage: ObjectStorage {
    /// The most concurrent calls of a sync.
    public let maxConcurrentCalls: Int
    private let stored: Guarded<[String: [UInt8]]>

    /// Makes a storage with the given objects, by key.
    public init(objects: [String: [UInt8]] = [:], maxConcurrentCalls: Int = 8) {
        self.maxConcurrentCalls = maxConcurrentCalls
        stored = Guarded(objects)
    }

    /// All objects by key. Setting it acts like another writer of the bucket.
    public var objects: [String: [UInt8]] {
        get { stored.use { $0 } }
        set { stored.use { $0 = newValue } }
    }

    /// The root always exists.
    public func root() async throws -> StorageRoot { .present }

    /// The entries directly below a prefix: objects, and longer prefixes as folders.
    public func list(prefix: String) async throws -> [ObjectEntry]? {
        var kinds: [String: ObjectKind] = [:]
        for (key, bytes) in objects where key.utf8.starts(with: prefix.utf8) {
            let rest = key.utf8.dropFirst(prefix.utf8.count)
            let name = String(decoding: rest.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
            kinds[name] = name.utf8.count == rest.count ? .object(bytes: bytes.count) : .folder
        }
        guard !kinds.isEmpty else { return nil }
        return kinds.map { ObjectEntry(name: $0.key, kind: $0.value) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The bytes of an object.
    public func get(_ key: String, maxBytes: Int) async throws -> [UInt8] {
        let bytes = try bytes(key: key)
        guard bytes.count <= maxBytes else { throw StorageError(place: key, kind: .tooLarge) }
        return bytes
    }

    /// A range of an object's bytes.
    public func get(_ key: String, range: Range<Int>) async throws -> [UInt8] {
        Array(try bytes(key: key).dropFirst(range.lowerBound).prefix(range.count))
    }

    /// Stores an object atomically when all its pieces are there.
    public func put(
        _ key: String,
        ifAbsent: Bool,
        body: (ObjectWriter) async throws -> Void
    ) async throws {
        let pieces = Guarded<[UInt8]>([])
        try await body(ObjectWriter { bytes in pieces.use { $0 += bytes } })
        try stored.use { objects in
            guard !ifAbsent || objects[key] == nil else { throw StorageError(place: key, kind: .exists) }
            objects[key] = pieces.use { $0 }
        }
    }

    /// Removes an object.
    public func delete(_ key: String) async throws { stored.use { $0[key] = nil } }

    private func bytes(key: String) throws -> [UInt8] {
        guard let bytes = stored.use({ $0[key] }) else { throw StorageError(place: key, kind: .notFound) }
        return bytes
    }
}
