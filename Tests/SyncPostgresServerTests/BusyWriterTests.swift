#if Server
    import Foundation
    import PostgresCluster
    import SyncChecks
    import SyncCore
    @testable import SyncPostgresServer
    import SyncServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// A web app that writes many rows in an order of its own, beside devices that push the same records.
        @Suite struct BusyWriters {
            private static let keys = (0..<40).map { "k\($0)" }

            /// Transactions of the web app, as a file for psql. Each one has eight rows, and holds some of them for a while.
            private static func transactions(count: Int, using random: inout Seed) -> String {
                (0..<count).map { number in
                    let updates = keys.shuffled(using: &random).prefix(8).map { key in
                        "update public.\"scratch-note\" set title = 'web \(number)' where id = '\(key)';"
                    }
                    return "begin;\n" + updates.joined(separator: "\nselect pg_sleep(0.002);\n") + "\ncommit;"
                }
                .joined(separator: "\n")
            }

            /// Pulls, and pushes edits of twelve records on what was pulled, so many times. Returns how many were stored.
            private static func edit(
                by handler: PostgresHandler,
                device number: UInt64,
                rounds: Int
            ) async throws -> Int {
                let device = DatabaseDevice(handler, device: number)
                let seed = number &+ 10
                var random = Seed(seed)
                var known: [String: SyncCore.Change] = [:]
                var stored = 0
                for round in 0..<rounds {
                    for change in try await device.changes() { known[change.key.text] = change }
                    let changes = keys.shuffled(using: &random).prefix(12).map { key in
                        device.change(
                            entity: "scratch-note",
                            key: key,
                            body:
                                #"{"id":"\#(key)","title":"device \#(round)","createdAt":"2026-01-01T00:00:00Z","#
                                + #""updatedAt":"2026-01-01T00:00:00Z"}"#,
                            on: known[key]
                        )
                    }
                    let answer = try await device.insist(device.request(changes: Array(changes)))
                    #expect(
                        answer.outcomes.allSatisfy { $0 == "accepted" || $0 == "conflict" },
                        "seed \(seed)"
                    )
                    stored += answer.outcomes.count { $0 == "accepted" }
                }
                return stored
            }

            @Test func nobodyWaitsForEachOther() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    let first = DatabaseDevice(handler, device: 1)
                    try await first.send(first.request(changes: Self.keys.map { first.note(key: $0) }))
                    var random = Seed(11)
                    let script = Self.transactions(count: 60, using: &random)
                    async let written = bench.cluster.script(script, database: bench.database)
                    async let phone = Self.edit(by: handler, device: 2, rounds: 20)
                    async let tablet = Self.edit(by: handler, device: 3, rounds: 20)
                    _ = try await written
                    #expect(try await phone + tablet > 0)
                    let deadlocks =
                        "select deadlocks from pg_stat_database where datname = current_database()"
                    #expect(try await bench.sql(deadlocks) == "0")
                    // What the rows say is what a new device gets.
                    let rows = try await bench.sql(
                        "select id || ' ' || title from public.\"scratch-note\" order by id collate \"C\""
                    )
                    let pulled = try await DatabaseDevice(handler, device: 9).changes().map { change in
                        let body = try JSONSerialization.jsonObject(with: Data(change.body))
                        let title = (body as? [String: Any])?["title"] as? String
                        return "\(change.key.text) \(title ?? "")"
                    }
                    #expect(pulled.sorted().joined(separator: "\n") == rows)
                }
            }
        }
    }
#endif
