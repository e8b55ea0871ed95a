#if Server
    import Foundation

    /// A signed JSON Web Token (RFC 7519, in the compact form of RFC 7515), taken apart and not checked yet.
    struct JSONWebToken {
        /// The algorithm that the token claims. Only a key that is for this algorithm may check it.
        var algorithm: String
        /// The key that the token claims.
        var keyID: String?
        /// The bytes that are signed: header and payload as they were sent.
        var signed: [UInt8]
        /// The signature.
        var signature: [UInt8]
        /// The claims as JSON.
        var payload: [UInt8]

        /// Takes a token apart. Nil if it does not have the form, or if it demands what this server does not know
        /// (`crit`, RFC 7515, section 4.1.11).
        init?(_ text: String) {
            guard Self.hasForm(text) else { return nil }
            let parts = text.split(separator: ".")
            guard let header = Self.decoded(part: parts[0]), let payload = Self.decoded(part: parts[1]),
                let signature = Self.decoded(part: parts[2]),
                let fields = try? JSONDecoder().decode(Header.self, from: header), fields.isUnderstood
            else { return nil }
            algorithm = fields.alg
            keyID = fields.kid
            signed = Array("\(parts[0]).\(parts[1])".utf8)
            self.signature = Array(signature)
            self.payload = Array(payload)
        }

        /// Whether a text is three parts of base64url with dots between them. A token of the accounts' file has no
        /// dot.
        static func hasForm(_ text: String) -> Bool {
            let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            return parts.count == 3 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isBase64URL) }
        }

        private static func isBase64URL(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }

        private static func decoded(part: Substring) -> Data? {
            let text = part.replacing("-", with: "+").replacing("_", with: "/")
            return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
        }

        private struct Header: Decodable {
            let alg: String
            let kid: String?
            let isUnderstood: Bool

            private enum Fields: String, CodingKey { case alg, kid, crit }

            init(from decoder: any Decoder) throws {
                let fields = try decoder.container(keyedBy: Fields.self)
                alg = try fields.decode(String.self, forKey: .alg)
                kid = try fields.decodeIfPresent(String.self, forKey: .kid)
                isUnderstood = !fields.contains(.crit)
            }
        }
    }
#endif
