#if Server
    import Foundation
    import JWTKit

    /// A login that signs tokens with one key.
    struct TestLogin: Sendable {
        /// A value of a claim.
        typealias Claim = JWTHeaderField

        /// The algorithms that the server accepts.
        enum Algorithm: CaseIterable, Sendable { case hs256, rs256, es256 }

        /// The secret that a login with HS256 shares with the server.
        static let secret = "a-secret-that-only-these-tests-know-of"
        /// The end of tokens for servers with the system's clock: the year 2100.
        static let farEnd = 4_102_444_800

        /// The key's id; nil for a secret.
        let keyID: String?
        /// The public key as a member of a key set; empty for a secret.
        let publicKey: String
        private let keys = JWTKeyCollection()

        init(_ algorithm: Algorithm, id: String = "key-1") async throws {
            switch algorithm {
            case .hs256:
                (keyID, publicKey) = (nil, "")
                await keys.add(hmac: HMACKey(from: Self.secret), digestAlgorithm: .sha256)
            case .rs256:
                keyID = id
                publicKey = Self.rsaKey(id: id, modulus: TestRSAKeys.modulus)
                await keys.add(
                    rsa: try Insecure.RSA.PrivateKey(pem: TestRSAKeys.privateKey),
                    digestAlgorithm: .sha256,
                    kid: JWKIdentifier(string: id)
                )
            case .es256:
                let key = ES256PrivateKey()
                let point = key.parameters ?? ("", "")
                keyID = id
                publicKey = #"{"kty":"EC","crv":"P-256","kid":"\#(id)","x":"\#(point.x)","y":"\#(point.y)"}"#
                await keys.add(ecdsa: key, kid: JWKIdentifier(string: id))
            }
        }

        /// An RSA key as a member of a key set, with further members.
        static func rsaKey(id: String, modulus: String, more: String = #","use":"sig","alg":"RS256""#)
            -> String
        {
            #"{"kty":"RSA","kid":"\#(id)","n":"\#(modulus)","e":"AQAB"\#(more)}"#
        }

        /// A key set with some keys.
        static func keySet(_ keys: String...) -> String { #"{"keys":[\#(keys.joined(separator: ","))]}"# }

        /// A signed token.
        ///
        /// - Parameters:
        ///   - account: The claim `sub`; nil for none.
        ///   - expires: The claim `exp`; nil for none.
        ///   - claims: Further claims, which replace those of the same name.
        ///   - header: Further members of the header.
        func token(
            _ account: String?,
            expires: Int? = farEnd,
            claims: [String: Claim] = [:],
            header: [String: Claim] = [:]
        ) async throws -> String {
            var fields: [String: Claim] = [:]
            if let account { fields["sub"] = .string(account) }
            if let expires { fields["exp"] = .int(expires) }
            let claims = Claims(fields: fields.merging(claims) { $1 })
            let id = header["kid"] == nil ? keyID.map { JWKIdentifier(string: $0) } : nil
            return try await keys.sign(claims, kid: id, header: JWTHeader(fields: header))
        }

        /// Tokens that the RSA key has signed rightly, with algorithms that the server does not accept.
        static func tokensOfOtherAlgorithms(account: String) async throws -> [String] {
            let key = try Insecure.RSA.PrivateKey(pem: TestRSAKeys.privateKey)
            let claims = Claims(fields: ["sub": .string(account), "exp": .int(farEnd)])
            return [
                try await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha384).sign(claims),
                try await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha512).sign(claims),
                try await JWTKeyCollection().add(pss: key, digestAlgorithm: .sha256).sign(claims),
            ]
        }

        /// A token of parts as they are, which need not fit each other.
        static func raw(header: String, claims: String, signature: [UInt8]) -> String {
            [Array(header.utf8), Array(claims.utf8), signature].map { bytes in
                Data(bytes).base64EncodedString()
                    .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            }
            .joined(separator: ".")
        }

        /// A token of parts as they are, with the signature of HS256.
        static func raw(header: String, claims: String, secret: String = secret) async throws -> String {
            let keys = await JWTKeyCollection().add(
                hmac: HMACKey(from: Array(secret.utf8)),
                digestAlgorithm: .sha256
            )
            let unsigned = raw(header: header, claims: claims, signature: []).dropLast()
            let signature = try await keys.getKey().sign(Array(unsigned.utf8))
            return raw(header: header, claims: claims, signature: signature)
        }

        private struct Claims: JWTPayload {
            var fields: [String: JWTHeaderField]

            init(fields: [String: JWTHeaderField]) { self.fields = fields }
            init(from decoder: any Decoder) throws { fields = try .init(from: decoder) }
            func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }
            func verify(using algorithm: some JWTAlgorithm) async throws {}
        }
    }
#endif
