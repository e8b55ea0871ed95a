#if Server
    import Foundation
    import ProgramRuns
    import Testing

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    extension ProcessTests {
        /// What the page for operators shows, run as it is shown.
        @Suite struct OperatingPageTests {
            private static let nginx = "/usr/sbin/nginx"

            private func page() throws -> String {
                let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .deletingLastPathComponent()
                    .deletingLastPathComponent().deletingLastPathComponent()
                return try String(
                    contentsOf: root.appendingPathComponent(
                        "Sources/EntitySync/EntitySync.docc/Operating.md"
                    ),
                    encoding: .utf8
                )
            }

            /// The block of a language on the page.
            private func block(_ language: String) throws -> String {
                let page = try page()
                let start = try #require(page.range(of: "\n```\(language)\n"))
                let end = try #require(page.range(of: "\n```\n", range: start.upperBound..<page.endIndex))
                return String(page[start.upperBound..<end.lowerBound])
            }

            /// A port that is free at the moment.
            private func freePort() throws -> Int {
                let stub = try Stub(nil)
                defer { stub.close() }
                return stub.port
            }

            /// The page's configuration without TLS, before a server.
            private func configuration(port: Int, server: RunningServer, folder: URL) throws -> String {
                let lines = try block("nginx").components(separatedBy: "\n").filter {
                    !$0.contains("ssl_certificate")
                }
                let host = lines.joined(separator: "\n")
                    .replacingOccurrences(of: "listen 443 ssl;", with: "listen 127.0.0.1:\(port);")
                    .replacingOccurrences(of: "http://127.0.0.1:8080;", with: "\(server.url);")
                #expect(host.contains("127.0.0.1:\(port)") && host.contains(server.url))
                let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                    "\($0)_temp_path \(folder.path)/\($0);"
                }
                return """
                    pid \(folder.path)/nginx.pid;
                    error_log stderr;
                    daemon off;
                    master_process off;
                    events {}
                    http {
                    access_log off;
                    \(temporary.joined(separator: "\n"))
                    \(host)
                    }

                    """
            }

            @Test func nginxIsInstalled() {
                #expect(FileManager.default.isExecutableFile(atPath: Self.nginx), "no proxy was tried")
            }

            @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: nginx)))
            func devicesSyncThroughNginxAndItHoldsNoEventBack() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    let server = try await stage.server()
                    let port = try freePort()
                    let text = try configuration(port: port, server: server, folder: stage.folder)
                    try stage.write("nginx.conf", text: text)
                    let proxy = try stage.start(
                        file: URL(fileURLWithPath: Self.nginx),
                        arguments: ["-p", stage.folder.path, "-c", "nginx.conf", "-e", "stderr"]
                    )
                    try await eventually(what: "nginx listens") {
                        #expect(proxy.isRunning, "\(proxy.error)")
                        return try await onOwnThread { (try? Wire(port)) != nil }
                    }
                    let through = RunningServer(child: server.child, port: port)
                    let (phone, laptop) = (
                        stage.device(name: "phone", token: token), stage.device(name: "laptop", token: token)
                    )
                    try await phone.put("note", key: "n1", title: "one")
                    try await phone.sync(through)
                    let stream = try await onOwnThread {
                        let wire = try Wire(port)
                        wire.send(
                            "GET /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
                        )
                        // The stream stays open, so this comes only if nothing is held back.
                        _ = try wire.read(through: "event: ready")
                        return wire
                    }
                    try await laptop.put("note", key: "n2", title: "two")
                    try await laptop.sync(server)
                    _ = try await onOwnThread { try stream.read(through: "event: change") }
                    try await phone.sync(through)
                    try await phone.expect(["note/n1=one", "note/n2=two"])
                    let closed = try await onOwnThread {
                        let wire = try Wire(port)
                        wire.send("GET /admin HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                        return try wire.answer().status
                    }
                    #expect(closed == 404, "only the protocol is passed on")
                    proxy.signal(SIGTERM)
                    _ = try await proxy.end()
                }
            }

            @Test func theOptionsForALoginOnThePageAreThoseOfTheCommand() async throws {
                try await Stage.run { stage in
                    let help = try await stage.run(program: .syncserver, arguments: "serve", "--help").output
                    let words = try page().split { " `\n|".contains($0) }.map(String.init)
                    let named = Set(words.filter { $0.hasPrefix("--jw") })
                    let known = Set(
                        help.split { " (".contains($0) }.map(String.init).filter { $0.hasPrefix("--jw") }
                    )
                    #expect(named == known && known.count == 6, "\(named.symmetricDifference(known))")
                }
            }

            @Test func theServiceOfThePageIsOneThatSystemdTakes() async throws {
                try await Stage.run { stage in
                    let unit = try block("ini").replacingOccurrences(
                        of: "/usr/local/bin/syncserver",
                        with: Program.syncserver.url.path
                    )
                    let command = try #require(
                        unit.components(separatedBy: "\n").first { $0.hasPrefix("ExecStart=") }
                    )
                    // Every option of the command is one that the server knows.
                    let help = try await stage.run(program: .syncserver, arguments: "serve", "--help").output
                    let options = command.split(separator: " ").filter { $0.hasPrefix("--") }
                    #expect(options.count >= 5)
                    for option in options { #expect(help.contains("\(option) <"), "\(option)") }
                    let verify = URL(fileURLWithPath: "/usr/bin/systemd-analyze")
                    guard FileManager.default.isExecutableFile(atPath: verify.path) else { return }
                    try stage.write("syncserver.service", text: unit + "\n")
                    let run = try await stage.start(
                        file: verify,
                        arguments: ["verify", "./syncserver.service"]
                    ).end()
                    #expect(run.exitCode == 0, "\(run.error)")
                    #expect(!run.error.contains("syncserver.service"), "\(run.error)")
                }
            }
        }
    }
#endif
