#if Server
    package import Foundation
    package import SyncChecks
    import SyncServer

    /// A JSON Web Token that is signed with HS256 (RFC 7515, RFC 7519).
    package enum JSONWebToken {
        /// Why a token is refused.
        package enum Refusal: Error, Hashable {
            /// Its signature is not from the secret, or it is not signed with HS256.
            case invalid
            /// The text is not a token of three parts.
            case malformed(parts: Int)
            /// Its time is over.
            case expired
            /// Its time has not come.
            case early
        }

        /// Signs claims, which are a JSON object.
        package static func sign(claims: String, secret: String) -> String {
            let signed = [#"{"alg":"HS256","typ":"JWT"}"#, claims].map { base64($0.utf8) }.joined(
                separator: "."
            )
            return signed + "." + base64(authenticationCode(message: Array(signed.utf8), secret: secret))
        }

        /// The claims of a token whose signature and time are right. Throws `Refusal`.
        package static func verify(_ token: String, secret: String, now: Date) throws -> JSONTree {
            let parts = token.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3 else { throw Refusal.malformed(parts: parts.count) }
            guard let head = json(part: parts[0]), head["alg"]?.text == "HS256",
                let claims = json(part: parts[1])
            else { throw Refusal.invalid }
            let code = authenticationCode(message: Array("\(parts[0]).\(parts[1])".utf8), secret: secret)
            guard base64(code) == parts[2] else { throw Refusal.invalid }
            if let end = claims["exp"]?.integer, Double(end) < now.timeIntervalSince1970 {
                throw Refusal.expired
            }
            if let start = claims["nbf"]?.integer, Double(start) > now.timeIntervalSince1970 + 30 {
                throw Refusal.early
            }
            return claims
        }

        /// HMAC with SHA-256 (RFC 2104).
        package static func authenticationCode(message: [UInt8], secret: String) -> [UInt8] {
            var key = Array(secret.utf8)
            if key.count > 64 { key = SHA256.digest(bytes: key) }
            key += [UInt8](repeating: 0, count: 64 - key.count)
            let inner = SHA256.digest(bytes: key.map { $0 ^ 0x36 } + message)
            return SHA256.digest(bytes: key.map { $0 ^ 0x5c } + inner)
        }

        /// Base 64 in the alphabet of URLs, without padding.
        private static func base64(_ bytes: some Sequence<UInt8>) -> String {
            Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }

        private static func json(part: Substring) -> JSONTree? {
            var text = part.replacing("-", with: "+").replacing("_", with: "/")
            text += String(repeating: "=", count: (4 - text.count % 4) % 4)
            return Data(base64Encoded: String(text)).flatMap { try? JSONTree(Array($0)) }
        }
    }
#endif
