#if Server
    import Foundation
    import HTTPDoubles
    import JWTKit
    import SyncChecks
    import SyncCore
    import SyncServer
    import Testing

    @testable import syncserver

    /// Keys of a login: which are used, where they come from, and when they are loaded again.
    @Suite(.ownThreads) struct LoginKeysTests {
        private let bench: LoginBench

        init() throws { bench = try LoginBench() }

        private static func response(_ text: String, status: Int = 200) -> HTTPResponse {
            HTTPResponse(status: status, body: Array(text.utf8))
        }

        private func source(_ transport: RecordingTransport) throws
            -> @Sendable () async throws -> SigningKeys
        {
            let source = try KeySource.set("https://login.example.org/keys?p=policy")
            return { try await source.load(transport: transport) }
        }

        @Test func keysOfOtherKindsArePassedOver() async throws {
            let (first, second) = (try await TestLogin(.es256, id: "a"), try await TestLogin(.rs256, id: "b"))
            let modulus = TestRSAKeys.modulus
            let others = [
                TestLogin.rsaKey(id: "b", modulus: modulus, more: #","use":"enc","alg":"RSA-OAEP""#),
                TestLogin.rsaKey(id: "b", modulus: modulus, more: #","alg":"RSA-OAEP-256""#),
                TestLogin.rsaKey(id: "b", modulus: modulus, more: #","alg":"RS512""#),
                TestLogin.rsaKey(id: "b", modulus: TestRSAKeys.weakModulus), "{}", "5",
                #"{"kty":"oct","kid":"c","k":"c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0","alg":"HS256"}"#,
                #"{"kty":"EC","crv":"P-256","kid":"a","x":"AA","y":"AA"}"#, #"{"kty":"RSA","kid":"b"}"#,
                #"{"kty":"OKP","crv":"Ed25519","kid":"d","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            ]
            let some =
                #"{"keys":[\#((others + [first.publicKey, second.publicKey]).joined(separator: ","))]}"#
            let authenticator = try await bench.authenticator { try await SigningKeys(set: Array(some.utf8)) }
            for login in [first, second] {
                #expect(try await authenticator.name(of: login.token("ada")) == "ada")
            }
            let none = #"{"keys":[\#(others.joined(separator: ","))]}"#
            for (text, error) in [
                (none, SyncError.noSigningKeys), (#"{"keys":[]}"#, .noSigningKeys), ("{}", .badKeySet),
                ("[]", .badKeySet), ("<html>", .badKeySet), ("", .badKeySet),
            ] {
                await #expect(throws: error) { try await SigningKeys(set: Array(text.utf8)) }
            }
        }

        @Test func aKeyChecksTheTokensThatNameItAndThoseThatNameNone() async throws {
            let (first, second) = (try await TestLogin(.es256, id: "a"), try await TestLogin(.es256, id: "b"))
            let set = TestLogin.keySet(first.publicKey, second.publicKey)
            let authenticator = try await bench.authenticator { try await SigningKeys(set: Array(set.utf8)) }
            for login in [first, second] {
                #expect(try await authenticator.name(of: login.token("ada")) == "ada")
                let unnamed = try await login.token("ada", header: ["kid": nil])
                #expect(try await authenticator.name(of: unnamed) == "ada")
            }
            let misnamed = try await first.token("ada", header: ["kid": "b"])
            #expect(try await authenticator.name(of: misnamed) == nil)
        }

        @Test func aNewKeyIsFetchedWhenATokenNamesItAndNotTooOften() async throws {
            let (old, new) = (try await TestLogin(.es256, id: "old"), try await TestLogin(.rs256, id: "new"))
            let transport = RecordingTransport([
                .success(Self.response(TestLogin.keySet(old.publicKey))),
                .success(Self.response(TestLogin.keySet(old.publicKey))),
                .success(Self.response(TestLogin.keySet(new.publicKey))),
            ])
            let authenticator = try await bench.authenticator(keys: try source(transport))
            let (oldToken, newToken) = (try await old.token("ada"), try await new.token("ada"))
            #expect(try await authenticator.name(of: newToken) == nil)
            #expect(transport.requests.count == 1, "the keys are as good as new")
            bench.clock.advance(seconds: 10)
            for _ in 0..<5 { #expect(try await authenticator.name(of: newToken) == nil) }
            #expect(transport.requests.count == 2, "once for all of them")
            bench.clock.advance(seconds: 10)
            #expect(try await authenticator.name(of: newToken) == "ada")
            #expect(try await authenticator.name(of: oldToken) == nil, "a key that was withdrawn")
            #expect(
                transport.requests.map(\.url).allSatisfy { $0 == "https://login.example.org/keys?p=policy" }
            )
        }

        @Test func oldKeysAreFetchedAgainAndAFailureKeepsThem() async throws {
            let (login, next) = (try await TestLogin(.es256, id: "a"), try await TestLogin(.es256, id: "b"))
            let (failures, failure) = AsyncStream.makeStream(of: String.self)
            let transport = RecordingTransport { _, index in
                switch index {
                case 0: Self.response(TestLogin.keySet(login.publicKey))
                case 1: throw TransportError.timedOut
                case 2: Self.response("<html>", status: 200)
                case 3: Self.response(TestLogin.keySet(login.publicKey), status: 302)
                default: Self.response(TestLogin.keySet(next.publicKey))
                }
            }
            let authenticator = try await bench.authenticator(
                onFailure: { failure.yield(($0 as? SyncError)?.message ?? "\($0)") },
                keys: try source(transport)
            )
            let token = try await login.token("ada")
            var messages = failures.makeAsyncIterator()
            for part in ["(timedOut)", "no JSON Web Key Set", "(status 302)"] {
                bench.clock.advance(seconds: 599)
                #expect(try await authenticator.name(of: token) == "ada")
                bench.clock.advance(seconds: 1)
                #expect(try await authenticator.name(of: token) == "ada")
                let message = try #require(await messages.next())
                #expect(message.contains(part), "\(message)")
                #expect(try await authenticator.name(of: token) == "ada", "with the former keys")
            }
            #expect(transport.requests.count == 4)
            bench.clock.advance(seconds: 10)
            #expect(try await authenticator.name(of: next.token("ada")) == "ada")
            #expect(try await authenticator.name(of: token) == nil)
        }

        @Test func manyTokensOfANewKeyWaitForOneFetch() async throws {
            let (old, new) = (try await TestLogin(.es256, id: "old"), try await TestLogin(.es256, id: "new"))
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            let transport = RecordingTransport { _, index in
                guard index > 0 else { return Self.response(TestLogin.keySet(old.publicKey)) }
                _ = await gate.first { true }
                return Self.response(TestLogin.keySet(old.publicKey, new.publicKey))
            }
            let authenticator = try await bench.authenticator(keys: try source(transport))
            bench.clock.advance(seconds: 10)
            let token = try await new.token("ada")
            let names = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<8 { group.addTask { try await authenticator.name(of: token) } }
                // What is at hand is not held up.
                #expect(try await authenticator.name(of: old.token("bob")) == "bob")
                opening.yield()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(names == Array(repeating: "ada", count: 8))
            #expect(transport.requests.count == 2)
        }

        @Test(arguments: [
            "http://login.example.org/keys", "ftp://login.example.org/keys", "https://a:b@example.org/keys",
            "https://", "https://login.example.org/keys#a", "https://login.example.org/a b",
            "file:///etc/keys",
        ]) func aURLThatOthersCouldAnswerIsRefused(url: String) {
            #expect(throws: SyncError.badKeySetURL) { try KeySource.set(url) }
        }

        @Test func aSecretIsAtLeastAsLongAsItsDigest() async throws {
            let file = NSTemporaryDirectory() + "secret-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: file) }
            let load = { (text: String) in
                try Data(text.utf8).write(to: URL(fileURLWithPath: file))
                return try await KeySource.secretFile(path: file).load(transport: RecordingTransport([]))
            }
            let login = try await TestLogin(.hs256)
            let token = try #require(JSONWebToken(try await login.token("ada")))
            for end in ["", "\n", "\r\n"] {
                #expect(try await load(TestLogin.secret + end).haveSigned(token))
            }
            let short = String(repeating: "s", count: 31)
            for text in [short, short + "\n", short + "\r\n", "", "\n"] {
                await #expect(throws: SyncError.shortLoginSecret) { try await load(text) }
            }
            await #expect(throws: SyncError.self) {
                try await KeySource.secretFile(path: file + "x").load(transport: RecordingTransport([]))
            }
        }
    }
#endif
