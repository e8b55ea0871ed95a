import Foundation
import SyncCore
import SyncSQLite

/// A record's key as stored in its column: a lowercase UUID as 16 bytes, any other key as text. SQLite never
/// treats text and bytes as equal, so stored keys are equal only if their texts are.
enum StoredKey {
    case bytes(UUID)
    case text(String)

    init(_ key: RecordKey) {
        var text = key.text
        let uuid = text.withUTF8 { UUID(text: $0) }
        // A UUID with uppercase letters is a different key, so it stays text.
        guard let uuid, !text.utf8.contains(where: { (0x41...0x46).contains($0) }) else {
            self = .text(text)
            return
        }
        self = .bytes(uuid)
    }

    /// Reads a column; nil if its bytes are no key.
    init?(row: Statement, at index: Int) {
        guard row.type(at: index) == .blob else {
            self.init(RecordKey(row.string(at: index)))
            return
        }
        let bytes = UnsafeRawBufferPointer(row.blob(at: index))
        guard bytes.count == MemoryLayout<uuid_t>.size else { return nil }
        self = .bytes(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
    }

    /// Appends the key as a JSON string.
    func appendJSON(to bytes: inout [UInt8]) {
        switch self {
        case .bytes(let uuid):
            let value = uuid.uuid
            bytes.append(UInt8(ascii: "\""))
            withUnsafeBytes(of: value) { value in
                for (index, byte) in value.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        bytes.append(UInt8(ascii: "-"))
                    }
                    bytes.append(Self.digit(value: byte >> 4))
                    bytes.append(Self.digit(value: byte & 15))
                }
            }
            bytes.append(UInt8(ascii: "\""))
        case .text(let text):
            var writer = JSONWriter()
            writer.string(text)
            bytes += writer.bytes
        }
    }

    private static func digit(value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    /// Binds the key.
    func bind(to statement: Statement, at index: Int) throws(SQLiteError) {
        switch self {
        case .bytes(let uuid):
            let bytes = uuid.uuid
            let result = withUnsafeBytes(of: bytes) { bytes in
                Result { () throws(SQLiteError) in
                    try statement.bindBlob(bytes.assumingMemoryBound(to: UInt8.self), at: index)
                }
            }
            try result.get()
        case .text(let text): try statement.bind(text, at: index)
        }
    }
}
