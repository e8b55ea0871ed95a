#if Server
    import SyncCore
    import SyncServer

    /// Accepts the JSON Web Tokens of a login beside the tokens of the accounts' file.
    struct LoginAuthenticator: Authenticator {
        let accounts: ServerAccounts
        let keys: LoginKeys
        let policy: LoginPolicy
        let clock: any SyncClock

        /// Enough for the claims of usual logins.
        var maxTokenBytes: Int { 8 * 1024 }

        /// Loads the keys of the login again if that is due.
        func prepare(token text: String) async {
            guard let token = JSONWebToken(text) else { return }
            await keys.prepare(for: token)
        }

        /// The account of a token: of the login if it has the form of a JSON Web Token, otherwise of the accounts'
        /// file.
        func authenticate(token text: String) throws -> Account? {
            try authenticate(token: text, admitNew: {})
        }

        func authenticate(token text: String, admitNew: () throws -> Void) throws -> Account? {
            guard JSONWebToken.hasForm(text) else { return try accounts.authenticate(token: text) }
            guard let token = JSONWebToken(text), keys.current.haveSigned(token),
                let claims = try policy.claims(payload: token.payload, now: clock.now())
            else { return nil }
            return try accounts.account(
                login: claims.account,
                issuer: policy.derivesIDs ? claims.issuer ?? "" : nil,
                mayAdd: policy.addsAccounts,
                admitNew: admitNew
            )
        }
    }
#endif
