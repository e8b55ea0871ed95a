#if Server
    import PostgresCluster
    import SyncChecks
    import SyncCore
    import SyncPostgres
    import SyncSchema
    import SyncServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// Rows that policies hide: nothing tells of them. NB: each test has two databases, so that two at once could wait
        /// for each other.
        @Suite(.serialized) struct HiddenRows {
            private static let schema = """
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "TeamNote", "type": "object",
                 "properties": {"id": {"type": "string"}, "team": {"type": "string"}, "text": {"type": "string"}},
                 "required": ["id", "team", "text"], "sync": {"key": "id", "strategy": "last-write-wins"}}
                """
            private static let policies = """
                drop policy "entitysync: read" on public.note;
                create policy "of the red team" on public.note for select to authenticated
                using (team = 'red' and (select auth.uid()) = '\(UserDatabase.ada.id)');
                """

            /// A device, and what it was told.
            fileprivate struct Listener {
                let database: UserDatabase
                let device: DatabaseDevice
                var cursor: String?

                init(_ database: UserDatabase) throws {
                    self.database = database
                    device = try database.device(1, entities: "note")
                }

                /// Sends a request. Returns what the answer says, without what names versions and times.
                mutating func ask(changes: [String]) async throws -> String {
                    let answer = try await device.insist(device.request(changes: changes))
                    let entries = answer.changes.map { change in
                        "\(change.header.kind) \(change.key.text) \(String(decoding: change.body, as: UTF8.self))"
                    }
                    let isSame = answer.cursor == cursor
                    cursor = answer.cursor
                    let flags = "more \(answer.hasMore), snapshot \(answer.isSnapshot), same cursor \(isSame)"
                    return (answer.outcomes + entries + [flags]).joined(separator: "\n")
                }
            }

            /// A write of somebody else. Rows of the blue team are hidden.
            private static func write(
                team: String,
                number: Int,
                hasOwner: Bool,
                using random: inout Seed
            ) -> String {
                let key = "\(team)\(Int.random(in: 0..<4, using: &random))"
                let owner = [UserDatabase.ada, UserDatabase.eve].randomElement(using: &random)?.id ?? ""
                switch Int.random(in: 0..<4, using: &random) {
                case 0: return "delete from public.note where id = '\(key)'"
                case 1: return "update public.note set text = 'text \(number)' where team = '\(team)'"
                default:
                    return """
                        insert into public.note (id, team, text\(hasOwner ? ", owner_id" : ""))
                        select '\(key)', '\(team)', 'text \(number)'\(hasOwner ? ", '\(owner)'" : "")
                        where not exists (select from public.note where id = '\(key)')
                        """
                }
            }

            @Test(arguments: PostgresOptions.Owner.allCases, [1, 2, 3] as [UInt64])
            func databasesThatDifferInHiddenRowsAnswerAlike(
                owner: PostgresOptions.Owner,
                seed: UInt64
            ) async throws {
                let schemas = try UserDatabase.schemas(["note": Self.schema])
                try await UserDatabase.run { plain in
                    try await UserDatabase.run { other in
                        for database in [plain, other] {
                            try await database.apply(schemas, owner: owner)
                            try await database.sql(Self.policies)
                        }
                        var (random, hidden) = (Seed(seed), Seed(seed &+ 100))
                        var listeners = (try Listener(plain), try Listener(other))
                        for round in 0..<30 {
                            if Int.random(in: 0..<2, using: &random) == 0 {
                                let statement = Self.write(
                                    team: "red",
                                    number: round,
                                    hasOwner: owner == .user,
                                    using: &random
                                )
                                for database in [plain, other] { try await database.sql(statement) }
                            }
                            for number in 0..<Int.random(in: 0...2, using: &hidden) {
                                let statement = Self.write(
                                    team: "blue",
                                    number: number,
                                    hasOwner: owner == .user,
                                    using: &hidden
                                )
                                try await other.sql(statement)
                            }
                            let key = "own\(round)"
                            let body = #"{"id":"\#(key)","team":"red","text":"mine"}"#
                            let pushes = Int.random(in: 0..<4, using: &random) == 0
                            let said = (
                                try await listeners.0.ask(
                                    changes: pushes ? [listeners.0.new(key, body)] : []
                                ),
                                try await listeners.1.ask(changes: pushes ? [listeners.1.new(key, body)] : [])
                            )
                            #expect(said.0 == said.1, "seed \(seed), round \(round)")
                        }
                    }
                }
            }
        }
    }

    extension DatabaseTests.HiddenRows.Listener {
        /// A change of a new record.
        fileprivate func new(_ key: String, _ body: String) -> String {
            device.change(entity: "note", key: key, body: body)
        }
    }
#endif
