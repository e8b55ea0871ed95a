#if Server
    import Foundation
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import Testing

    extension SupabaseTests {
        /// The stand-in answers as PostgREST's documentation says.
        @Suite struct StandIn {
            /// Calls a function of the project as Ada, or without a token.
            private func call(
                _ function: String,
                project: SupabaseProject,
                method: String = "POST",
                body: String = "{}",
                token: String? = User.ada.token()
            ) async throws -> HTTPResponse {
                var headers = [HTTPHeader(name: "apikey", value: PostgRESTServer.publishableKey)]
                if let token { headers.append(HTTPHeader(name: "Authorization", value: "Bearer \(token)")) }
                return try await project.rest.send(
                    HTTPRequest(
                        method: method,
                        url: PostgRESTServer.url + "/rest/v1/rpc/\(function)",
                        headers: headers,
                        body: Array(body.utf8),
                        maxResponseBytes: 1 << 20,
                        timeoutSeconds: 10
                    )
                )
            }

            private func code(_ response: HTTPResponse) -> String? {
                (try? JSONTree(response.body))?["code"]?.text
            }

            @Test(arguments: [
                ("40001", 500), ("P0001", 400), ("42501", 403), ("57014", 500), ("22P02", 400),
                ("23505", 409),
                ("42883", 404), ("53300", 503), ("25006", 405), ("28000", 403),
            ])
            func anErrorOfTheDatabaseHasItsStatusAndCode(sqlstate: String, status: Int) async throws {
                try await SupabaseProject.run { project in
                    try await project.admin.script(
                        """
                        create function public.fail(json) returns json language plpgsql as $$
                        begin raise exception 'no' using errcode = $1 ->> 'state'; end $$
                        """
                    )
                    let body = #"{"state":"\#(sqlstate)"}"#
                    let response = try await call("fail", project: project, body: body)
                    #expect(response.status == status && code(response) == sqlstate)
                    guard sqlstate == "42501" else { return }
                    let nobody = try await call("fail", project: project, body: body, token: nil)
                    #expect(nobody.status == 401, "without a role, a missing right asks for a token")
                }
            }

            @Test func aFunctionSetsStatusAndFieldsAndSeesWhoAsks() async throws {
                try await SupabaseProject.run { project in
                    try await project.admin.script(
                        """
                        create function public.who(json) returns json language plpgsql as $$
                        begin
                          perform set_config('response.status', '418', true);
                          perform set_config('response.headers', '[{"X-Tea":"green"}]', true);
                          return json_build_object('role', current_user, 'sub', auth.uid(), 'sent', $1,
                            'key', current_setting('request.headers')::json ->> 'apikey');
                        end $$;
                        create function public.wrong(json) returns json language sql as $$
                        select json_build_object('status', set_config('response.status', 'tea', true)) $$;
                        create function public.named(value json) returns json language sql as $$ select value $$;
                        """
                    )
                    let response = try await call("who", project: project, body: #"{"a":[1.50]}"#)
                    #expect(response.status == 418 && response.header("x-tea") == "green")
                    let body = try JSONTree(response.body)
                    #expect(body["role"]?.text == "authenticated" && body["sub"]?.text == User.ada.id)
                    #expect(body["sent"]?["a"] == .array([.number("1.50")]))
                    #expect(body["key"]?.text == PostgRESTServer.publishableKey)
                    let nobody = try await call("who", project: project, token: nil)
                    #expect(try JSONTree(nobody.body)["role"]?.text == "anon")
                    #expect(try await code(call("wrong", project: project)) == "PGRST112")
                    #expect(try await code(call("named", project: project)) == "PGRST202")
                    #expect(try await code(call("nothing", project: project)) == "PGRST202")
                    #expect(try await code(call("who", project: project, body: "{")) == "PGRST102")
                    #expect(try await call("who", project: project, method: "DELETE").status == 405)
                }
            }

            @Test(arguments: [(true, "PGRST301"), (false, "PGRST303")])
            func anExpiredTokenIsNamedAsTheVersionDoes(isBefore13: Bool, expected: String) async throws {
                var settings = PostgRESTServer.Settings()
                settings.isBefore13 = isBefore13
                try await SupabaseProject.run(settings: settings) { project in
                    let token = User.ada.token(secondsLeft: -60)
                    let response = try await call("entitysync_exchange", project: project, token: token)
                    #expect(response.status == 401 && code(response) == expected)
                    #expect(response.header("WWW-Authenticate")?.contains("invalid_token") == true)
                }
            }

            /// The claims of the example in RFC 7515, appendix A.1, whose time was over in 2011.
            @Test func aTokenOfTheStandardIsVerified() throws {
                let claims =
                    "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"
                let token = JSONWebToken.sign(claims: claims, secret: "key")
                let before = Date(timeIntervalSince1970: 1_300_819_379)
                #expect(try JSONWebToken.verify(token, secret: "key", now: before)["iss"]?.text == "joe")
                #expect(throws: JSONWebToken.Refusal.expired) {
                    try JSONWebToken.verify(token, secret: "key", now: Date())
                }
                for other in ["x" + token, token + "A", "a.b.c", String(token.dropLast(3))] {
                    #expect(throws: JSONWebToken.Refusal.invalid) {
                        try JSONWebToken.verify(other, secret: "key", now: before)
                    }
                }
                #expect(throws: JSONWebToken.Refusal.malformed(parts: 2)) {
                    try JSONWebToken.verify("a.b", secret: "key", now: before)
                }
                // RFC 4231, test case 2.
                let code = JSONWebToken.authenticationCode(
                    message: Array("what do ya want for nothing?".utf8),
                    secret: "Jefe"
                )
                #expect(code.prefix(4) == [0x5b, 0xdc, 0xc1, 0x46])
            }
        }
    }
#endif
