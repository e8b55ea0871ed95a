public import SyncHTTPClient
public import SyncServerBackend

extension HTTPBackend {
    /// A server at a URL such as `https://sync.example.org`, for the account of the token.
    ///
    /// ```swift
    /// let backend = try HTTPBackend(url: "https://sync.example.org") { try keychain.token(of: account) }
    /// ```
    ///
    /// - Parameters:
    ///   - url: A URL that `ServerURL` accepts: `https`, or `http` on this machine.
    ///   - token: Returns the current token. Called before each request, and once more after the server rejects a
    ///     token. If it then returns the same token, the account is paused.
    /// - Throws: `SyncError` `usage` if no token may be sent to the URL.
    public init(
        url: String,
        environment: HTTPEnvironment = .system,
        token: @escaping @Sendable () async throws -> String
    ) throws {
        self.init(
            url: try ServerURL(url),
            credentials: AskedToken(ask: token),
            environment: environment
        )
    }
}

/// A token from a closure.
private struct AskedToken: CredentialSource {
    let ask: @Sendable () async throws -> String

    func token() async throws -> String { try await ask() }

    func refresh(refused: String) async throws -> String? {
        let token = try await ask()
        return token == refused ? nil : token
    }
}
