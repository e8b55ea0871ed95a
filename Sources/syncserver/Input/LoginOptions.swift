import ArgumentParser
import Foundation
import SyncCore
import SyncServer

/// The options for JSON Web Tokens of a login that exists already.
struct LoginOptions: ParsableArguments {
    /// Whether a login makes accounts.
    enum Accounts: String, ExpressibleByArgument, CaseIterable {
        case create, existing
    }

    @Option(
        help: ArgumentHelp(
            "The file with the secret of a login that signs with HS256; at least 32 bytes.",
            valueName: "file"
        ),
        completion: .file()
    )
    var jwtSecretFile: String?

    @Option(
        help: ArgumentHelp(
            "The key set of a login that signs with RS256 or ES256: a file, or its https URL.",
            valueName: "file|url"
        ),
        completion: .file(extensions: ["json"])
    )
    var jwks: String?

    @Option(help: ArgumentHelp("Whom a JWT must come from (its 'iss').", valueName: "text"))
    var jwtIssuer: String?

    @Option(
        help: ArgumentHelp("Whom a JWT must be for (its 'aud'); may be repeated.", valueName: "text")
    )
    var jwtAudience: [String] = []

    @Option(help: ArgumentHelp("The claim that names the account. (default: sub)", valueName: "claim"))
    var jwtAccountClaim: String?

    @Option(
        help: ArgumentHelp(
            "Whether a login without an account gets one or is refused. (default: create)",
            valueName: "what"
        )
    )
    var jwtAccounts: Accounts?

    func validate() throws {
        let hasSource = jwtSecretFile != nil || jwks != nil
        guard jwtSecretFile == nil || jwks == nil else {
            throw ValidationError("Give '--jwt-secret-file' or '--jwks', and not both.")
        }
        let hasMore =
            jwtIssuer != nil || !jwtAudience.isEmpty || jwtAccountClaim != nil || jwtAccounts != nil
        guard hasSource || !hasMore else {
            throw ValidationError("Options for a JWT need '--jwt-secret-file' or '--jwks'.")
        }
        // NB: the keys of a large provider are those of all its customers (decision 0077).
        guard jwks == nil || jwtIssuer != nil || !jwtAudience.isEmpty else {
            throw ValidationError("'--jwks' needs '--jwt-audience', '--jwt-issuer' or both.")
        }
        let texts = [jwtSecretFile, jwks, jwtIssuer, jwtAccountClaim].compactMap { $0 } + jwtAudience
        guard texts.allSatisfy({ !$0.isEmpty }) else {
            throw ValidationError("The options for a JWT have no empty value.")
        }
    }

    #if Server
        /// What accepts the tokens of the login; nil if there is no login. Throws `SyncError` if its keys cannot be
        /// loaded.
        ///
        /// - Parameters:
        ///   - accounts: Finds and adds the accounts of logins.
        ///   - derivesIDs: Whether the id of an account that is added follows from issuer and name.
        ///   - clock: Tells whether tokens have expired, and keys are to be loaded again.
        ///   - transport: Loads keys from a URL.
        ///   - onFailure: Called when loading the keys again has failed.
        func authenticator(
            accounts: ServerAccounts,
            derivesIDs: Bool,
            clock: any SyncClock,
            transport: any HTTPTransport,
            onFailure: @escaping @Sendable (any Error) -> Void
        ) async throws -> LoginAuthenticator? {
            guard let source = try source() else { return nil }
            let keys = try await LoginKeys(clock: clock, onFailure: onFailure) {
                try await source.load(transport: transport)
            }
            return LoginAuthenticator(
                accounts: accounts,
                keys: keys,
                policy: policy(derivesIDs: derivesIDs),
                clock: clock
            )
        }

        private func policy(derivesIDs: Bool) -> LoginPolicy {
            var policy = LoginPolicy()
            policy.derivesIDs = derivesIDs
            policy.issuer = jwtIssuer
            policy.audiences = jwtAudience
            policy.accountClaim = jwtAccountClaim ?? LoginPolicy.defaultAccountClaim
            policy.addsAccounts = jwtAccounts != .existing
            return policy
        }

        private func source() throws -> KeySource? {
            if let jwtSecretFile { return .secretFile(path: jwtSecretFile) }
            return try jwks.map { try KeySource.set($0) }
        }
    #endif
}
