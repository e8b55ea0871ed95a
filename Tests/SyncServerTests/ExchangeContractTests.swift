import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

/// The OpenAPI document agrees with the protocol's code.
@Suite struct ExchangeContractTests {
    @Test func everyDocumentedStatusIsOneOfTheProtocol() async throws {
        let contract = try #require(ExchangeBench.contract)
        let real = Set(WireError.Code.allCases.map { "\($0.status)" } + ["200", "204"])
        for answer in contract.answers { #expect(real.contains(answer.status), "\(answer)") }
    }

    @Test func everyErrorIsDocumentedWhereItCanComeBack() async throws {
        let contract = try #require(ExchangeBench.contract)
        for code in WireError.Code.allCases {
            var headers = [HTTPHeader(name: "Content-Type", value: WireProtocol.problemMediaType)]
            headers.append(HTTPHeader(name: "Retry-After", value: "3"))
            let error = WireError(code: code, detail: "A sentence.", limits: WireLimits())
            let answer = HTTPResponse(status: code.status, headers: headers, body: error.body)
            let path = "/v1/scratch/a/exchange"
            #expect(contract.findings(method: "POST", path: path, requestBody: [], answer: answer) == [])
        }
    }

    @Test func thePathsAreThoseOfTheProtocol() async throws {
        let paths = Set(try #require(ExchangeBench.contract).answers.map { "\($0.method) \($0.path)" })
        for path in [
            "POST \(WireProtocol.exchangePath)", "GET \(WireProtocol.eventsPath)",
            "POST \(WireProtocol.scratchPath)/{name}/exchange", "GET /health", "GET /ready",
            "GET /metrics", "GET /v1/openapi.json",
        ] {
            #expect(paths.contains(path), "\(path)")
        }
    }

    @Test(arguments: [
        (#"[MARK]"#, true), (#"[MARK,"absent"]"#, true), (#"[MARK,"null"]"#, true),
        (#"[MARK,"text","a"]"#, true),
        (#"[MARK,"integer",-9223372036854775808]"#, true), (#"[MARK,"number",1.5]"#, true),
        (#"[MARK,"boolean",true]"#, true), (#"[MARK,"bytes","YQ=="]"#, true), (#"[MARK,"json","[]"]"#, true),
        (#"[MARK,"timestamp",0]"#, true), (#"[]"#, false), (#"[null,null,null]"#, false), (#"["x"]"#, false),
        (#"[MARK,"absent",1]"#, false), (#"[MARK,"text"]"#, false), (#"[MARK,"text",1]"#, false),
        (#"[MARK,"other",1]"#, false), (#"[MARK,"bytes","Y"]"#, false), (#"[MARK,"text","a",1]"#, false),
        (#"[MARK,"integer",9223372036854775808]"#, false),
    ])
    func theDocumentAllowsTheMarksOfFieldsThatTheServerReads(sibling: String, isRead: Bool) async throws {
        let contract = try #require(ExchangeBench.contract)
        let bench = try ExchangeBench()
        let text = sibling.replacing("MARK", with: #""1.0000000000000001.1""#)
        let change = Change.note(key: "a").with {
            $0.extra = #","detail":{"origin":"1.0000000000000001.1","units":{"title":[\#(text)]}}"#
        }
        let request = Client(bench: bench).request([change])
        let pushed = try await bench.unchecked(body: Client(bench: bench).request([change]))
        #expect(pushed.results == [isRead ? "accepted" : "malformed"])
        let json = HTTPHeader(name: "Content-Type", value: WireProtocol.mediaType)
        let good = try await Client(bench: bench, device: 2).exchange(changes: .note(key: "b")).body
        let answer = HTTPResponse(status: 200, headers: [json], body: good)
        let findings = contract.findings(
            method: "POST",
            path: "/v1/exchange",
            requestBody: request,
            answer: answer
        )
        #expect(findings.isEmpty == isRead, "\(findings)")
    }

    @Test func aMarkWithANumberBeyondADoubleIsMalformedAndNoMistakeOfTheServer() async throws {
        let change = Change.note(key: "a").with {
            $0.extra =
                #","detail":{"origin":"1.0000000000000001.1","units":{"title":[["1.0000000000000001.1","number",1e999]]}}"#
        }
        let bench = try ExchangeBench()
        #expect(
            try await bench.unchecked(body: Client(bench: bench).request([change])).results == ["malformed"]
        )
    }

    @Test func theCheckFindsAnswersThatAreNotDocumented() async throws {
        let contract = try #require(ExchangeBench.contract)
        let json = HTTPHeader(name: "Content-Type", value: WireProtocol.mediaType)
        let bench = try ExchangeBench()
        let good = try await Client(bench: bench).exchange(changes: .note(key: "a")).body
        let request = Client(bench: bench).request([])
        func findings(answer: HTTPResponse, request: [UInt8]) -> Int {
            contract.findings(method: "POST", path: "/v1/exchange", requestBody: request, answer: answer)
                .count
        }
        #expect(
            findings(answer: HTTPResponse(status: 200, headers: [json], body: good), request: request) == 0
        )
        #expect(
            findings(answer: HTTPResponse(status: 201, headers: [json], body: good), request: request) == 1
        )
        #expect(findings(answer: HTTPResponse(status: 200, headers: [], body: good), request: request) == 1)
        #expect(
            findings(
                answer: HTTPResponse(status: 200, headers: [json], body: good),
                request: Array("{}".utf8)
            ) > 0
        )
        let text = String(decoding: good, as: UTF8.self)
        for (part, other) in [
            (#""more":false"#, #""more":0"#), (#""accepted""#, #""done""#), (#""epoch":""#, #""epoch":"x"#),
            (#""more":false"#, #""more":false,"extra":1"#), (#""cursor":"#, #""place":"#),
        ] {
            #expect(text.contains(part))
            let bad = Array(text.replacing(part, with: other).utf8)
            #expect(
                findings(answer: HTTPResponse(status: 200, headers: [json], body: bad), request: request) > 0,
                "\(other)"
            )
        }
        let busy = WireError(code: .unavailable, detail: "Busy.")
        let plain = HTTPResponse(
            status: 503,
            headers: [HTTPHeader(name: "Content-Type", value: WireProtocol.problemMediaType)],
            body: busy.body
        )
        #expect(findings(answer: plain, request: request) == 1, "Retry-After is missing")
    }
}
