#if Server
    import Foundation
    import SyncCore
    import SyncServer
    @testable import SyncPostgresServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// Accounts of one server, of which one is busy.
        @Suite struct Neighbours {
            @Test(arguments: [2, 4])
            func anAccountIsAnsweredWhileAnotherOnesPushesWaitForEachOther(maxConnections: Int) async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler(maxConnections: maxConnections)
                    defer { handler.stop() }
                    try await DatabaseDevice(handler, device: 90).push(keys: "first")
                    let neighbour = DatabaseDevice(handler, device: 91, account: .eve)
                    try await neighbour.push(keys: "own")
                    let lock = try PostgresConnection(url: bench.url, timeouts: PostgresConnection.Timeouts())
                    let space = PostgresSpace(accountID: Account.ada.id).id
                    _ = try lock.run(
                        PostgresStatement(
                            "select pg_advisory_lock(hashtextextended($1::text, 7316))",
                            .text(space)
                        )
                    )
                    let refused = Guarded(0)
                    try await withThrowingTaskGroup(of: [String].self) { group in
                        for device in 1...16 as ClosedRange<UInt64> {
                            group.addTask {
                                let device = DatabaseDevice(handler, device: device)
                                let request = device.request(changes: [device.note(key: "\(device.device)")])
                                while true {
                                    do { return try await device.send(request).outcomes } catch let error
                                        as WireError
                                        where error.code == .unavailable
                                    {
                                        refused.use { $0 += 1 }
                                        try await Task.sleep(for: .milliseconds(100))
                                    }
                                }
                            }
                        }
                        let active =
                            "select count(*) from pg_stat_activity where query like '%exchange%' and state = 'active'"
                        while try await bench.sql(active) == "1" {
                            try await Task.sleep(for: .milliseconds(20))
                        }
                        let other = DatabaseDevice(handler, device: 93, account: .eve)
                        #expect(try await other.pull() == ["own"])
                        #expect(try await neighbour.push(keys: "another").outcomes == ["accepted"])
                        // Each of them waits for two seconds. At most two at a time did so meanwhile.
                        #expect(refused.use { $0 } < 8)
                        _ = try lock.run(PostgresStatement("select pg_advisory_unlock_all()"))
                        for try await outcomes in group { #expect(outcomes == ["accepted"]) }
                    }
                    #expect(try await DatabaseDevice(handler, device: 92).pull().count == 17)
                }
            }
        }
    }
#endif
