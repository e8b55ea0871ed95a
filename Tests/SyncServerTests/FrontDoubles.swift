import Foundation
import SyncChecks
import SyncCore
import SyncServer
import SyncWire

/// Knows a few tokens.
struct FakeAuthenticator: Authenticator {
    var tokens = [
        "est_ada": Account(id: "id-ada", name: "ada"), "est_bob": Account(id: "id-bob", name: "bob"),
    ]
    /// Accounts that are added by the first use of their token.
    var newLogins: Set<String> = []
    var failure: (any Error)?
    var maxTokenBytes = 1024

    func authenticate(token: String) throws -> Account? {
        if let failure { throw failure }
        return tokens[token]
    }

    func authenticate(token: String, admitNew: () throws -> Void) throws -> Account? {
        guard newLogins.contains(token) else { return try authenticate(token: token) }
        try admitNew()
        return Account(id: "id-\(token)", name: token)
    }
}

/// Answers as the test defines, and records the requests.
final class FakeAccountHandler: AccountHandler, @unchecked Sendable {
    // Guarded by `lock`.
    private var requests: [(ServerRequest, Account)] = []
    private let lock = NSLock()
    private let body: @Sendable (ServerRequest, Account) throws -> ServerAnswer

    init(
        _ body: @escaping @Sendable (ServerRequest, Account) throws -> ServerAnswer = { _, _ in
            .response(HTTPResponse(status: 200, body: Array("{}".utf8)))
        }
    ) {
        self.body = body
    }

    var seen: [(ServerRequest, Account)] { lock.withLock { requests } }

    func answer(_ request: ServerRequest, for account: Account) async throws -> ServerAnswer {
        lock.withLock { requests.append((request, account)) }
        return try body(request, account)
    }
}

/// A request handler with test doubles.
struct Door {
    let clock = ManualClock()
    let accounts: FakeAccountHandler
    let handler: RequestHandler

    init(
        accounts: FakeAccountHandler = FakeAccountHandler(),
        authenticator: FakeAuthenticator = FakeAuthenticator(),
        limits: WireLimits = WireLimits(requestBytes: 100),
        rates: RatePolicy = RatePolicy()
    ) {
        self.accounts = accounts
        handler = RequestHandler(
            authenticator: authenticator,
            accounts: accounts,
            clock: clock,
            random: SeededRandom(1),
            limits: limits,
            rates: rates,
            openAPI: Array(#"{"openapi":"3.1.0"}"#.utf8)
        )
    }

    /// The answer to a request; nil for a stream.
    func response(
        method: String,
        path: String,
        headers: [(String, String)] = [],
        body: String = "",
        peer: String = "192.0.2.1"
    ) async -> (HTTPResponse, RequestLog)? {
        let request = ServerRequest(
            method: method,
            path: path,
            headers: headers.map { HTTPHeader(name: $0.0, value: $0.1) },
            body: Array(body.utf8),
            peer: peer
        )
        let (answer, log) = await handler.answer(request)
        guard case .response(let response) = answer else { return nil }
        return (response, log)
    }

    /// Sends an exchange of an account with a JSON body.
    func exchange(token: String = "est_ada", body: String = "{}", peer: String = "192.0.2.1") async
        -> (HTTPResponse, RequestLog)?
    {
        await response(
            method: "POST",
            path: "/v1/exchange",
            headers: [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")],
            body: body,
            peer: peer
        )
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
    var errorCode: WireError.Code? { WireError(body: body)?.code }
}
