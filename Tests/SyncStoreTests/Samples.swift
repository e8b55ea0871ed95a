import Foundation
import SyncCore
import SyncStore

/// A folder that goes when the test ends.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "store-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of the store in the folder.
    var store: String { path + "/store.sqlite" }

    /// The names in the folder, sorted.
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

    func write(_ bytes: [UInt8], to name: String = "store.sqlite") throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    func bytes(name: String = "store.sqlite") throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    func open(entities: [EntityDescriptor] = [Samples.everything]) throws -> SQLiteStore {
        try SQLiteStore.open(
            path: store,
            entities: entities,
            random: Counting(),
            busyTimeoutMilliseconds: 200
        )
    }
}

/// Random bits that are none: each value is the next integer, from a start that differs between instances.
final class Counting: RandomSource {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var last: UInt64 = 0

    func next() -> UInt64 {
        Self.lock.withLock {
            Self.last += 1
            return Self.last &* 0x9e37_79b9_7f4a_7c15
        }
    }
}

/// Entities and records that the tests share.
enum Samples {
    /// An entity with a field of every type, key in a text column.
    static let everything = EntityDescriptor(
        name: "every-thing",
        typeName: "Everything",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "title", type: .string(maxLength: 100)),
            FieldDescriptor(name: "count", type: .integer(minimum: -1_000_000)),
            FieldDescriptor(name: "ratio", type: .number()),
            FieldDescriptor(name: "flag", type: .boolean),
            FieldDescriptor(name: "at", type: .dateTime),
            FieldDescriptor(name: "day", type: .date),
            FieldDescriptor(name: "link", type: .uri()),
            FieldDescriptor(name: "price", type: .decimal),
            FieldDescriptor(name: "blob", type: .data),
            FieldDescriptor(name: "mood", type: .enumeration(["good", "bad"])),
            FieldDescriptor(name: "tags", type: .array(element: .string(), isSet: true), merge: .union),
            FieldDescriptor(
                name: "place",
                type: .object([FieldDescriptor(name: "lat", wirePath: ["latitude"], type: .number())])
            ),
            FieldDescriptor(name: "note", type: .string(), isNullable: true),
            FieldDescriptor(name: "must", type: .string(), isNullable: true, isRequired: true),
            FieldDescriptor(name: "own", wirePath: ["nested", "own"], type: .uuid),
            FieldDescriptor(name: "draft", type: .string(), isNullable: true, isLocalOnly: true),
        ],
        key: ["id"],
        strategy: .lastWriteWins,
        unique: [["title", "count"], ["at"]],
        indexes: [["day"]]
    )

    /// A parent and its children; the children's key is an integer.
    static let folder = EntityDescriptor(
        name: "folder",
        typeName: "Folder",
        fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)],
        key: ["id"],
        strategy: .lastWriteWins
    )

    static let page = EntityDescriptor(
        name: "page",
        typeName: "Page",
        fields: [
            FieldDescriptor(name: "number", type: .integer(), isRequired: true),
            FieldDescriptor(name: "folderId", type: .string()),
        ],
        key: ["number"],
        strategy: .lastWriteWins,
        references: [ReferenceDescriptor(field: "folderId", entity: "folder", onDelete: .cascade)]
    )

    /// A composite key of text and integer.
    static let verse = EntityDescriptor(
        name: "verse",
        typeName: "Verse",
        fields: [
            FieldDescriptor(name: "book", type: .string(), isRequired: true),
            FieldDescriptor(name: "number", type: .integer(), isRequired: true),
            FieldDescriptor(name: "text", type: .string()),
        ],
        key: ["book", "number"],
        strategy: .lastWriteWins
    )

    static func editTimestamp(
        sequence: Int64 = 1,
        time: Int64 = 1_700_000_000_000_000,
        device: UInt64 = 0xfedc_ba98_7654_3210
    )
        -> EditTimestamp
    {
        EditTimestamp(time: Timestamp(microseconds: time), device: DeviceID(bits: device), sequence: sequence)
    }

    static func metadata(sequence: Int64 = 1) -> VersionMetadata {
        VersionMetadata(first: editTimestamp(sequence: sequence))
    }

    /// A record of `everything` in which every field has a value.
    static func full(key: String = "a") -> Record {
        var record = Record(empty: everything)
        record.values = [
            .text(key), .text("title of \(key)"), .integer(-7), .number(0.1), .boolean(true),
            .timestamp(Timestamp(microseconds: -86_400_000_001)), .text("1969-12-31"),
            .text("https://example.org/?q=1"),
            .text("12.5"), .bytes([0, 255, 10]), .text("unheard-of"), .json(#"["a","b"]"#),
            .json(#"{"lat":1.5}"#),
            .text("n"), .text("m"), .text("379066e4-6dd5-4050-8470-004e08da28bd"), .text("draft"),
        ]
        record.unknown = [
            UnknownField(path: "/nested/other", json: "[1,2]"),
            UnknownField(path: "zeta", json: #"{"x":null}"#),
        ]
        return record
    }

    /// A live record of `everything` with nothing but a key, and `must` at null.
    static func bare(key: String) -> Record {
        var record = Record(empty: everything)
        record.values[0] = .text(key)
        record.values[14] = .null
        return record
    }

    static func local(
        record: Record,
        of entity: EntityDescriptor = everything,
        state: SyncState = .synced,
        sequence: Int64 = 1,
        isDeleted: Bool = false
    ) -> LocalRecord {
        let key = entity.key(of: record) ?? RecordKey("")
        return LocalRecord(
            version: SyncRecord(
                entity: entity.name,
                key: key,
                record: record,
                isDeleted: isDeleted,
                metadata: metadata(sequence: sequence)
            ),
            state: state
        )
    }
}

extension StoreTransaction {
    /// Writes a record from the bytes of its wire object.
    func save(
        wire bytes: [UInt8],
        key: String,
        of entity: EntityDescriptor = Samples.everything,
        metadata: VersionMetadata = Samples.metadata(),
        isDeleted: Bool = false
    ) throws {
        let change = Change(
            Change.Header(
                entity: entity.name,
                key: RecordKey(key),
                kind: isDeleted ? .delete : .upsert,
                metadata: metadata
            ),
            body: bytes
        )
        try save(entity: entity, change: change, metadata: metadata)
    }
}

extension SQLiteStore {
    /// Writes records in one transaction.
    func save(_ records: LocalRecord..., of entity: EntityDescriptor = Samples.everything) throws {
        try write(.full) { store in
            for record in records { try store.save(entity: entity, record: record) }
        }
    }

    /// Writes a record from the text of its wire object.
    func save(
        wire text: String,
        key: String,
        of entity: EntityDescriptor = Samples.everything,
        metadata: VersionMetadata = Samples.metadata(),
        isDeleted: Bool = false
    ) throws {
        try write(.pulled) { store in
            try store.save(
                wire: Array(text.utf8),
                key: key,
                of: entity,
                metadata: metadata,
                isDeleted: isDeleted
            )
        }
    }

    func load(_ key: String, of entity: EntityDescriptor = Samples.everything) throws -> LocalRecord? {
        try read { try $0.load(entity: entity, key: RecordKey(key)) }
    }
}
