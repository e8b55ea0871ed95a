public import SyncCore

/// Objects in memory: the smallest storage that keeps what `ObjectStorage` promises, and a double of a bucket.
///
/// It has no folders and no links: what is left of a device whose objects were removed is nothing.
public final class MemoryObjectStorage: ObjectStorage {
    /// How many calls of one sync may be under way at once.
    public let maxConcurrentCalls: Int
    private let stored: Guarded<[String: [UInt8]]>

    /// A storage that holds some objects, by key.
    public init(objects: [String: [UInt8]] = [:], maxConcurrentCalls: Int = 8) {
        self.maxConcurrentCalls = maxConcurrentCalls
        stored = Guarded(objects)
    }

    /// The bytes of all objects, by key. To change it is what somebody else does to the bucket.
    public var objects: [String: [UInt8]] {
        get { stored.use { $0 } }
        set { stored.use { $0 = newValue } }
    }

    /// It is always there.
    public func root() async throws -> StorageRoot { .present }

    /// What stands right under a prefix: objects, and prefixes of further ones as folders.
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

    /// The bytes of an object in a range.
    public func get(_ key: String, range: Range<Int>) async throws -> [UInt8] {
        Array(try bytes(key: key).dropFirst(range.lowerBound).prefix(range.count))
    }

    /// Stores an object, at once when all of its pieces are there.
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
