#if Server
    import Foundation
    import PostgresCluster
    import SyncCore
    import SyncSchema
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// A database with the SQL of an earlier version gets the present one.
        @Suite struct Upgrades {
            private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

            private static func schemas() throws -> [Schema] {
                let names = ["bookmark", "project", "read-status", "transaction"]
                let texts = try names.map { name in
                    let file = folder.appendingPathComponent("../../Schemas/\(name).schema.json")
                    return (name, try String(contentsOf: file, encoding: .utf8))
                }
                return try UserDatabase.schemas(Dictionary(uniqueKeysWithValues: texts))
            }

            private static func key(_ number: Int) -> String {
                "b0000000-0000-4000-8000-00000000000\(number)"
            }

            private static func body(_ number: Int, notes: String, more: String = "") -> String {
                #"{"id":"\#(key(number))","user_id":"me","surah_number":2,"verse_number":\#(number),"notes":"\#(notes)","#
                    + #""tags":["x","y"],"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"\#(more)}"#
            }

            private static func insert(_ numbers: Int..., notes: String) -> String {
                let rows = numbers.map { "('\(key($0))', 'me', 3, \($0), '\(notes)')" }
                return """
                    insert into public.bookmarks (id, user_id, surah_number, verse_number, notes)
                    values \(rows.joined(separator: ", "))
                    """
            }

            private static func numbers(_ keys: [String]) -> Set<String> {
                Set(keys.map { ($0.hasPrefix("-") ? "-" : "") + $0.suffix(1) })
            }

            private static func value(of change: SyncCore.Change, _ member: String) -> String {
                let body = try? JSONSerialization.jsonObject(with: Data(change.body)) as? NSDictionary
                return "\(body?[member] ?? "nothing")"
            }

            @Test func fromVersionTwoDevicesGoOnAndNothingIsSentTwiceOrLost() async throws {
                try await UserDatabase.run { database in
                    for name in ["10-entitysync.sql", "20-entities.sql"] {
                        let file = Self.folder.appendingPathComponent("Former/\(name)")
                        let text = try String(contentsOf: file, encoding: .utf8)
                        try await database.cluster.script(text, database: database.database)
                    }
                    let (phone, laptop) = (
                        try database.device(1, entities: "bookmark"),
                        try database.device(2, entities: "bookmark")
                    )
                    let pushed = try await phone.send(
                        phone.request(
                            changes: [(1, ""), (2, #","later":[1.50]"#), (3, ""), (4, "")].map {
                                number,
                                more in
                                phone.change(
                                    entity: "bookmark",
                                    key: Self.key(number),
                                    body: Self.body(number, notes: "old", more: more)
                                )
                            }
                        )
                    )
                    #expect(pushed.outcomes == Array(repeating: "accepted", count: 4))
                    let known = try await laptop.changes()
                    #expect(known.count == 4)
                    try await database.sql(Self.insert(5, 6, notes: "web"), as: UserDatabase.ada)
                    try await database.sql(
                        """
                        update public.bookmarks set notes = 'edited' where id = '\(Self.key(3))';
                        delete from public.bookmarks where id = '\(Self.key(4))';
                        """,
                        as: UserDatabase.ada
                    )
                    let news = try await phone.pull()
                    #expect(Self.numbers(news) == ["3", "-4", "5", "6"])
                    let old = try await database.device(3, entities: "bookmark").changes()

                    for round in 1...2 {
                        try await database.apply(Self.schemas())
                        let triggers = try await database.sql(
                            "select count(*) from pg_trigger where tgname = 'entitysync_track'"
                        )
                        #expect(triggers == "0")
                        let again = try await phone.pull()
                        #expect(again.isEmpty, "round \(round)")
                    }
                    let late = try await laptop.pull()
                    #expect(Self.numbers(late) == ["3", "-4", "5", "6"], "what it had not seen, once")
                    let fresh = try await database.device(4, entities: "bookmark").changes()
                    #expect(fresh == old, "the versions are the same")

                    // Writes of other programs go on, and those of devices on top of what they know.
                    try await database.sql(Self.insert(7, notes: "web"), as: UserDatabase.ada)
                    try await database.sql(
                        """
                        update public.bookmarks set notes = 'by SQL', tags = '["y", "z"]'
                        where id in ('\(Self.key(1))', '\(Self.key(2))');
                        delete from public.bookmarks where id = '\(Self.key(5))';
                        """,
                        as: UserDatabase.ada
                    )
                    for device in [phone, laptop] {
                        let changes = try await device.changes()
                        let numbers = Self.numbers(changes.map { ($0.isDeleted ? "-" : "") + $0.key.text })
                        #expect(numbers == ["1", "2", "-5", "7"])
                        let second = try #require(changes.first { $0.key.text == Self.key(2) })
                        #expect(Self.value(of: second, "notes") == "by SQL")
                        let text = String(decoding: second.body, as: UTF8.self)
                        #expect(text.contains("later"), "what only the state holds is kept")
                    }
                    let base = try #require(fresh.first { $0.key.text == Self.key(6) })
                    let stale = try #require(known.first { $0.key.text == Self.key(1) })
                    let answer = try await laptop.send(
                        laptop.request(changes: [
                            laptop.change(
                                entity: "bookmark",
                                key: Self.key(6),
                                body: Self.body(6, notes: "by a device"),
                                on: base
                            ),
                            laptop.change(
                                entity: "bookmark",
                                key: Self.key(1),
                                body: Self.body(1, notes: "stale"),
                                on: stale
                            ),
                        ])
                    )
                    #expect(answer.outcomes == ["accepted", "conflict"])
                    let notes = try await database.sql(
                        "select string_agg(notes, ' ' order by id) from public.bookmarks"
                    )
                    #expect(notes == "by SQL by SQL edited by a device web")
                    let compared = try await database.sql("select * from entitysync.bookmark_compare()")
                    #expect(compared == "0|0|0")
                    let rest = try await phone.pull()
                    #expect(Self.numbers(rest) == ["6"])
                }
            }
        }
    }
#endif
