package import SyncCore

/// An entity's name and a record's key.
package struct RecordName: Sendable, Hashable {
    /// The entity's name.
    package var entity: String
    /// The record's key.
    package var key: RecordKey

    /// Names a record.
    package init(entity: String, key: RecordKey) {
        self.entity = entity
        self.key = key
    }

    /// The key's bytes as hexadecimal digits, for links and forms: no character of it is lost on the way.
    var hexKey: String {
        var text: [UInt8] = []
        let digits = Array("0123456789abcdef".utf8)
        for byte in key.text.utf8 { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Names the record that a form names. Nil if the digits are not those of a text.
    package init?(entity: String, hexKey: String) {
        let digits = hexKey.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == hexKey.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        self.init(entity: entity, key: RecordKey(text))
    }
}
