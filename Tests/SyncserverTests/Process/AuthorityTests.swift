#if Server
    import Foundation
    import ProgramRuns
    import Testing

    extension ProcessTests {
        /// A server behind a reverse proxy whose certificate comes from a private authority.
        @Suite struct AuthorityTests {
            private func sync(
                _ stage: Stage,
                remote: String,
                more: [String] = [],
                token: String,
                environment: [String: String] = [:]
            ) async throws -> Run {
                let variables = environment.merging(["SYNCCHECK_TOKEN": token]) { $1 }
                return try await Child(
                    program: .synccheck,
                    arguments: ["sync", "--remote", remote, "--store", "phone.sqlite"] + more,
                    in: stage.folder,
                    environment: variables
                ).end()
            }

            @Test func aDeviceSyncsOverHTTPSWithTheAuthorityThatIsNamed() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    let server = try await stage.server()
                    let remote = "https://localhost:\(try TLSRelay(to: server.port).port)"
                    try stage.write("authority.pem", text: TestCertificates.authority)
                    let (phone, laptop) = (
                        stage.device(name: "phone", token: token), stage.device(name: "laptop", token: token)
                    )
                    try await phone.put("note", key: "n1", title: "one")
                    let named = try await sync(
                        stage,
                        remote: remote,
                        more: ["--ca-file", "authority.pem"],
                        token: token
                    )
                    #expect(named.exitCode == 0, "\(named.error)")
                    try await laptop.sync(server)
                    #expect(try await laptop.records() == ["note/n1=one"])
                    try await laptop.put("note", key: "n1", title: "two")
                    try await laptop.sync(server)
                    #if os(Linux)
                        let environment = ["SSL_CERT_FILE": stage.url(path: "authority.pem").path]
                        let run = try await sync(
                            stage,
                            remote: remote,
                            token: token,
                            environment: environment
                        )
                        #expect(run.exitCode == 0, "\(run.error)")
                        #expect(try await phone.records() == ["note/n1=two"])
                    #endif
                    let conformance = try await phone.stage.start(
                        program: .synccheck,
                        arguments: ["conformance", "--remote", remote, "--ca-file", "authority.pem"],
                        token: token
                    ).end()
                    #expect(conformance.exitCode == 0, "\(conformance.output)\(conformance.error)")
                }
            }

            @Test func aDeviceThatIsNotToldOfTheAuthoritySaysSoAndSendsNothing() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    let server = try await stage.server()
                    let remote = "https://localhost:\(try TLSRelay(to: server.port).port)"
                    try stage.write("other.pem", text: TestCertificates.otherAuthority)
                    for more in [[], ["--ca-file", "other.pem"]] {
                        let run = try await sync(stage, remote: remote, more: more, token: token)
                        #expect(run.exitCode == 69)
                        #expect(
                            run.errorLines[0] == "error: No secure connection to the server could be made."
                        )
                    }
                    let missing = try await sync(
                        stage,
                        remote: remote,
                        more: ["--ca-file", "missing.pem"],
                        token: token
                    )
                    #expect(missing.exitCode == 65, "\(missing.error)")
                    #expect(missing.error.contains("certificate authorities"))
                    let plain = try await sync(
                        stage,
                        remote: server.url,
                        more: ["--ca-file", "other.pem"],
                        token: token
                    )
                    #expect(plain.exitCode == 64, "\(plain.error)")
                }
            }
        }
    }
#endif
