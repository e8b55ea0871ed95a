import SyncChecks
import SyncCore
import Testing

@Suite struct OpenAPIContractTests {
    /// The errors of a value by a schema. `Tree` is recursive.
    private func findings(value: String, schema: String) throws -> [String] {
        let document = ##"""
            {"paths":{"/a/{b}":{"get":{"responses":{"200":{"content":{"application/json":{"schema":\##(schema)}}}}}}},
            "components":{"schemas":{"Word":{"$ref":"#/components/schemas/Text"},"Text":{"type":"string"},
            "Tree":{"type":"array","items":{"$ref":"#/components/schemas/Tree"}}}}}
            """##
        return try OpenAPIContract(Array(document.utf8)).findings(
            method: "GET",
            path: "/a/x",
            requestBody: [],
            answer: Self.answer(body: value)
        )
    }

    private static func answer(body: String, status: Int = 200, _ headers: HTTPHeader...) -> HTTPResponse {
        let type = HTTPHeader(name: "Content-Type", value: "application/json; charset=utf-8")
        return HTTPResponse(status: status, headers: [type] + headers, body: Array(body.utf8))
    }

    @Test(arguments: [
        (#"{"type":"integer"}"#, "-1", "1.5", " is of another type"),
        (#"{"const":[1]}"#, "[1]", "[2]", " is another constant"),
        (#"{"enum":["a",null]}"#, "null", "0", " is none of the values"),
        (#"{"allOf":[true,{"minimum":2}]}"#, "2", "1", " breaks minimum"),
        (#"{"maximum":2}"#, "-99999999999999999999", "99999999999999999999", " breaks maximum"),
        (#"{"minimum":2}"#, #""text""#, "2.5", " is no integer"),
        (#"{"anyOf":[{"type":"null"},{"type":"boolean"}]}"#, "true", "1", " fits 0 of anyOf"),
        (#"{"oneOf":[{"minimum":1},{"minimum":2}]}"#, "1", "2", " fits 2 of oneOf"),
        (#"{"pattern":"^é+$"}"#, #""éé""#, #""ée""#, " breaks pattern"),
        (#"{"minLength":2}"#, #""👍🏽""#, #""é""#, " breaks minLength"),
        (#"{"maxLength":1}"#, #""é""#, #""éa""#, " breaks maxLength"),
        (#"{"minItems":1}"#, "[0]", "[]", " breaks minItems"),
        (#"{"maxItems":0}"#, "[]", "[0]", " breaks maxItems"),
        (#"{"maxProperties":0}"#, "{}", #"{"a":0}"#, " breaks maxProperties"),
        (#"{"items":{"type":"null"}}"#, "[null]", "[null,0]", "/1 is of another type"),
        (#"{"prefixItems":[true,{"const":1}]}"#, "[0,1,2]", "[0,0]", "/1 is another constant"),
        (#"{"required":["a"]}"#, #"{"a":1}"#, #"{"b":1}"#, " lacks a"),
        (
            #"{"properties":{"a":{"items":{"type":"null"}}}}"#, #"{"b":[0]}"#, #"{"a":[0]}"#,
            "/a/0 is of another type"
        ),
        (
            #"{"additionalProperties":false,"properties":{"a":true}}"#, #"{"a":1}"#, #"{"b":1}"#,
            "/b must not be there"
        ),
        (##"{"$ref":"#/components/schemas/Word"}"##, #""a""#, "1", " is of another type"),
        (##"{"$ref":"#/components/schemas/Tree"}"##, "[[],[[]]]", "[[],[[0]]]", "/1/0/0 is of another type"),
    ])
    func aKeywordTakesWhatFitsAndNamesWhatDoesNot(
        schema: String,
        fitting: String,
        other: String,
        words: String
    ) throws {
        #expect(try findings(value: fitting, schema: schema) == [])
        #expect(try findings(value: other, schema: schema) == ["GET /a/x 200\(words)"])
    }

    @Test(arguments: [
        ##"{"$ref":"#/components/schemas/None"}"##, ##"{"$ref":"elsewhere"}"##, #"{"multipleOf":2}"#,
    ])
    func whatCannotBeCheckedIsAFinding(schema: String) throws {
        #expect(try findings(value: "2", schema: schema).count == 1)
    }

    @Test func aPatternThatCannotBeReadIsRefused() {
        #expect(throws: (any Error).self) { try findings(value: "2", schema: #"{"pattern":"("}"#) }
    }

    @Test func anAnswerIsHeldToOperationStatusFieldsTypeAndBody() throws {
        let document = ##"""
            {"paths":{"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"type":"object"}}}},
            "responses":{"200":{"$ref":"#/components/responses/Done"},"201":{"$ref":"#/components/responses/None"},
            "204":{"description":"Nothing."}}}}},"components":{"responses":{"Done":{"headers":{"X-Count":{"required":true,
            "schema":{"type":"integer"}}},"content":{"application/json":{"schema":{"type":"array"}},"text/plain":{}}}}}}
            """##
        let contract = try OpenAPIContract(Array(document.utf8))
        #expect(
            contract.answers.map { "\($0.method) \($0.path) \($0.status)" } == [
                "POST /a 200", "POST /a 201", "POST /a 204",
            ]
        )
        func findings(
            answer: HTTPResponse,
            method: String = "POST",
            _ path: String = "/a",
            body: String = "{}"
        ) -> [String] {
            contract.findings(method: method, path: path, requestBody: Array(body.utf8), answer: answer)
        }
        let count = HTTPHeader(name: "X-Count", value: "3")
        #expect(findings(answer: Self.answer(body: "[]", count)) == [])
        #expect(findings(answer: Self.answer(body: "[]", status: 404), method: "GET") == [])
        #expect(
            findings(answer: Self.answer(body: "[]", count), method: "GET") == [
                "GET /a 200: the operation is not documented"
            ]
        )
        #expect(
            findings(answer: Self.answer(body: "[]", count), method: "POST", "/b") == [
                "POST /b 200: the operation is not documented"
            ]
        )
        #expect(
            findings(answer: Self.answer(body: "[]", status: 201)) == [
                "POST /a 201: the status is not documented"
            ]
        )
        #expect(
            findings(answer: Self.answer(body: "[]", status: 500)) == [
                "POST /a 500: the status is not documented"
            ]
        )
        #expect(
            findings(answer: Self.answer(body: "[]", status: 204)) == ["POST /a 204: there must be no body"]
        )
        #expect(findings(answer: Self.answer(body: "[]")) == ["POST /a 200: the field X-Count is missing"])
        #expect(
            findings(answer: Self.answer(body: "[]", HTTPHeader(name: "X-Count", value: "a"))) == [
                "POST /a 200: X-Count is of another type"
            ]
        )
        #expect(findings(answer: Self.answer(body: "[", count)) == ["POST /a 200: the body is not JSON"])
        #expect(
            findings(answer: Self.answer(body: "[]", count), body: "1") == [
                "POST /a 200 request is of another type"
            ]
        )
        let html = HTTPResponse(
            status: 200,
            headers: [HTTPHeader(name: "Content-Type", value: "text/html"), count],
            body: []
        )
        #expect(findings(answer: html) == ["POST /a 200: the media type 'text/html' is not documented"])
    }
}
