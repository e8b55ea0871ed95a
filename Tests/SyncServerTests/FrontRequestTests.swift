import SyncCore
import SyncServer
import SyncWire
import Testing

@Suite struct FrontRequestTests {
    @Test func healthSaysOKUntilTheServerIsAboutToStop() async throws {
        let door = Door()
        let (answer, _) = try #require(await door.response(method: "GET", path: "/health"))
        #expect(answer.status == 200 && answer.text == #"{"status":"ok"}"#)
        #expect(answer.header("content-type") == "application/json")
        door.handler.drain()
        #expect(await door.response(method: "GET", path: "/health")?.0.status == 503)
        #expect(await door.exchange()?.0.status == 200)
    }

    @Test func theDocumentIsForEverybody() async throws {
        let (answer, log) = try #require(await Door().response(method: "GET", path: "/v1/openapi.json"))
        #expect(answer.status == 200 && answer.text == #"{"openapi":"3.1.0"}"#)
        #expect(answer.header("cache-control") == "no-store")
        #expect(log.route == "/v1/openapi.json" && log.account == nil)
    }

    @Test func anExchangeReachesTheAccountOfItsToken() async throws {
        let door = Door()
        let (answer, log) = try #require(await door.exchange(token: "est_bob", body: #"{"a":1}"#))
        #expect(answer.status == 200 && answer.text == "{}")
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        #expect(answer.header("X-Request-Id") == log.requestID)
        let (request, account) = try #require(door.accounts.seen.first)
        #expect(account.id == "id-bob" && request.body == Array(#"{"a":1}"#.utf8))
        #expect(log.account == "id-bob" && log.bytesIn == 7 && log.bytesOut == 2)
    }

