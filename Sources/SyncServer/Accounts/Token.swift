import SyncCore

/// A bearer token: `est_` and 32 random bytes as base64url without padding (RFC 4648, section 5). The prefix
/// lets people and secret scanners recognise a leaked token.
enum Token {
    static let prefix = "est_"
    /// The length of every token in UTF-8 bytes.
    static let length = prefix.utf8.count + 43

    /// Generates a new token.
    static func make(_ random: any RandomSource) -> String {
        let bytes = (0..<4).flatMap { _ in
            let word = random.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
        }
        return prefix + base64URL(bytes: bytes)
    }

    /// The stored hash of a token; nil if the text is not a token. A token has 256 random bits, so a slow
    /// password hash would add nothing.
    static func hash(token: String) -> [UInt8]? {
        let bytes = Array(token.utf8)
        guard bytes.count == length, bytes.starts(with: prefix.utf8) else { return nil }
        return SHA256.digest(bytes: bytes)
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    static func base64URL(bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0...group.count { text.append(alphabet[bits >> (18 - 6 * place) & 63]) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
