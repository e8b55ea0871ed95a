public import SyncCore
public import SyncHTTPClient
import SyncWire

/// A server that speaks protocol v1 as remote.
///
/// A sync with nothing to do is one request. Requests that fail are repeated with growing, random delays; one that is
/// repeated after its answer was lost changes nothing.
public struct HTTPBackend: RemoteBackend {
    let client: HTTPClient
    let limits: HTTPLimits
    /// Where the log is, below the server's URL; the account's own unless a scratch log is named.
    let path: String

    /// A backend for one account at one server. `onRetry` is told of each wait.
    public init(
        url: ServerURL,
        credentials: any CredentialSource,
        environment: HTTPEnvironment,
        limits: HTTPLimits = HTTPLimits(),
        onRetry: @escaping @Sendable (HTTPRetry) -> Void = { _ in }
    ) {
        self.init(
            client: HTTPClient(
                url: url,
                credentials: credentials,
                conventions: .syncServer,
                environment: environment,
                onRetry: onRetry
            ),
            limits: limits
        )
    }

    /// A backend on a client, which may be shared: an account's token is kept there.
    package init(
        client: HTTPClient,
        limits: HTTPLimits = HTTPLimits(),
        path: String = WireProtocol.rootPath
    ) {
        self.client = client
        self.limits = limits
        self.path = path
    }

    /// All but scopes. A request tells what the store shows, and the answer whether another device shows otherwise.
    public var capabilities: RemoteCapabilities {
        [.compareAndSet, .tombstones, .versionMetadata, .revisions, .changeHints, .requestComparison]
    }

    /// Says when something changed at the server: once when connected, and for each change. Reconnects by itself; ends
    /// with an error only when the server does not permit it. Nothing is connected before it is read.
    public func hints() -> AsyncThrowingStream<Void, any Error> {
        client.changes(path: path + WireProtocol.eventsName)
    }

    /// Tokens that were refused may be sent once more.
    public func accountResumed() async { await client.tokens.resume() }

    /// Asks the server what changed, and checks that it is the one that the store is bound to. Throws `SyncError`.
    public func open(_ request: SessionRequest) async throws -> any RemoteSession {
        if let binding = request.binding, !request.rejoin, HTTPBinding(binding) == nil {
            throw SyncError.boundElsewhere()
        }
        var exchange = ServerSession(client: client, request: request, limits: limits, path: path)
        let answer = try await exchange.first()
        try check(HTTPBinding(answer), request: request)
        let state = request.rejoin ? HTTPCursor() : request.cursor.flatMap { HTTPCursor($0) } ?? HTTPCursor()
        // NB: a batch that the store neither had acknowledged nor has in flight was pushed by a copy of it.
        let isKnown = answer.batch == state.batch || answer.batch == request.intent
        let isCopy = !isKnown && !request.rejoin && !Mutation.disables(.copyNoticed)
        return HTTPSession(exchange: exchange, first: answer, isCopy: isCopy)
    }

    /// The clock of the server's last answer, and until when it is not to be asked again.
    public func conditions() async -> RemoteConditions {
        // NB: the client measures how far this device is ahead, as it is this device's time that it knows exactly.
        RemoteConditions(
            clockSkewSeconds: client.skewSeconds.map { 0 - $0 },
            notBefore: client.notBefore,
            requests: client.requests
        )
    }

    private func check(_ found: HTTPBinding, request: SessionRequest) throws {
        guard let bound = request.binding.flatMap({ HTTPBinding($0) }), !request.rejoin, bound != found else {
            return
        }
        throw bound.account == found.account ? SyncError.historyChanged() : SyncError.otherAccount()
    }
}
