#if Server
    import Foundation
    import JWTKit
    import SyncChecks
    import SyncCore
    import SyncServer
    import SyncWire
    import Testing

    @testable import syncserver

    /// Which tokens of a login are accepted, and for whom.
    @Suite(.ownThreads) struct LoginAuthenticatorTests {
        private let bench: LoginBench

        init() throws { bench = try LoginBench() }

        @Test(arguments: TestLogin.Algorithm.allCases)
        func aSignedTokenFindsItsAccountAndAChangedOneFindsNone(algorithm: TestLogin.Algorithm) async throws {
            let login = try await TestLogin(algorithm)
            let authenticator = try await bench.authenticator(login)
            let token = try await login.token("ada")
            #expect(try await authenticator.name(of: token) == "ada")
            #expect(try await authenticator.name(of: login.token("bob")) == "bob")
            let parts = token.split(separator: ".").map(String.init)
            for place in parts.indices {
                var changed = parts
                let first = changed[place].removeFirst()
                changed[place] = (first == "A" ? "B" : "A") + changed[place]
                #expect(try await authenticator.name(of: changed.joined(separator: ".")) == nil)
            }
            let other = try await TestLogin(.es256).token("ada")
            #expect(try await authenticator.name(of: other) == nil, "of another login")
        }

        @Test func tokensOfTheAccountsFileGoOnBesideALogin() async throws {
            let login = try await TestLogin(.hs256)
            let authenticator = try await bench.authenticator(login)
            let token = try bench.accounts.add(name: "ada")
            #expect(try await authenticator.name(of: token) == "ada")
            #expect(try await authenticator.name(of: login.token("ada")) == "ada")
            for wrong in [token + "A", "", ".", "..", "a.b", "a.b.", ".b.c", "a.b.c.d", "a.b.c", "a b.c.d"] {
                #expect(try await authenticator.name(of: wrong) == nil, "\(wrong)")
            }
        }

        @Test func aTokenWithoutASignatureIsRefused() async throws {
            let authenticator = try await bench.authenticator(TestLogin(.hs256))
            let claims = #"{"sub":"ada","exp":4102444800}"#
            for name in ["none", "None", "NONE", "nOnE"] {
                for signature in [[], Array("signature".utf8)] {
                    let token = TestLogin.raw(
                        header: #"{"alg":"\#(name)"}"#,
                        claims: claims,
                        signature: signature
                    )
                    #expect(try await authenticator.name(of: token) == nil, "\(token)")
                }
            }
            let signed = try await TestLogin.raw(header: #"{"alg":"HS256"}"#, claims: claims)
            #expect(try await authenticator.name(of: signed) == "ada", "the claims are those of a person")
        }

        @Test func aTokenSignedWithThePublicKeyAsASecretIsRefused() async throws {
            let login = try await TestLogin(.rs256)
            let authenticator = try await bench.authenticator(login)
            let claims = #"{"sub":"ada","exp":4102444800}"#
            let secrets = [TestRSAKeys.publicKey, TestRSAKeys.modulus, login.publicKey]
            for secret in secrets
                + secrets.map({ String($0.trimmingCharacters(in: .whitespacesAndNewlines)) })
            {
                for header in [#"{"alg":"HS256"}"#, #"{"alg":"HS256","kid":"key-1"}"#] {
                    let token = try await TestLogin.raw(header: header, claims: claims, secret: secret)
                    #expect(try await authenticator.name(of: token) == nil)
                }
            }
        }

        @Test func aTokenCannotChooseTheAlgorithmOfAKey() async throws {
            let login = try await TestLogin(.rs256)
            // A key without an algorithm, which its provider uses for RS256.
            let key = TestLogin.rsaKey(id: "key-1", modulus: TestRSAKeys.modulus, more: "")
            let authenticator = try await bench.authenticator {
                try await SigningKeys(set: Array(TestLogin.keySet(key).utf8))
            }
            #expect(try await authenticator.name(of: login.token("ada")) == "ada")
            for token in try await TestLogin.tokensOfOtherAlgorithms(account: "ada") {
                #expect(try await authenticator.name(of: token) == nil, "\(token)")
            }
        }

        @Test func aTokenIsValidFromItsBeginningToItsEndAndSaysThatItHasExpired() async throws {
            let login = try await TestLogin(.es256)
            let authenticator = try await bench.authenticator(login)
            let begin = bench.now + 100
            let token = try await login.token("ada", expires: begin + 1000, claims: ["nbf": .int(begin)])
            // The clocks may be a minute apart.
            bench.clock.advance(seconds: 39)
            #expect(try await authenticator.name(of: token) == nil)
            bench.clock.advance(seconds: 1)
            #expect(try await authenticator.name(of: token) == "ada")
            bench.clock.advance(seconds: 1119)
            #expect(try await authenticator.name(of: token) == "ada")
            bench.clock.advance(seconds: 1)
            #expect(await authenticator.refusal(of: token) == .expiredToken)
            let forged = token.dropLast(10) + "AAAAAAAAAA"
            #expect(try await authenticator.name(of: String(forged)) == nil, "only its owner learns that")
        }

        @Test func issuerAndAudienceAreThoseOfThisServer() async throws {
            let login = try await TestLogin(.es256)
            let policy = LoginPolicy(issuer: "https://login.example.org/", audiences: ["notes", "notes-web"])
            let authenticator = try await bench.authenticator(login, policy: policy)
            let issuer = "https://login.example.org/"
            let good =
                [["aud": "notes"], ["aud": "notes-web"], ["aud": ["other", "notes"]]]
                as [[String: TestLogin.Claim]]
            for claims in good {
                let token = try await login.token(
                    "ada",
                    claims: claims.merging(["iss": .string(issuer)]) { $1 }
                )
                #expect(try await authenticator.name(of: token) == "ada", "\(claims)")
            }
            let wrong: [[String: TestLogin.Claim]] = [
                ["iss": .string(issuer)], ["aud": "notes"],
                ["aud": "notes", "iss": "https://login.example.org"],
                ["aud": "notes", "iss": "https://evil.example.org/"],
                ["aud": "other", "iss": .string(issuer)],
                ["aud": "NOTES", "iss": .string(issuer)], ["aud": [], "iss": .string(issuer)],
                ["aud": ["other"], "iss": .string(issuer)], ["aud": 5, "iss": .string(issuer)],
                ["aud": ["notes", 5], "iss": .string(issuer)], ["aud": "notes", "iss": [.string(issuer)]],
            ]
            for claims in wrong {
                let token = try await login.token("ada", claims: claims)
                #expect(try await authenticator.name(of: token) == nil, "\(claims)")
            }
        }

        @Test func anotherClaimCanNameTheAccount() async throws {
            let login = try await TestLogin(.hs256)
            let policy = LoginPolicy(accountClaim: "https://example.org/user")
            let authenticator = try await bench.authenticator(login, policy: policy)
            let token = try await login.token("other", claims: ["https://example.org/user": "ada"])
            #expect(try await authenticator.name(of: token) == "ada")
            #expect(try await authenticator.name(of: login.token("ada")) == nil)
        }

        @Test(arguments: [
            #"{"sub":"ada"}"#, #"{"exp":4102444800}"#, #"{"sub":null,"exp":4102444800}"#,
            #"{"sub":5,"exp":4102444800}"#, #"{"sub":["ada"],"exp":4102444800}"#,
            #"{"sub":"ada","exp":"4102444800"}"#, #"{"sub":"ada","exp":null}"#, "[]", "5", "", "{",
            #"{"sub":"ada","exp":1e999}"#, #"{"sub":"ada","exp":4102444800,"nbf":1e308}"#,
            #"{"sub":"ada","exp":4102444800,"nbf":"1"}"#, #"{"sub":"ada","exp":4102444800,"aud":{}}"#,
            "{\"sub\":" + String(repeating: "[", count: 5000),
        ]) func claimsThatAreMissingOrOfAnotherTypeAreRefused(claims: String) async throws {
            let authenticator = try await bench.authenticator(TestLogin(.hs256))
            let token = try await TestLogin.raw(header: #"{"alg":"HS256"}"#, claims: claims)
            #expect(try await authenticator.name(of: token) == nil)
            #expect(try bench.accounts.list() == [])
        }

        @Test(arguments: [
            #"{"alg":"HS256","crit":["exp"]}"#, #"{"alg":"HS256","crit":null,"b64":false}"#,
            #"{"alg":"HS256","kid":1e300}"#, #"{"alg":["HS256"]}"#, #"{"typ":"JWT"}"#, "[]", "", "{",
            #"{"alg":"HS512"}"#,
        ]) func aHeaderThatIsNotUnderstoodIsRefused(header: String) async throws {
            let authenticator = try await bench.authenticator(TestLogin(.hs256))
            let claims = #"{"sub":"ada","exp":4102444800}"#
            let token = try await TestLogin.raw(header: header, claims: claims)
            #expect(try await authenticator.name(of: token) == nil)
        }

        /// Values at which jwt-kit's own types end the process.
        @Test func numbersWithoutMeasureAndAListWithoutAudienceEndNothing() async throws {
            let authenticator = try await bench.authenticator(TestLogin(.hs256))
            let token = try await TestLogin.raw(
                header: #"{"alg":"HS256","x":1e300}"#,
                claims: #"{"sub":"ada","exp":1e300,"nbf":-1e300,"iat":1e300,"aud":[]}"#
            )
            #expect(try await authenticator.name(of: token) == "ada")
        }

        @Test func onlyExistingAccountsAreAcceptedIfTheOperatorSaysSo() async throws {
            let login = try await TestLogin(.hs256)
            let authenticator = try await bench.authenticator(login, policy: LoginPolicy(addsAccounts: false))
            let token = try await login.token("ada")
            #expect(await authenticator.refusal(of: token)?.code == .forbidden)
            #expect(try bench.accounts.list() == [])
            _ = try bench.accounts.add(name: "ada")
            #expect(try await authenticator.name(of: token) == "ada")
        }

        @Test func withADatabaseTheIDFollowsFromIssuerAndSubjectAndElseItIsRandom() async throws {
            let login = try await TestLogin(.hs256)
            let other = try LoginBench(seed: 2)
            func ids(_ bench: LoginBench, derivesIDs: Bool) async throws -> [String] {
                let policy = LoginPolicy(derivesIDs: derivesIDs)
                let authenticator = try await bench.authenticator(login, policy: policy)
                var ids: [String] = []
                for (name, issuer) in [("ada", "a"), ("bob", "a"), ("carl", nil)] as [(String, String?)] {
                    let account = derivesIDs ? name : "file " + name
                    let claims = issuer.map { ["iss": .string($0)] } ?? [:] as [String: TestLogin.Claim]
                    let token = try await login.token(account, claims: claims)
                    await authenticator.prepare(token: token)
                    ids.append(try #require(try authenticator.authenticate(token: token)).id)
                }
                return ids
            }
            let derived = try await ids(bench, derivesIDs: true)
            #expect(
                derived
                    == ["a", "a", ""].enumerated().map { index, issuer in
                        LoginID.make(issuer: issuer, subject: ["ada", "bob", "carl"][index])
                    }
            )
            #expect(try await ids(other, derivesIDs: true) == derived)
            #expect(
                Set(try await ids(bench, derivesIDs: false)).isDisjoint(
                    with: try await ids(other, derivesIDs: false)
                )
            )
        }

        @Test func onlyAFirstLoginAsksWhetherItIsAdmitted() async throws {
            struct TooMany: Error {}
            let login = try await TestLogin(.hs256)
            let authenticator = try await bench.authenticator(login)
            let (ada, bob) = (try await login.token("ada"), try await login.token("bob"))
            #expect(try await authenticator.name(of: ada) == "ada")
            let found = try authenticator.authenticate(token: ada) { throw TooMany() }
            #expect(found?.name == "ada")
            #expect(throws: TooMany.self) { try authenticator.authenticate(token: bob) { throw TooMany() } }
            #expect(try bench.accounts.list().count == 1)
        }
    }
#endif
