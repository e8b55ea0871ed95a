public import SyncCore
public import SyncHTTPClient
public import SyncServerBackend

/// A Supabase project, or a PostgREST server, as the remote: protocol v1 as one function of the database.
///
/// The database needs the SQL that `synccheck generate --sql postgres` writes. A sync with nothing to do is one
/// request, `POST /rest/v1/rpc/entitysync_exchange`. The store is bound to the user in the token (its claim `sub`): a
/// token of another user is refused before anything is exchanged.
///
/// PostgREST does not notify of changes, so the scheduler asks at its usual times.
public struct SupabaseBackend: RemoteBackend {
    /// The backends at the places where PostgREST may answer, in the order in which they are tried.
    private let places: [HTTPBackend]
    /// The place that answered.
    private let found: Guarded<Int?>
    /// Whether the last answer said that nothing is at that place.
    private let isElsewhere: Guarded<Bool>

    /// A backend for one user of one project.
    ///
    /// - Parameters:
    ///   - url: The project's URL, such as `https://xyz.supabase.co`.
    ///   - publishableKey: The project's publishable key (or anon key); empty for PostgREST without a gateway.
    ///   - session: Provides the user's JWT. It is asked before each request, and once more for another token after
    ///     one was refused. If there is no other, the account is paused.
    ///   - restPath: Where PostgREST answers below the URL: `/rest/v1` at Supabase, empty for PostgREST alone. If it
    ///     is nil, both are tried.
    ///   - environment: Clock, randomness, timer and transport.
    ///   - limits: Limits of pages, answers and pushes.
    ///   - onRetry: Called before each wait.
    public init(
        url: ServerURL,
        publishableKey: String,
        session: any CredentialSource,
        restPath: String? = "/rest/v1",
        environment: HTTPEnvironment,
        limits: HTTPLimits = HTTPLimits(),
        onRetry: @escaping @Sendable (HTTPRetry) -> Void = { _ in }
    ) {
        let isElsewhere = Guarded(false)
        let client = HTTPClient(
            url: url,
            credentials: session,
            conventions: .supabase(publishableKey: publishableKey) { isElsewhere.use { $0 = true } },
            environment: environment,
            onRetry: onRetry
        )
        self.isElsewhere = isElsewhere
        found = Guarded(restPath == nil ? nil : 0)
        places = (restPath.map { [$0] } ?? ["/rest/v1", ""]).map { path in
            HTTPBackend(
                client: client,
                limits: limits,
                path: path + "/rpc/",
                exchangeName: "entitysync_exchange"
            )
        }
    }

    /// Everything except scopes and hints.
    public var capabilities: RemoteCapabilities { places[0].capabilities.subtracting(.changeHints) }

    /// A refused token may be sent once more.
    public func accountResumed() async { await places[0].accountResumed() }

    /// Asks the database for changes, and checks that the store is bound to it and to the user. Throws `SyncError`.
    public func open(_ request: SessionRequest) async throws -> any RemoteSession {
        if let place = found.use({ $0 }) { return try await places[place].open(request) }
        for place in places.indices.dropLast() {
            isElsewhere.use { $0 = false }
            do {
                let session = try await places[place].open(request)
                found.use { $0 = place }
                return session
            } catch {
                guard isElsewhere.use({ $0 }) else { throw error }
            }
        }
        let session = try await places[places.count - 1].open(request)
        found.use { $0 = places.count - 1 }
        return session
    }

    /// The clock in the database's last answer, and the earliest time for the next request.
    public func conditions() async -> RemoteConditions { await places[0].conditions() }
}
