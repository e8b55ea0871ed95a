#if Server
    import Foundation
    import HTTPDoubles
    import JWTKit
    import PostgresCluster
    import ProgramRuns
    import SyncChecks
    import SyncCore
    import SyncHTTPClient
    import SyncServerBackend
    import Testing

    extension LongProcessTests {
        /// A running server for people who have logged in elsewhere.
        @Suite struct LoginTests {
            /// The status of an empty exchange: 400 for a token that is accepted.
            private func status(_ token: String, port: Int) async throws -> Int {
                try await onOwnThread {
                    let wire = try Wire(port)
                    wire.send(
                        "POST /v1/exchange HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
                            + "Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
                    )
                    return try wire.answer().status
                }
            }

            /// Expects that a token is refused. A peer with many refusals is asked to wait in between.
            private func expectRefusal(_ token: String, port: Int) async throws {
                try await eventually(what: "the token is refused") {
                    let status = try await status(token, port: port)
                    #expect(status != 400, "the token is accepted")
                    return status == 401
                }
            }

            private func keySetServer(_ keys: String...) throws -> Stub { try Stub(answer(keys)) }

            private func answer(_ keys: [String]) -> String {
                let body = #"{"keys":[\#(keys.joined(separator: ","))]}"#
                return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
            }

            private func accounts(_ stage: Stage) async throws -> [String] {
                let list = try await stage.run(
                    program: .syncserver,
                    arguments: "account",
                    "list",
                    "--data",
                    "data"
                )
                return list.output.split(separator: "\n").map { line in
                    let fields = line.split(separator: "\t")
                    return "\(fields[1]) \(fields[3])"
                }
                .sorted()
            }

            @Test func everyPersonGetsAnAccountOfTheirOwnAtFirstUse() async throws {
                try await Stage.run { stage in
                    let login = try await TestLogin(.hs256)
                    try stage.write("secret", text: TestLogin.secret + "\n")
                    let server = try await stage.server(
                        "--jwt-secret-file",
                        "secret",
                        "--jwt-audience",
                        "authenticated",
                        "--log-level",
                        "trace"
                    )
                    let claims: [String: TestLogin.Claim] = [
                        "aud": "authenticated", "email": "ada@example.org",
                    ]
                    let tokens = [
                        try await login.token("auth0|ada", claims: claims),
                        try await login.token("auth0|bob", claims: claims),
                        try await stage.token(name: "carl"),
                    ]
                    let phones = tokens.enumerated().map { stage.device(name: "\($0)", token: $1) }
                    for (index, phone) in phones.enumerated() {
                        try await phone.put("note", key: "n", title: "of \(index)")
                        try await phone.sync(server)
                    }
                    let laptop = stage.device(name: "laptop", token: tokens[0])
                    try await laptop.sync(server)
                    try await laptop.expect(["note/n=of 0"])
                    for (index, phone) in phones.enumerated() {
                        try await phone.sync(server)
                        try await phone.expect(["note/n=of \(index)"])
                    }
                    let names = ["active auth0|ada", "active auth0|bob", "active carl"]
                    #expect(try await accounts(stage) == names)
                    let long = try await login.token(
                        "auth0|ada",
                        claims: claims.merging(longClaims(5000)) { $1 }
                    )
                    #expect(try await status(long, port: server.port) == 400, "as a login with many roles")
                    let tooLong = try await login.token(
                        "auth0|ada",
                        claims: claims.merging(longClaims(7000)) { $1 }
                    )
                    #expect(try await status(tooLong, port: server.port) == 401)
                    try await server.stop()
                    for secret in tokens + ["ada@example.org", "auth0", TestLogin.secret] {
                        #expect(!server.child.error.contains(secret), "\(server.child.error)")
                    }
                }
            }

            private func longClaims(_ count: Int) -> [String: TestLogin.Claim] {
                ["roles": .string(String(repeating: "r", count: count))]
            }

            @Test func keysAreRotatedUnderARunningServer() async throws {
                let (old, new) = (
                    try await TestLogin(.es256, id: "old"), try await TestLogin(.rs256, id: "new")
                )
                let keys = try keySetServer(old.publicKey)
                defer { keys.close() }
                try await Stage.run { stage in
                    let url = "http://127.0.0.1:\(keys.port)/.well-known/jwks.json?a=b"
                    let issuer = "https://login.example.org/"
                    let server = try await stage.server("--jwks", url, "--jwt-issuer", issuer)
                    let claims: [String: TestLogin.Claim] = ["iss": .string(issuer)]
                    let (before, after) = (
                        try await old.token("ada", claims: claims), try await new.token("ada", claims: claims)
                    )
                    let phone = stage.device(name: "phone", token: before)
                    try await phone.put("note", key: "n1", title: "one")
                    try await phone.sync(server)
                    keys.set(answer: answer([new.publicKey]))
                    try await eventually(what: "the new key is fetched") {
                        try await status(after, port: server.port) == 400
                    }
                    try await expectRefusal(before, port: server.port)
                    // Nobody answers any more, and the keys stay.
                    keys.close()
                    let laptop = stage.device(name: "laptop", token: after)
                    try await laptop.sync(server)
                    try await laptop.expect(["note/n1=one"])
                    try await expectRefusal(old.token("eve", claims: claims), port: server.port)
                    try await server.stop()
                }
            }

            @Test func onlyTheOperatorBringsBackAnAccountThatWasRemovedOrErased() async throws {
                try await Stage.run { stage in
                    let login = try await TestLogin(.rs256)
                    try stage.write("keys.json", text: TestLogin.keySet(login.publicKey))
                    let options = ["--jwks", "keys.json", "--jwt-audience", "notes"]
                    var server = try await stage.server(options[0], options[1], options[2], options[3])
                    let claims: [String: TestLogin.Claim] = ["aud": ["notes"]]
                    let phone = stage.device(
                        name: "phone",
                        token: try await login.token("ada", claims: claims)
                    )
                    let other = stage.device(
                        name: "other",
                        token: try await login.token("bob", claims: claims)
                    )
                    for device in [phone, other] {
                        try await device.put("note", key: "n1", title: "one")
                        try await device.sync(server)
                    }
                    try await command(stage, "account", "remove", "bob")
                    let said = try await other.syncRefused(server, exitCode: 77)
                    #expect(said.contains("does not permit"), "\(said)")
                    try await server.stop()
                    try await command(stage, "account", "erase", "ada", "--confirm", "ada")
                    server = try await stage.server(options[0], options[1], options[2], options[3])
                    #expect(try await status(phone.token, port: server.port) == 403)
                    _ = try await phone.syncRefused(server, exitCode: 77)
                    #expect(try await accounts(stage) == ["removed bob"])
                    #expect(server.child.error.contains("a login of a removed account"))
                    try await command(stage, "account", "add", "ada")
                    #expect(try await status(phone.token, port: server.port) == 400)
                    try await server.stop()
                }
            }

            private func command(_ stage: Stage, _ arguments: String...) async throws {
                let run = try await stage.start(
                    program: .syncserver,
                    arguments: arguments + ["--data", "data"]
                ).end()
                #expect(run.exitCode == 0, "\(run.error)")
            }

            @Test func aTokenThatExpiresIsRenewedAndNothingIsLost() async throws {
                try await Stage.run { stage in
                    let login = try await TestLogin(.es256)
                    try stage.write("keys.json", text: TestLogin.keySet(login.publicKey))
                    let server = try await stage.server("--jwks", "keys.json", "--jwt-issuer", "login")
                    let claims: [String: TestLogin.Claim] = ["iss": "login"]
                    let valid = try await login.token("ada", claims: claims)
                    let expired = try await login.token("ada", expires: 1_600_000_000, claims: claims)
                    let (first, second) = (
                        TestCredentials(token: valid), TestCredentials(token: expired, then: [valid])
                    )
                    let phone = try EngineDevice(stage: stage, server: server, credentials: first)
                    let laptop = try EngineDevice(stage: stage, server: server, credentials: second)
                    try phone.put(key: "n1", title: "of the phone")
                    try laptop.put(key: "n2", title: "of the laptop, written with an expired token")
                    try await phone.sync()
                    try await laptop.sync()
                    #expect(second.refreshes == [expired])
                    try await phone.sync()
                    #expect(try phone.notes() == ["n1", "n2"] && laptop.notes() == ["n1", "n2"])
                    // A source that has no other token: the change waits, and the reason is told.
                    let third = TestCredentials(token: expired)
                    let tablet = try EngineDevice(stage: stage, server: server, credentials: third)
                    try tablet.put(key: "n3", title: "of the tablet")
                    let error = await #expect(throws: SyncError.self) { try await tablet.sync() }
                    #expect(error?.retry == .afterSignIn, "\(String(describing: error))")
                    third.set(valid)
                    try await tablet.sync()
                    #expect(try tablet.notes() == ["n1", "n2", "n3"])
                    try await server.stop()
                }
            }

            @Test func optionsThatAreWrongAreErrorsWithHelp() async throws {
                let stub = try Stub("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                defer { stub.close() }
                try await Stage.run { stage in
                    try stage.write("short", text: "too-short")
                    try stage.write("secret", text: TestLogin.secret)
                    try stage.write("none.json", text: #"{"keys":[]}"#)
                    let url = "http://127.0.0.1:\(stub.port)/keys"
                    let cases: [([String], Int32)] = [
                        (["--jwt-secret-file", "short"], 64), (["--jwt-secret-file", "missing"], 65),
                        (["--jwt-secret-file", "secret", "--jwks", "none.json", "--jwt-issuer", "a"], 64),
                        (["--jwks", "none.json"], 64), (["--jwks", "none.json", "--jwt-issuer", "a"], 65),
                        (["--jwks", "short", "--jwt-issuer", "a"], 65),
                        (["--jwks", url, "--jwt-issuer", "a"], 69),
                        (["--jwks", "http://example.org/keys", "--jwt-issuer", "a"], 64),
                        (["--jwks", "none.json", "--jwt-issuer", ""], 64), (["--jwt-issuer", "a"], 64),
                        (["--jwt-secret-file", "secret", "--jwt-accounts", "some"], 64),
                    ]
                    for (arguments, exitCode) in cases {
                        let run = try await stage.start(
                            program: .syncserver,
                            arguments: ["--schemas", "Schemas", "--data", "data", "--port", "0"] + arguments
                        ).end()
                        #expect(run.exitCode == exitCode && run.output.isEmpty, "\(arguments): \(run.error)")
                        let lines = run.error.split(separator: "\n").map { $0.prefix(6) }
                        #expect(lines == ["error:", "help: "], "\(arguments): \(run.error)")
                        #expect(!run.error.contains("too-short"))
                    }
                }
            }

            @Test(.enabled(if: PostgresCluster.programs != nil))
            func aLoginWorksWithADatabaseAndSeveralServers() async throws {
                let cluster = try await PostgresCluster.shared()
                let database = try await cluster.makeDatabase()
                try await Stage.run { stage in
                    let login = try await TestLogin(.hs256)
                    try stage.write("secret", text: TestLogin.secret)
                    let options = ["--jwt-secret-file", "secret"]
                    let url = cluster.url(database: database)
                    let first = try await stage.server(database: url, options)
                    let second = try await stage.server(database: url, options)
                    let tokens = (try await login.token("ada"), try await login.token("bob"))
                    let phone = stage.device(name: "phone", token: tokens.0)
                    let laptop = stage.device(name: "laptop", token: tokens.0)
                    let other = stage.device(name: "other", token: tokens.1)
                    try await phone.put("note", key: "n1", title: "one")
                    try await phone.sync(first)
                    try await laptop.sync(second)
                    try await laptop.expect(["note/n1=one"])
                    try await other.sync(second)
                    try await other.expect([])
                    #expect(try await accounts(stage) == ["active ada", "active bob"])
                    try await command(stage, "account", "remove", "ada")
                    for server in [first, second] {
                        #expect(try await status(phone.token, port: server.port) == 403)
                    }
                    for server in [first, second] { try await server.stop() }
                }
                try await cluster.removeDatabase(database)
            }

            @Test(.enabled(if: PostgresCluster.programs != nil))
            func onePersonIsOneAccountThroughMachinesWithAccountsOfTheirOwn() async throws {
                let cluster = try await PostgresCluster.shared()
                let database = try await cluster.makeDatabase()
                try await Stage.run { stage in
                    let login = try await TestLogin(.hs256)
                    try stage.write("secret", text: TestLogin.secret)
                    let options = ["--jwt-secret-file", "secret"]
                    let url = cluster.url(database: database)
                    let first = try await stage.server(database: url, data: "here", options)
                    let second = try await stage.server(database: url, data: "there", options)
                    let claims: [String: TestLogin.Claim] = ["iss": "https://login.example.org/"]
                    let token = try await login.token("ada", claims: claims)
                    let phone = stage.device(name: "phone", token: token)
                    let tablet = stage.device(name: "tablet", token: token)
                    try await phone.put("note", key: "n1", title: "of the phone")
                    try await phone.sync(first)
                    try await tablet.put("note", key: "n2", title: "of the tablet")
                    try await tablet.sync(second)
                    // A load balancer takes the next request elsewhere.
                    try await phone.sync(second)
                    try await tablet.sync(first)
                    for device in [phone, tablet] {
                        try await device.expect(["note/n1=of the phone", "note/n2=of the tablet"])
                    }
                    let bob = stage.device(name: "bob", token: try await login.token("bob", claims: claims))
                    try await bob.sync(second)
                    try await bob.expect([])
                    for server in [first, second] { try await server.stop() }
                }
                try await cluster.removeDatabase(database)
            }
        }
    }
#endif
