#if Server
    import Foundation
    import SyncCore
    import SyncSchema
    import SyncServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// A table that alters what is written, where the schema says that such a change is refused.
        @Suite struct AlteredRows {
            private static let table = """
                create table public.orders (
                  id text primary key, owner_id uuid not null, title text not null, price numeric(10, 2), state text,
                  note text, changed timestamptz
                );
                create function public.alter_order() returns trigger language plpgsql as $$
                begin
                  new.title := left(new.title, 5);
                  new.state := coalesce(nullif(new.state, 'draft'), 'new');
                  new.changed := now();
                  return new;
                end
                $$;
                create trigger alter_order before insert or update on public.orders
                  for each row execute function public.alter_order();
                """

            private static func schema(onAlter: String) -> String {
                """
                {
                  "title": "Order", "type": "object",
                  "properties": {
                    "id": { "type": "string" }, "title": { "type": "string" },
                    "price": { "type": "string", "format": "decimal" },
                    "state": { "type": "string", "default": "draft" }, "note": { "type": "string" },
                    "changed": { "type": "string", "format": "date-time" }
                  },
                  "required": ["id", "title", "state"],
                  "sync": {
                    "key": "id", "strategy": "last-write-wins", "updated": "changed",
                    "sql": { "table": "orders", "onAlter": "\(onAlter)", "columns": { "price": "numeric(10,2)" } }
                  }
                }
                """
            }

            private static func run(onAlter: String, _ body: (UserDatabase) async throws -> Void) async throws
            {
                let schemas = try UserDatabase.schemas(["order": schema(onAlter: onAlter)])
                try await UserDatabase.run { database in
                    try await database.sql(table)
                    try await database.apply(schemas, isExisting: true)
                    try await body(database)
                }
            }

            private static func body(_ key: String, title: String = "t", others: String = "") -> String {
                #"{"id":"\#(key)","title":"\#(title)","state":"draft","changed":"2026-01-01T00:00:00Z"\#(others)}"#
            }

            private static func text(_ result: ExchangeResult) -> String {
                switch result {
                case .accepted(_, let stored): stored.map { "altered: \($0.header.isAltered)" } ?? "accepted"
                case .conflict: "conflict"
                case .refused(let rule, let reason, _): "\(rule): \(reason)"
                }
            }

            @Test func aChangeThatTheTableWouldCutIsRefusedAloneAndNothingOfItIsWritten() async throws {
                try await Self.run(onAlter: "reject") { database in
                    let phone = try database.device(1, entities: "order")
                    var changes = (0..<60).map { number in
                        phone.change(entity: "order", key: "f\(number)", body: Self.body("f\(number)"))
                    }
                    let cut = Self.body("a", title: "Secret words", others: #","price":"12.345""#)
                    changes.insert(phone.change(entity: "order", key: "a", body: cut), at: 7)
                    let rounded = Self.body("b", others: #","price":"12.345""#)
                    changes.append(phone.change(entity: "order", key: "b", body: rounded))
                    let results = try await phone.send(phone.request(changes: changes)).results.map(Self.text)
                    #expect(
                        results[7] == "altered: The table would alter what was written (column price, title)."
                    )
                    #expect(results[61] == "altered: The table would alter what was written (column price).")
                    let others = Set(
                        results.enumerated().filter { ![7, 61].contains($0.offset) }.map(\.element)
                    )
                    #expect(others == ["altered: true"], "a time and a value of new records are no loss")
                    let count = try await database.sql("select count(*) from public.orders")
                    let states = try await database.sql("select count(*) from entitysync.state")
                    #expect(count == "60" && states == "60")
                }
            }

            @Test func anEditIsRefusedForWhatItChangesAlone() async throws {
                try await Self.run(onAlter: "reject") { database in
                    try await database.sql(
                        """
                        alter table public.orders disable trigger alter_order;
                        insert into public.orders (id, owner_id, title, state, note)
                        values ('a', '\(UserDatabase.ada.id)', 'a long title', 'done', 'old');
                        alter table public.orders enable trigger alter_order
                        """
                    )
                    let phone = try database.device(1, entities: "order")
                    let there = try #require(try await phone.changes().first)
                    let known = String(decoding: there.body, as: UTF8.self)
                    func push(_ old: String, _ new: String) async throws -> [String] {
                        let body = known.replacingOccurrences(of: old, with: new)
                        #expect(body != known, "\(known)")
                        let change = phone.change(entity: "order", key: "a", body: body, on: there)
                        return try await phone.send(phone.request(changes: [change])).results.map(Self.text)
                    }
                    let refused = try await push("a long title", "another title")
                    #expect(refused == ["altered: The table would alter what was written (column title)."])
                    let row = try await database.sql("select title, note from public.orders")
                    #expect(row == "a long title|old")
                    let accepted = try await push(#""old""#, #""new""#)
                    #expect(accepted == ["altered: true"], "it did not write the title")
                    let after = try await database.sql("select title, note from public.orders")
                    #expect(after == "a lon|new")
                }
            }

            @Test func otherwiseItIsStoredAsTheTableAltersIt() async throws {
                try await Self.run(onAlter: "journal") { database in
                    let phone = try database.device(1, entities: "order")
                    let change = phone.change(
                        entity: "order",
                        key: "a",
                        body: Self.body("a", title: "long title")
                    )
                    let results = try await phone.send(phone.request(changes: [change])).results.map(
                        Self.text
                    )
                    #expect(results == ["altered: true"])
                    let page = try await database.device(2, entities: "order").changes()
                    #expect(page.map(\.header.isAltered) == [true])
                    // A later edit that the table takes as it is says nothing of it.
                    try await database.sql("alter table public.orders disable trigger alter_order")
                    let base = try #require(page.first)
                    let tablet = try database.device(3, entities: "order")
                    try await tablet.pull()
                    let body = #"{"id":"a","title":"t","state":"new","changed":"2026-02-01T00:00:00Z"}"#
                    let edit = tablet.change(entity: "order", key: "a", body: body, on: base)
                    let taken = try await tablet.send(tablet.request(changes: [edit])).results.map(Self.text)
                    #expect(taken == ["accepted"])
                    let last = try await database.device(4, entities: "order").changes()
                    #expect(last.map(\.header.isAltered) == [false])
                }
            }
        }
    }
#endif
