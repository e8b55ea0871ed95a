public import SyncCore
public import SyncHTTPClient
import SyncWire

/// A server with protocol v1 as the remote.
///
/// A sync with nothing to do is one request. Failed requests are retried with growing, random delays. Retrying after
/// a lost answer changes nothing.
public struct HTTPBackend: RemoteBackend {
    let client: HTTPClient
    let limits: HTTPLimits
    /// The path of the log, below the server's URL: the account's own unless a scratch log is named.
    let path: String
    /// The last part of the exchange's path.
    let exchangeName: String

    /// A backend for one account at one server. `onRetry` is called before each wait.
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

    /// A backend on a client, which may be shared and keeps the account's token.
    package init(
        client: HTTPClient,
        limits: HTTPLimits = HTTPLimits(),
        path: String = WireProtocol.rootPath,
        exchangeName: String = WireProtocol.exchangeName
    ) {
        self.client = client
        self.limits = limits
        self.path = path
        self.exchangeName = exchangeName
    }

    /// Everything except scopes. Requests carry fingerprints, and the answer says whether another device differs.
    public var capabilities: RemoteCapabilities {
        [
            .compareAndSet, .tombstones, .versionMetadata, .revisions, .changeHints, .requestComparison,
            .evictions,
        ]
    }

    /// Yields when something changed at the server: once when connected, and for each change. Reconnects
    /// automatically. Ends with an error only if the server does not permit it. Connects when it is first read.
    public func hints() -> AsyncThrowingStream<Void, any Error> {
        client.changes(path: path + WireProtocol.eventsName)
    }

    /// Rejected tokens may be sent once more.
    public func accountResumed() async { await client.tokens.resume() }

    /// Asks the server for changes, and checks that the store is bound to it. Throws `SyncError`.
    public func open(_ request: SessionRequest) async throws -> any RemoteSession {
        if let binding = request.binding, !request.rejoin, HTTPBinding(binding) == nil {
            throw SyncError.boundElsewhere()
        }
        var exchange = ServerSession(
            client: client,
            request: request,
            limits: limits,
            path: path + exchangeName
        )
        let answer = try await exchange.first()
        try check(HTTPBinding(answer), request: request)
        let state = request.rejoin ? HTTPCursor() : request.cursor.flatMap { HTTPCursor($0) } ?? HTTPCursor()
        // A batch that the store neither had acknowledged nor has in flight was pushed by a copy of it.
        let isKnown = answer.batch == state.batch || answer.batch == request.intent
        let isCopy = !isKnown && !request.rejoin
        return HTTPSession(exchange: exchange, first: answer, isCopy: isCopy)
    }

    /// The clock in the server's last answer, and its earliest time for the next request.
    public func conditions() async -> RemoteConditions {
        // The client measures how far this device is ahead, because it knows this device's time exactly.
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
