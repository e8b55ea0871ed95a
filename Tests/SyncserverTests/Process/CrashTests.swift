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
        @Suite struct CrashTests {
            /// Runs 100 writers of several accounts; `end` ends the server meanwhile.
            private func storm(
                stage: Stage,
                accounts: Int,
                end: (RunningServer) async throws -> Void
            ) async throws -> [Writer] {
                var tokens: [String] = []
                for number in 0..<accounts { tokens.append(try await stage.token(name: "account \(number)")) }
                let server = try await stage.server(data: "data", port: 0, "--rate", "1000000")
                let writers = (0..<100).map { Writer(number: $0, token: tokens[$0 % accounts]) }
                let port = server.port
                async let ends: Void = withThrowingTaskGroup(of: Void.self) { group in
                    for writer in writers {
                        group.addTask { try await onOwnThread { writer.write(to: port) } }
                    }
                    try await group.waitForAll()
                }
                try await eventually(what: "every writer has written") {
                    writers.allSatisfy { $0.taken.count >= 2 || $0.unexpectedAnswer != nil }
                }
                try await end(server)
                try await ends
                for writer in writers { #expect(writer.unexpectedAnswer == nil) }
                return writers
            }

            /// Checks that all acknowledged pushes are complete, that other pushes are complete or absent,
            /// and that there is nothing else.
            private func check(
                _ writers: [Writer],
                server: RunningServer,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                for token in Set(writers.map(\.token)) {
                    let held = try await onOwnThread { [port = server.port] in
                        try Wire.notes(port: port, token: token)
                    }
                    var expected: [String: String] = [:]
                    for writer in writers where writer.token == token {
                        for push in writer.taken { expected.merge(push.records) { $1 } }
                        if let open = writer.open, held[open.records[0].key] != nil {
                            expected.merge(open.records) { $1 }
                        }
                    }
                    let isSame = held == expected
                    #expect(isSame, sourceLocation: sourceLocation)
                }
            }

            @Test(arguments: [1, 5])
            func aServerKilledUnderLoadHasEveryAcknowledgedWrite(accounts: Int) async throws {
                try await Stage.run { stage in
                    let writers = try await storm(stage: stage, accounts: accounts) { try await $0.crash() }
                    let server = try await stage.server()
                    try await check(writers, server: server)
                    try await server.crash()
                    // A server that is killed during its start leaves no trace.
                    for seconds in [0, 0.02, 0.04, 0.08] {
                        let child = try stage.start(
                            program: .syncserver,
                            arguments: ["--schemas", "Schemas", "--data", "data", "--port", "0"]
                        )
                        try await pause(seconds: seconds)
                        child.signal(SIGKILL)
                        _ = try await child.end()
                    }
                    let last = try await stage.server(data: "data", port: 0, "--rate", "1000000")
                    try await check(writers, server: last)
                    // Unanswered pushes are repeated and are stored exactly once.
                    for writer in writers {
                        let isTaken = try await onOwnThread { [port = last.port] in
                            writer.repeatLast(to: port)
                        }
                        #expect(isTaken, "\(writer.unexpectedAnswer ?? "")")
                    }
                    try await check(writers, server: last)
                    for writer in writers {
                        guard let open = writer.open else { continue }
                        let held = try await onOwnThread { [port = last.port] in
                            try Wire.notes(port: port, token: writer.token)
                        }
                        #expect(held[open.records[3].key] == open.records[3].title)
                        break
                    }
                }
            }

            @Test func aServerThatIsAskedToStopUnderLoadAnswersOrCutsAndEndsWith0() async throws {
                try await Stage.run { stage in
                    let writers = try await storm(stage: stage, accounts: 3) { try await $0.stop() }
                    try await check(writers, server: try await stage.server())
                }
            }
        }
    }
#endif
