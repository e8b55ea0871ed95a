/// UUIDs that follow from a name, of version 8 (RFC 9562, section 5.8): the first half of the name's SHA-256.
package enum NameUUID {
    /// The UUID of a name, as lowercase text.
    package static func make(name: String) -> String {
        var bytes = Array(SHA256.digest(bytes: Array(name.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = Array("0123456789abcdef")
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append("-") }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }
}