    @Test(arguments: [
        [], [("Authorization", "est_ada")], [("Authorization", "Basic est_ada")],
        [("Authorization", "Bearer")],
        [("Authorization", "Bearer ")], [("Authorization", "Bearer est_eve")],
        [("Authorization", "Bearer est_ada est_bob")],
        [("Authorization", "Bearer est_ada"), ("authorization", "Bearer est_ada")],
        [("Authorization", "Bearer \(String(repeating: "x", count: 5000))")],
    ])
    func withoutOneValidTokenNothingIsAnswered(headers: [(String, String)]) async throws {
        let door = Door()
        for path in ["/v1/exchange", "/v1/events", "/v1/nothing", "/v1/scratch/a/exchange", "/v1/scratch/a"] {
            let (answer, log) = try #require(
                await door.response(
                    method: "POST",
                    path: path,
                    headers: headers + [("Content-Type", "application/json")],
                    body: "{}"
                )
            )
            #expect(answer.status == 401 && answer.errorCode == .unauthorized)
            #expect(answer.header("WWW-Authenticate") == "Bearer")
            #expect(answer.header("Content-Type") == "application/problem+json")
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(log.account == nil && log.errorCode == "unauthorized")
        }
        #expect(door.accounts.seen.isEmpty)
    }

    @Test func theSchemeIsReadWithoutRegardToCase() async throws {
        for scheme in ["bearer", "BEARER", "Bearer"] {
            let fields = [
                ("authorization", "\(scheme) est_ada"), ("content-type", "APPLICATION/JSON; charset=utf-8"),
            ]
            #expect(
                await Door().response(method: "POST", path: "/v1/exchange", headers: fields, body: "{}")?.0
                    .status
                    == 200
            )
        }
    }

    @Test func pathsAndMethodsThatAreNotThereSaySo() async throws {
        let door = Door()
        let token = [("Authorization", "Bearer est_ada")]
        for path in ["/", "", "/v2/exchange", "/health/", "/V1/exchange", "//v1/exchange", "/v1", "*"] {
            #expect(await door.response(method: "GET", path: path)?.0.status == 404, "\(path)")
        }
        for path in ["/v1/", "/v1/exchange/", "/v1/%65xchange", "/v1/../health", "/v1/exchange\u{0}"] {
            #expect(
                await door.response(method: "GET", path: path, headers: token)?.0.status == 404,
                "\(path)"
            )
        }
        for (method, path, allow) in [
            ("GET", "/v1/exchange", "POST"), ("HEAD", "/v1/exchange", "POST"), ("POST", "/v1/events", "GET"),
            ("DELETE", "/health", "GET, HEAD"), ("TRACE", "/metrics", "GET, HEAD"),
            ("get", "/health", "GET, HEAD"), ("PUT", "/v1/scratch/a/exchange", "POST"),
        ] {
            let (answer, _) = try #require(await door.response(method: method, path: path, headers: token))
            #expect(answer.status == 405 && answer.errorCode == .methodNotAllowed)
            #expect(answer.header("Allow") == allow)
        }
        #expect(door.accounts.seen.isEmpty)
    }

    @Test func optionsNamesTheMethods() async throws {
        let door = Door()
        #expect(
            await door.response(method: "OPTIONS", path: "/health")?.0.header("Allow") == "GET, HEAD, OPTIONS"
        )
        #expect(await door.response(method: "OPTIONS", path: "*")?.0.status == 204)
        #expect(await door.response(method: "OPTIONS", path: "/v1/exchange")?.0.status == 401)
        let (answer, _) = try #require(
            await door.response(
                method: "OPTIONS",
                path: "/v1/exchange",
                headers: [("Authorization", "Bearer est_ada")]
            )
        )
        #expect(
            answer.status == 204 && answer.header("Allow") == "POST, OPTIONS" && answer.body.isEmpty
        )
        for (path, allow) in [
            ("a", "DELETE"), ("a/purge", "POST"), ("a/restart", "POST"), ("a/events", "GET"),
        ] {
            let headers = [("Authorization", "Bearer est_ada")]
            let (answer, _) = try #require(
                await door.response(method: "OPTIONS", path: "/v1/scratch/" + path, headers: headers)
            )
            #expect(answer.status == 204 && answer.header("Allow") == allow + ", OPTIONS")
            let (refusal, log) = try #require(
                await door.response(method: "PUT", path: "/v1/scratch/" + path, headers: headers)
            )
            #expect(refusal.status == 405 && refusal.header("Allow") == allow)
            #expect(log.route == "/v1/scratch/{name}" + path.dropFirst())
        }
    }

    @Test func aBodyThatIsNotPlainJSONIsRefused() async throws {
        let door = Door()
        let token = ("Authorization", "Bearer est_ada")
        let json = ("Content-Type", "application/json")
        for headers in [
            [token], [token, ("Content-Type", "text/plain")], [token, ("Content-Type", "application/jsonx")],
            [token, json, json], [token, json, ("Content-Encoding", "gzip")],
            [token, json, ("Content-Encoding", "identity"), ("Content-Encoding", "br")],
        ] {
            #expect(
                await door.response(method: "POST", path: "/v1/exchange", headers: headers, body: "{}")?.0
                    .status
                    == 415,
                "\(headers)"
            )
        }
        #expect(door.accounts.seen.isEmpty)
        let plain = [token, json, ("Content-Encoding", "Identity")]
        #expect(
            await door.response(method: "POST", path: "/v1/exchange", headers: plain, body: "{}")?.0.status
                == 200
        )
    }

    @Test func aBodyBeyondTheLimitIsRefusedWithTheLimits() async throws {
        let door = Door()
        #expect(await door.exchange(body: String(repeating: " ", count: 100))?.0.status == 200)
        let (answer, _) = try #require(await door.exchange(body: String(repeating: " ", count: 101)))
        #expect(answer.status == 413)
        #expect(WireError(body: answer.body)?.limits?.requestBytes == 100)
        #expect(door.accounts.seen.count == 1)
    }

    @Test func aHeadIsRefusedBeforeItsBodyIsRead() async throws {
        let door = Door()
        let head = ServerRequest(
            method: "POST",
            path: "/v1/exchange",
            headers: [
                HTTPHeader(name: "Authorization", value: "Bearer est_ada"),
                HTTPHeader(name: "Content-Type", value: "application/json"),
            ]
        )
        guard case .refused(let answer, _) = door.handler.admit(head, declaredBytes: 101) else {
            Issue.record("a body that is too large was admitted")
            return
        }
        #expect(answer.status == 413)
        guard case .admitted(let request) = door.handler.admit(head, declaredBytes: nil) else {
            Issue.record("a body of unknown length was refused")
            return
        }
        let tooLong = await door.handler.answer(request, body: [UInt8](repeating: 0x20, count: 101)).1
        #expect(tooLong.status == 413)
        let (slow, log) = door.handler.refuse(request, error: .bodyTooSlow, bytesIn: 3)
        #expect(slow.status == 408 && slow.errorCode == .requestTimeout)
        #expect(log.bytesIn == 3 && log.account == "id-ada")
    }

    @Test func anEventStreamIsHandedToTheHost() async throws {
        let door = Door(accounts: FakeAccountHandler { _, account in .events(topic: "log-" + account.id) })
        let request = ServerRequest(
            method: "GET",
            path: "/v1/events",
            headers: [HTTPHeader(name: "Authorization", value: "Bearer est_ada")]
        )
        #expect(await door.handler.answer(request).0 == .events(topic: "log-id-ada"))
    }

    @Test func whatTheAccountHandlerRefusesNamesTheMethodsOfItsPath() async throws {
        let door = Door(
            accounts: FakeAccountHandler { request, _ in
                guard request.method == "DELETE" else {
                    throw WireError(code: .methodNotAllowed, detail: "No.")
                }
                return .response(HTTPResponse(status: 204))
            }
        )
        let token = [("Authorization", "Bearer est_ada")]
        #expect(await door.response(method: "DELETE", path: "/v1/scratch/a", headers: token)?.0.status == 204)
        #expect(
            await door.response(method: "PATCH", path: "/v1/scratch/a", headers: token)?.0.header("Allow")
                == "DELETE"
        )
        #expect(
            await door.response(method: "DELETE", path: "/v1/scratch/a", headers: token)?.1.route
                == "/v1/scratch/{name}"
        )
    }
}
