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
