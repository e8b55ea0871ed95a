import Foundation
import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

@Suite struct FrontOperatorTests {
    private static let token = "operator-0123456789"

    /// A handler with an operator's page.
    private func handler(
        clock: ManualClock = ManualClock(),
        activity: ServerActivity? = nil,
        failure: StorageFailure? = nil,
        hasPage: Bool = true,
        authenticator: any Authenticator = FakeAuthenticator()
    ) -> RequestHandler {
        RequestHandler(
            authenticator: authenticator,
            accounts: FakeAccountHandler(),
            clock: clock,
            random: SeededRandom(1),
            rates: RatePolicy(failuresPerSecond: 0.1, failureBurst: 3),
            openAPI: [],
            activity: activity,
            admin: hasPage
                ? AdminAccess(token: Self.token) { Array("<p>\($0 ? "draining" : "page")</p>".utf8) } : nil,
            storageFailure: { failure }
        )
    }

    private func answer(_ handler: RequestHandler, path: String, authorization: String? = nil) async throws
        -> (HTTPResponse, RequestLog)
    {
        let headers = authorization.map { [HTTPHeader(name: "Authorization", value: $0)] } ?? []
        let request = ServerRequest(method: "GET", path: path, headers: headers, peer: "192.0.2.1")
        let (answer, log) = await handler.answer(request)
        guard case .response(let response) = answer else { throw CancellationError() }
        return (response, log)
    }

    private func basic(_ password: String) -> String {
        "Basic " + Data("operator:\(password)".utf8).base64EncodedString()
    }

    @Test(arguments: StorageFailure.allCases)
    func aServerThatCannotStoreIsAliveAndNotReady(failure: StorageFailure) async throws {
        let handler = handler(failure: failure)
        #expect(try await answer(handler, path: "/health").0.status == 200)
        let (ready, log) = try await answer(handler, path: "/ready")
        #expect(ready.status == 503)
        #expect(ready.text == #"{"status":"storing-fails","reason":"\#(failure.rawValue)"}"#)
        #expect(log.line(at: Timestamp(microseconds: 0)).contains(failure.rawValue), "the log has the reason")
        #expect(log.cause == failure.rawValue, "the plain reason, and not the answer's body")
    }

    @Test func aServerThatStoresIsReadyUntilItIsAboutToStop() async throws {
        let handler = handler()
        #expect(try await answer(handler, path: "/ready").0.text == #"{"status":"ok"}"#)
        handler.drain()
        let (ready, log) = try await answer(handler, path: "/ready")
        #expect(ready.status == 503 && ready.text == #"{"status":"draining"}"#)
        #expect(log.cause == "draining")
    }

    @Test func theOperatorsTokenOpensThePageAndNoOther() async throws {
        for authorization in ["Bearer \(Self.token)", basic(Self.token)] {
            let page = try await answer(handler(), path: "/admin", authorization: authorization).0
            #expect(page.status == 200 && page.text == "<p>page</p>")
            #expect(page.header("Cache-Control") == "no-store")
            #expect(page.header("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
        }
        let wrong = [
            nil, "Bearer est_ada", "Bearer \(Self.token)x", basic("x"), basic(""), "Basic !!!", "Basic",
            Self.token, "Bearer \(Self.token) \(Self.token)",
        ]
        for authorization in wrong {
            let page = try await answer(handler(), path: "/admin", authorization: authorization).0
            #expect(page.status == 401 && !page.text.contains("page"), "\(authorization ?? "none")")
            #expect(page.header("WWW-Authenticate")?.hasPrefix("Basic realm=") == true)
        }
        // The operator's token is no account's.
        let exchange = try await answer(handler(), path: "/v1/events", authorization: "Bearer \(Self.token)")
            .0
        #expect(exchange.status == 401)
    }

    @Test func attemptsAtTheOperatorsTokenAreBounded() async throws {
        let clock = ManualClock()
        let handler = handler(clock: clock)
        for _ in 0..<3 { #expect(try await answer(handler, path: "/admin").0.status == 401) }
        let limited = try await answer(handler, path: "/admin", authorization: basic(Self.token)).0
        #expect(limited.status == 429 && limited.header("Retry-After") != nil, "even the right one waits")
        clock.advance(seconds: 60)
        #expect(try await answer(handler, path: "/admin", authorization: basic(Self.token)).0.status == 200)
    }

    @Test func withoutATokenThereIsNoPage() async throws {
        let page = try await answer(handler(hasPage: false), path: "/admin", authorization: basic(Self.token))
            .0
        #expect(page.status == 404)
        #expect(AdminAccess(token: "short", page: { _ in [] }) == nil)
    }

    @Test func anExpiredTokenIsToldApartFromAWrongOne() async throws {
        struct Expired: Authenticator {
            func authenticate(token: String) throws -> Account? {
                throw WireError(code: .unauthorized, detail: "The token has expired.")
            }
        }
        let handler = handler(authenticator: Expired())
        let answer = try await answer(handler, path: "/v1/events", authorization: "Bearer est_x").0
        #expect(answer.status == 401)
        #expect(
            answer.header("WWW-Authenticate")
                == #"Bearer error="invalid_token", error_description="The token has expired.""#
        )
    }

    @Test func whatIsRememberedIsBoundedAndTheNewestComesFirst() throws {
        let clock = ManualClock()
        let activity = ServerActivity(clock: clock)
        for number in 0..<ServerActivity.maxDevices + 5 {
            clock.advance(seconds: 1)
            var counts = PushCounts()
            counts.refused = 1
            activity.note(
                ExchangeReport(
                    account: "a",
                    device: "\(number)",
                    counts: counts,
                    refused: [.init(entity: "note", rule: "rule \(number)")]
                )
            )
        }
        let snapshot = activity.snapshot
        #expect(snapshot.devices.count <= ServerActivity.maxDevices)
        #expect(snapshot.devices.first?.id == "\(ServerActivity.maxDevices + 4)")
        #expect(snapshot.devices.first?.refused == 1)
        #expect(snapshot.refused.count == ServerActivity.maxEntries)
        #expect(snapshot.refused.first?.change.rule == "rule \(ServerActivity.maxDevices + 4)")
    }

    @Test func onlyRequestsThatTookLongAreRemembered() async throws {
        let activity = ServerActivity(clock: ManualClock(), slowMicroseconds: 0)
        let all = handler(activity: activity)
        _ = try await answer(all, path: "/health")
        #expect(activity.snapshot.slow.map(\.entry.route) == ["/health"])
        let patient = ServerActivity(clock: ManualClock(), slowMicroseconds: 1)
        _ = try await answer(handler(activity: patient), path: "/health")
        #expect(patient.snapshot.slow.isEmpty)
    }
}
