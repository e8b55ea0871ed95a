#if Server
    import Foundation
    import JWTKit
    import SyncCore

    /// The keys that signatures of logins are checked with. Each is for one algorithm, so that a token cannot choose
    /// how it is checked.
    struct SigningKeys: Sendable {
        /// The most keys of a set.
        static let maxKeys = 64
        /// The fewest bytes of a shared secret: as many as its digest has (RFC 7518, section 3.2).
        static let minSecretBytes = 32

        private struct Key: Sendable {
            var id: String?
            var algorithm: any JWTAlgorithm

            /// Whether the key may check a token. Without an id on either side, only the algorithm decides.
            func fits(_ token: JSONWebToken) -> Bool {
                algorithm.name == token.algorithm && (id == nil || token.keyID == nil || id == token.keyID)
            }
        }

        private var keys: [Key]

        /// The only key of tokens with HS256. Throws `SyncError` for a secret that is too short.
        init(secret: [UInt8]) async throws {
            guard secret.count >= Self.minSecretBytes else { throw SyncError.shortLoginSecret }
            let keys = await JWTKeyCollection().add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
            self.keys = [Key(algorithm: try await keys.getKey())]
        }

        /// The keys for RS256 and ES256 of a JSON Web Key Set (RFC 7517). Others are passed over. Throws `SyncError`
        /// if it is no such set, or if none is left.
        init(set bytes: [UInt8]) async throws {
            guard let set = try? JSONDecoder().decode(KeySet.self, from: Data(bytes)) else {
                throw SyncError.badKeySet
            }
            keys = []
            for entry in set.keys.prefix(Self.maxKeys) {
                if let key = await Self.key(entry: entry) { keys.append(key) }
            }
            guard !keys.isEmpty else { throw SyncError.noSigningKeys }
        }

        /// Whether there is a key for a token. If not, it may have come since the keys were loaded.
        func hasKey(for token: JSONWebToken) -> Bool { keys.contains { $0.fits(token) } }

        /// Whether one of the keys has signed a token.
        func haveSigned(_ token: JSONWebToken) -> Bool {
            keys.contains { key in
                key.fits(token) && (try? key.algorithm.verify(token.signature, signs: token.signed)) == true
            }
        }

        private static func key(entry: KeySet.Entry) async -> Key? {
            guard var key = entry.key, entry.use ?? "sig" == "sig", let name = algorithm(of: key) else {
                return nil
            }
            let id = key.keyIdentifier?.string
            // The library wants a name, and looks nothing up by it here: each collection has one key.
            key.keyIdentifier = JWKIdentifier(string: "key")
            // A private key is nothing that this server wants.
            key.privateExponent = nil
            guard let keys = try? await JWTKeyCollection().add(jwk: key),
                let algorithm = try? await keys.getKey(alg: name.rawValue), algorithm.name == name.rawValue
            else { return nil }
            return Key(id: id, algorithm: algorithm)
        }

        /// The algorithm that a key is for; nil for one that this server does not accept.
        private static func algorithm(of key: JWK) -> JWK.Algorithm? {
            let name: JWK.Algorithm
            switch (key.keyType, key.curve?.rawValue) {
            case (.rsa, _): name = .rs256
            case (.ecdsa, "P-256"): name = .es256
            default: return nil
            }
            return key.algorithm ?? name == name ? name : nil
        }
    }

    /// A JSON Web Key Set. A key that the library cannot read is passed over: sets also have keys for other purposes.
    private struct KeySet: Decodable {
        var keys: [Entry]

        struct Entry: Decodable {
            var key: JWK?
            var use: String?

            private enum Fields: String, CodingKey { case use }

            init(from decoder: any Decoder) throws {
                key = try? JWK(from: decoder)
                use = try? decoder.container(keyedBy: Fields.self).decodeIfPresent(String.self, forKey: .use)
            }
        }
    }
#endif
