public import SyncHTTPClient
public import SyncServerBackend

extension HTTPEnvironment {
    /// The system's clock, randomness, timer and `URLSession`. All clients of the app share their breakers.
    public static let system = HTTPEnvironment(
        clock: SystemClock(),
        random: SystemRandom(),
        sleeper: SystemSleeper()
    )
}

extension HTTPBackend {
    /// The server at a URL such as `https://sync.example.org`, for the account that the token is for.
    ///
    /// ```swift
    /// let backend = try HTTPBackend("https://sync.example.org") { try keychain.token(of: account) }
    /// ```
    ///
    /// - Parameters:
    ///   - url: As `ServerURL` takes it: `https`, or `http` on this machine.
    ///   - token: Gives the token to send now; asked before each request, and once more when the server refused one. Where
    ///     it still gives the same, the account is paused.
    /// - Throws: `SyncError` `usage` when the URL is none that a token may be sent to.
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
