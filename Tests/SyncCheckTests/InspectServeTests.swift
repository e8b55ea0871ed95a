#if Server
    import EntitySync
    import Foundation
    import ProgramRuns
    import Testing

    /// `inspect --serve` as a process on loopback.
    @Suite struct InspectServeTests {
        /// A running command and the address that it printed.
        private struct Served {
            let child: Child
            let port: String
            let token: String

            init(in scratch: Scratch, arguments: [String] = []) async throws {
                child = try Child(
                    program: Tool.program,
                    arguments: ["inspect", "--serve"] + arguments,
                    in: scratch.folder
                )
                let deadline = ContinuousClock.now + .seconds(60)
                while !child.output.hasSuffix("\n"), child.isRunning, ContinuousClock.now < deadline {
                    try await Task.sleep(for: .milliseconds(20))
                }
                let address = try #require(
                    child.output.firstMatch(of: /^http:\/\/127\.0\.0\.1:([0-9]+)\/\?token=([0-9a-f]{64})\n$/),
                    "\(child.output) \(child.error)"
                )
                (port, token) = (String(address.output.1), String(address.output.2))
            }

            /// Sends lines of a request as they are, and returns the whole answer.
            func send(_ lines: [String], in scratch: Scratch) throws -> String {
                let text = (lines + ["Connection: close", "", ""]).joined(separator: "\r\n")
                let script = "exec 3<>/dev/tcp/127.0.0.1/\"$1\"; printf '%s' \"$2\" >&3; cat <&3"
                return try Child(
                    program: URL(fileURLWithPath: "/bin/bash"),
                    arguments: ["-c", script, "bash", port, text],
                    in: scratch.folder
                ).wait().output
            }
        }

        private func scratch() throws -> Scratch {
            let scratch = try Scratch()
            try scratch.must(arguments: "put", "task", #"{"id":"my task"}"#)
            return scratch
        }

        @Test func itAnswersOnlyWhoHasTheTokenAndItsOwnName() async throws {
            let scratch = try scratch()
            let served = try await Served(in: scratch)
            let host = "Host: 127.0.0.1:\(served.port)"
            let none = try served.send(["GET / HTTP/1.1", host], in: scratch)
            #expect(none.hasPrefix("HTTP/1.1 403 ") && !none.contains("my task"))
            let target = "GET /?token=\(served.token) HTTP/1.1"
            #expect(try served.send([target, "Host: evil.example"], in: scratch).hasPrefix("HTTP/1.1 403 "))
            #expect(
                try served.send([target, "Host: localhost:\(served.port)"], in: scratch).hasPrefix(
                    "HTTP/1.1 403 "
                )
            )
            let first = try served.send([target, host], in: scratch)
            #expect(first.hasPrefix("HTTP/1.1 200 "))
            #expect(try served.send([target, host], in: scratch).hasPrefix("HTTP/1.1 403 "))
            let cookie = try #require(first.firstMatch(of: /(?i)set-cookie: ([^;\r]+);/)).output.1
            let page = try served.send(["GET / HTTP/1.1", host, "Cookie: \(cookie)"], in: scratch)
            #expect(page.hasPrefix("HTTP/1.1 200 ") && page.contains("my task"))
            for header in ["Cache-Control: no-store", "X-Frame-Options: DENY", "frame-ancestors 'none'"] {
                #expect(page.contains(header), "\(header)")
                #expect(none.contains(header), "\(header)")
            }
            let other = ["GET / HTTP/1.1", "Host: evil.example", "Cookie: \(cookie)"]
            #expect(try served.send(other, in: scratch).hasPrefix("HTTP/1.1 403 "))
        }

        @Test func aBodyThatIsTooLargeIsRefused() async throws {
            let scratch = try scratch()
            let served = try await Served(in: scratch)
            let head = ["POST /resolve HTTP/1.1", "Host: 127.0.0.1:\(served.port)", "Content-Length: 100000"]
            let answer = try served.send(
                head + ["X: y", "", String(repeating: "a", count: 100_000)],
                in: scratch
            )
            #expect(answer.hasPrefix("HTTP/1.1 413 "))
        }

        @Test func itEndsAtASignalWithCodeZero() async throws {
            let scratch = try scratch()
            let served = try await Served(in: scratch)
            served.child.signal(SIGINT)
            #expect(try await served.child.end().exitCode == 0)
            #expect(served.child.error.contains("it works once"))
        }

        @Test func aPortThatIsTakenIsNamed() async throws {
            let scratch = try scratch()
            let taken = try LoopbackListener()
            defer { close(taken.socket) }
            let run = try scratch.run(arguments: "inspect", "--serve", "--port", "\(taken.port)")
            #expect(run.exitCode == 74)
            #expect(run.errorLines.first?.contains("Port \(taken.port) cannot be used") == true)
        }

        @Test func servingRefusesWhatCannotBeShown() throws {
            let scratch = try scratch()
            #expect(try scratch.run(arguments: "inspect", "--serve", "--output", "x.html").exitCode == 64)
            #expect(try scratch.run(arguments: "inspect", "--port", "80").exitCode == 64)
            #expect(try scratch.run(arguments: "inspect", "task", "nobody", "--serve").exitCode == 1)
            #expect(try scratch.run(arguments: "inspect", "--serve", "--store", "none.sqlite").exitCode == 65)
        }
    }
#endif
