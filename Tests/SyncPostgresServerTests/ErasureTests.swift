#if Server
    import Foundation
    import SyncCore
    import SyncServer
    @testable import SyncPostgresServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// An account that is erased while servers run.
        @Suite struct Erasure {
            /// The rows of all tables that hold something of accounts.
            private static let rows = """
                select (select count(*) from entitysync.state) + (select count(*) from entitysync.space)
                  + (select count(*) from entitysync.device) + (select count(*) from entitysync.scratch)
                  + (select count(*) from entitysync.purged) + (select count(*) from entitysync.fingerprint)
                  + (select count(*) from public."scratch-note")
                """

            private static func erase(_ account: Account, in bench: DatabaseBench) throws {
                let accounts = PostgresAccounts(url: bench.url)
                try accounts.checkErasure()
                try accounts.erase(account: account.id)
            }

            /// The error code of a request; nil if it is answered.
            private static func code(
                _ request: [UInt8],
                of device: DatabaseDevice,
                on handler: PostgresHandler,
                path: String = "/v1/exchange"
            ) async throws -> WireError.Code? {
                let message = ServerRequest(method: "POST", path: path, body: request)
                do {
                    _ = try await handler.answer(message, for: device.account)
                    return nil
                } catch let error as WireError { return error.code }
            }

            @Test func scratchLogsGoWithTheirAccountAndOthersStay() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    let eve = DatabaseDevice(handler, device: 2, account: .eve)
                    for device in [eve, DatabaseDevice(handler, device: 1)] {
                        for path in ["/v1/scratch/a/exchange", "/v1/scratch/b/exchange"] {
                            let request = device.request(changes: [device.note(key: "of \(path)")])
                            #expect(try await Self.code(request, of: device, on: handler, path: path) == nil)
                        }
                        if device === eve {
                            try await bench.sql("create table before as \(Self.rows) as count")
                        }
                    }
                    try await DatabaseDevice(handler, device: 3).push(keys: "main")
                    try Self.erase(.ada, in: bench)
                    #expect(try await bench.sql("select count = (\(Self.rows)) from before") == "t")
                    try Self.erase(.eve, in: bench)
                    #expect(try await bench.sql(Self.rows) == "0")
                }
            }

            @Test func whatWasLetInBeforeTheErasureStoresNothingAfterIt() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    let (old, new) = (DatabaseDevice(handler, device: 1), DatabaseDevice(handler, device: 2))
                    try await old.push(keys: "a")
                    _ = try await old.pull()
                    try Self.erase(.ada, in: bench)
                    for device in [old, new] {
                        let requests = [
                            device.request(changes: [device.note(key: "b")]), device.request(changes: []),
                        ]
                        for request in requests {
                            #expect(try await Self.code(request, of: device, on: handler) == .unavailable)
                        }
                        let path = "/v1/scratch/a/exchange"
                        let code = try await Self.code(requests[0], of: device, on: handler, path: path)
                        #expect(code == .unavailable)
                    }
                    #expect(try await bench.sql(Self.rows) == "0")
                    let eve = DatabaseDevice(handler, device: 3, account: .eve)
                    #expect(try await eve.push(keys: "a").outcomes == ["accepted"])
                }
            }

            @Test func anAccountWithTheIdOfAnErasedOneIsServedAfterAnHour() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    try await DatabaseDevice(handler, device: 1).push(keys: "a")
                    try Self.erase(.ada, in: bench)
                    let later = "update entitysync.erased set erased_at = now() - interval '61 minutes'"
                    try await bench.sql(later)
                    let device = DatabaseDevice(handler, device: 2)
                    #expect(try await device.push(keys: "b").outcomes == ["accepted"])
                    // Marks that have no effect any more do not stay.
                    try await bench.sql("update entitysync.erased set erased_at = now() - interval '2 days'")
                    try Self.erase(.eve, in: bench)
                    #expect(try await bench.sql("select count(*) from entitysync.erased") == "1")
                }
            }

            @Test func pushesDuringAnErasureLeaveNothing() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    for round in 1...5 {
                        try await bench.sql("truncate entitysync.erased")
                        let isErased = Guarded(false)
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            for number in 1...6 {
                                group.addTask {
                                    let device = DatabaseDevice(handler, device: UInt64(round * 10 + number))
                                    let path =
                                        number > 4 ? "/v1/scratch/\(number)/exchange" : "/v1/exchange"
                                    var (rest, count) = (3, 0)
                                    while rest > 0 {
                                        if isErased.use({ $0 }) { rest -= 1 }
                                        count += 1
                                        let notes = [device.note(key: "\(round)-\(number)-\(count)")]
                                        let request = device.request(changes: number % 2 == 0 ? notes : [])
                                        let code = try await Self.code(
                                            request,
                                            of: device,
                                            on: handler,
                                            path: path
                                        )
                                        #expect(code == nil || code == .unavailable || code == .deviceCopied)
                                    }
                                }
                            }
                            try await Task.sleep(for: .milliseconds(60))
                            try Self.erase(.ada, in: bench)
                            isErased.use { $0 = true }
                            try await group.waitForAll()
                        }
                        #expect(try await bench.sql(Self.rows) == "0", "round \(round)")
                    }
                }
            }
        }
    }
#endif
