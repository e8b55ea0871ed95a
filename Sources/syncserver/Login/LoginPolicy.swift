#if Server
    import SyncCore
    import SyncServer
    import SyncWire

    /// Which tokens of a login are accepted, and for which account.
    struct LoginPolicy: Sendable {
        /// The claim that names the account if the operator names no other.
        static let defaultAccountClaim = "sub"

        /// Who must have made a token; nil for anybody who has the key.
        var issuer: String?
        /// A token must be for one of these; empty for any.
        var audiences: [String] = []
        /// The claim that names the account.
        var accountClaim = defaultAccountClaim
        /// Whether an account is added when its login is used for the first time.
        var addsAccounts = true
        /// Whether the id of an account that is added follows from issuer and name. Servers that share a database have
        /// no other way to agree on it.
        var derivesIDs = false
        /// How far the clocks of this server and of the login may be apart.
        var leewaySeconds = 60.0

        /// The claims of a token whose signature was verified; nil if the token is not for this server. Throws
        /// `WireError` for a token that has expired.
        func claims(payload: [UInt8], now: Timestamp) throws -> LoginClaims? {
            guard let claims = try? LoginClaims.decode(payload: payload, accountClaim: accountClaim),
                issuer == nil || claims.issuer == issuer,
                audiences.isEmpty || !Set(audiences).isDisjoint(with: claims.audiences)
            else { return nil }
            let seconds = Double(now.microseconds) / 1e6
            guard seconds + leewaySeconds >= claims.notBefore ?? seconds else { return nil }
            guard seconds < claims.expires + leewaySeconds else { throw WireError.expiredToken }
            return claims
        }
    }
#endif
