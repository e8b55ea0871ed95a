package import Foundation

/// UUIDs as text without Foundation's formatting, because a store reads one per record.
extension UUID {
    /// Reads 36 bytes: hexadecimal digits in either case and four hyphens; nil for anything else.
    package init?(text: UnsafeBufferPointer<UInt8>) {
        guard text.count == 36, text[8] == Self.hyphen, text[13] == Self.hyphen, text[18] == Self.hyphen,
            text[23] == Self.hyphen
        else { return nil }
        let parts = (
            HexWord(bytes: text, at: 0), HexWord(bytes: text, at: 9, and: 14),
            HexWord(bytes: text, at: 19, and: 24),
            HexWord(bytes: text, at: 28)
        )
        guard parts.0.isHex, parts.1.isHex, parts.2.isHex, parts.3.isHex else { return nil }
        var bytes = (
            (parts.0.value << 32 | parts.1.value).bigEndian, (parts.2.value << 32 | parts.3.value).bigEndian
        )
        self = withUnsafeBytes(of: &bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Reads 16 bytes; nil for any other number of them.
    package init?(bytes: [UInt8]) {
        guard bytes.count == MemoryLayout<uuid_t>.size else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// The UUID in lower case.
    package var lowercaseText: String {
        var uuid = self.uuid
        return withUnsafeBytes(of: &uuid) { bytes in
            String(unsafeUninitializedCapacity: 36) { text in
                var place = 0
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[place] = Self.hyphen
                        place += 1
                    }
                    text[place] = Self.digit(value: byte >> 4)
                    text[place + 1] = Self.digit(value: byte & 15)
                    place += 2
                }
                return place
            }
        }
    }

    private static let hyphen = UInt8(ascii: "-")

    private static func digit(value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
