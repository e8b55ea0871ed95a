#if Server
    import SyncServer
    import SyncWire
    import Testing

    @testable import syncserver

    @Suite(.ownThreads) struct EventTests {
        static let head = "GET /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer est_ada\r\n\r\n"

        /// Opens a stream and waits until it is ready.
        private static func open(port: Int) throws -> (Wire, String) {
            let wire = try Wire(port)
            wire.send(head)
            return (wire, try wire.read(through: "event: ready\ndata: {}\n\n"))
        }

        @Test func aStreamDeliversAChange() async throws {
            try await RunningHost.run { host in
                let (head, change) = try await onOwnThread {
                    let (wire, head) = try Self.open(port: host.port)
                    host.hub.publish("another log")
                    host.hub.publish("log")
                    return (head, try wire.read(through: "event: change\ndata: 2\n\n"))
                }
                #expect(head.hasPrefix("HTTP/1.1 200 "))
                #expect(head.lowercased().contains("content-type: text/event-stream\r\n"))
                #expect(head.lowercased().contains("cache-control: no-store\r\n"))
                #expect(!change.contains("data: 1\n"))
            }
        }

        @Test func aQuietStreamSaysThatItIsAlive() async throws {
            try await RunningHost.run({ $0.heartbeatSeconds = 0.02 }) { host in
                let text = try await onOwnThread { try Self.open(port: host.port).0.read(through: ":\n\n") }
                #expect(!text.contains("event: change"))
            }
        }

        @Test func aStreamEndsWithItsAccount() async throws {
            try await RunningHost.run({ $0.heartbeatSeconds = 0.02 }) { host in
                let wire = try await onOwnThread { try Self.open(port: host.port).0 }
                host.book.remove()
                _ = try await onOwnThread { wire.readToEnd() }
                try await eventually(what: "the stream is gone") { host.hub.openStreams == 0 }
            }
        }

        @Test func aStopEndsEveryStreamWhole() async throws {
            try await RunningHost.run { host in
                let rest = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<5 {
                        group.addTask {
                            try await onOwnThread { try Self.open(port: host.port).0.readToEnd() }
                        }
                    }
                    try await eventually(what: "all streams are open") { host.hub.openStreams == 5 }
                    await host.stop()
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                // The end of a chunk, and the last chunk of the body.
                #expect(rest == Array(repeating: "\r\n0\r\n\r\n", count: 5))
                #expect(host.hub.openStreams == 0)
            }
        }

        @Test func anAccountHasAtMost32Streams() async throws {
            try await RunningHost.run { host in
                let next = try await onOwnThread {
                    let open = try (0..<32).map { _ in try Self.open(port: host.port).0 }
                    let wire = try Wire(host.port)
                    wire.send(Self.head)
                    return try withExtendedLifetime(open) { try wire.answer() }
                }
                #expect(next.status == 429 && next.fields["retry-after"] != nil)
            }
        }

        @Test func aClientThatLeavesGivesItsPlaceBack() async throws {
            try await RunningHost.run { host in
                for _ in 0..<20 {
                    try await onOwnThread { _ = try Self.open(port: host.port) }
                    try await eventually(what: "the stream is gone") { host.hub.openStreams == 0 }
                }
                try await eventually(what: "the end of each stream is in the log") {
                    host.log.all.filter { $0.contains(#""route":"/v1/events","status":200"#) }.count == 20
                }
            }
        }

        @Test func aStreamNeedsAToken() async throws {
            try await RunningHost.run { host in
                let text = try await host.exchange(
                    text: "GET /v1/events HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                )
                #expect(text.hasPrefix("HTTP/1.1 401 "))
            }
        }
    }
#endif
