#if Server
    import Foundation

    /// What this server reads of the claims of a JSON Web Token (RFC 7519, section 4.1). Times are seconds since
    /// 1970.
    struct LoginClaims: DecodableWithConfiguration {
        /// When the token ends (`exp`).
        var expires: Double
        /// When the token begins (`nbf`).
        var notBefore: Double?
        /// Who made the token (`iss`).
        var issuer: String?
        /// Whom the token is for (`aud`), which is one text or a list.
        var audiences: [String]
        /// The claim that names the account.
        var account: String

        /// Reads claims. Throws if one of them has another type than it should, or if the account or the end is
        /// missing.
        static func decode(payload: [UInt8], accountClaim: String) throws -> LoginClaims {
            try JSONDecoder().decode(LoginClaims.self, from: Data(payload), configuration: accountClaim)
        }

        init(from decoder: any Decoder, configuration accountClaim: String) throws {
            let claims = try decoder.container(keyedBy: Name.self)
            expires = try claims.decode(Double.self, forKey: Name("exp"))
            notBefore = try claims.decodeIfPresent(Double.self, forKey: Name("nbf"))
            issuer = try claims.decodeIfPresent(String.self, forKey: Name("iss"))
            account = try claims.decode(String.self, forKey: Name(accountClaim))
            // NB: not the library's claim, which ends the process at an empty list
            // (`numbersWithoutMeasureAndAListWithoutAudienceEndNothing`).
            if let audience = try? claims.decodeIfPresent(String.self, forKey: Name("aud")) {
                audiences = [audience]
            } else {
                audiences = try claims.decodeIfPresent([String].self, forKey: Name("aud")) ?? []
            }
        }

        /// The name of a claim.
        private struct Name: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }

            init(_ name: String) { stringValue = name }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
    }
#endif
