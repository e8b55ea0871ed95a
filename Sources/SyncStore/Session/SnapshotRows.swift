import SyncCore
import SyncSQLite

/// The rows of one entity that the remote's full state contains, as far as it was read: a bit for each `sync_id`, in
/// chunks that are read and written once per transaction. Noting this in the rows themselves would write each of them
/// twice.
///
/// Serves one transaction. Unwritten changes are lost with it.
final class SnapshotRows {
    /// Ids of one chunk: 4 KiB of bits.
    private static let chunkSize: Int64 = 32_768
    /// The number of the row that marks an open snapshot.
    private static let marker: Int64 = -1

    private let connection: Connection
    private let entity: String
    private var chunks: [Int64: [UInt8]] = [:]
    private var changed: Set<Int64> = []
    /// Whether a snapshot is open.
    private(set) var isOpen = false

    /// Reads what was noted so far.
    init(connection: Connection, entity: String) throws {
        self.connection = connection
        self.entity = entity
        let statement = try connection.cached(sql: "SELECT chunk, bits FROM sync_held WHERE entity = ?1")
        try statement.bind(entity, at: 1)
        var found: [Int64: [UInt8]] = [:]
        try statement.forEachRow { found[$0.int64(at: 0)] = $0.bytes(at: 1) }
        isOpen = found.removeValue(forKey: Self.marker) != nil
        // NB: an unreadable chunk must not mean that the remote has none of its records.
        guard found.allSatisfy({ $0.key >= 0 && $0.value.count == Self.chunkSize / 8 }) else {
            throw SyncError.damagedStore(detail: "the notes of what the remote holds cannot be read")
        }
        chunks = found
    }

    /// Whether a row was noted.
    func contains(_ id: Int64) -> Bool {
        guard let bits = chunks[id / Self.chunkSize] else { return false }
        let place = Int(id % Self.chunkSize)
        return bits[place / 8] & 1 << UInt8(place % 8) != 0
    }

    /// Notes or clears a row.
    func set(_ id: Int64, isIncluded: Bool) {
        guard isOpen, contains(id) != isIncluded else { return }
        let (number, place) = (id / Self.chunkSize, Int(id % Self.chunkSize))
        chunks[number, default: Array(repeating: 0, count: Int(Self.chunkSize) / 8)][place / 8] ^=
            1 << UInt8(place % 8)
        changed.insert(number)
    }

    /// Starts again without any row.
    func begin() throws {
        try end()
        isOpen = true
        try write(Self.marker, bits: [])
    }

    /// Clears everything.
    func end() throws {
        (chunks, changed, isOpen) = ([:], [], false)
        let statement = try connection.cached(sql: "DELETE FROM sync_held WHERE entity = ?1")
        try statement.bind(entity, at: 1)
        try statement.run()
    }

    /// Writes changes.
    func flush() throws {
        for number in changed.sorted() { try write(number, bits: chunks[number] ?? []) }
        changed = []
    }

    private func write(_ number: Int64, bits: [UInt8]) throws {
        let statement = try connection.cached(
            sql: """
                INSERT INTO sync_held (entity, chunk, bits) VALUES (?1, ?2, ?3) \
                ON CONFLICT (entity, chunk) DO UPDATE SET bits = excluded.bits
                """
        )
        try statement.bind(entity, at: 1)
        try statement.bind(number, at: 2)
        try statement.bind(bits, at: 3)
        try statement.run()
    }
}
