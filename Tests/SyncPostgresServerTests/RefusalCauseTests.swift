#if Server
    import Foundation
    import SyncCore
    import SyncSchema
    import SyncServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// Why a table refuses a record reaches the device as one sentence, which holds names and no values.
        @Suite struct RefusalCauses {
            private static let table = """
                create table public.orders (
                  id text primary key, owner_id uuid not null, amount integer constraint orders_amount_positive check (amount > 0),
                  code varchar(5), slot text, shop text constraint orders_shop references public.shops (name),
                  region text not null, said text,
                  constraint orders_slot unique (slot),
                  constraint orders_said exclude (said with =)
                );
                create function public.judge() returns trigger language plpgsql as $$
                begin
                  case new.code
                    when 'own' then raise exception 'The shop % is closed on Sundays.', new.shop;
                    when 'own-c' then raise exception 'Closed on Mondays.' using errcode = '23514';
                    when 'own-p' then raise exception 'Closed on Tuesdays.' using errcode = 'PT409';
                    when 'state' then raise exception 'Secret %', new.shop using errcode = '22023';
                    when 'asse' then assert false, 'Secret';
                    when '57014' then raise query_canceled;
                    when '40P01' then raise deadlock_detected;
                    when '55P03' then raise lock_not_available;
                    else null;
                  end case;
                  return new;
                end
                $$;
                create trigger judge before insert or update on public.orders for each row execute function public.judge();
                """
            private static let schema = """
                {
                  "title": "Order", "type": "object",
                  "properties": {
                    "id": { "type": "string" }, "amount": { "type": "integer" }, "code": { "type": "string" },
                    "slot": { "type": "string" }, "shop": { "type": "string" }, "region": { "type": "string" },
                    "said": { "type": "string" }
                  },
                  "required": ["id"],
                  "sync": {
                    "key": "id", "strategy": "last-write-wins",
                    "sql": { "table": "orders", "columns": { "amount": "integer", "code": "varchar(5)" } }
                  }
                }
                """

            private static func run(_ body: (UserDatabase) async throws -> Void) async throws {
                let schemas = try UserDatabase.schemas(["order": schema])
                try await UserDatabase.run { database in
                    try await database.sql("create table public.shops (name text primary key)")
                    try await database.sql("insert into public.shops values ('Here')")
                    try await database.sql(table)
                    try await database.apply(schemas, isExisting: true)
                    try await body(database)
                }
            }

            /// Pushes records with the keys 0, 1, …. Returns the rule and the reason of each that is refused.
            private static func push(_ members: [String], from device: DatabaseDevice) async throws
                -> [String]
            {
                let changes = members.enumerated().map { number, members in
                    device.change(
                        entity: "order",
                        key: "\(number)",
                        body: #"{"id":"\#(number)",\#(members)}"#
                    )
                }
                return try await device.send(device.request(changes: changes)).results.map { result in
                    guard case .refused(let rule, let reason, _) = result else { return "\(result)" }
                    return "\(rule): \(reason)"
                }
            }

            @Test func aRefusalNamesTheConstraintOrTheColumnAndNoValue() async throws {
                try await Self.run { database in
                    try await database.sql(
                        """
                        insert into public.orders (id, owner_id, slot, said, region) values
                          ('there', '\(UserDatabase.ada.id)', 'taken-slot', 'said-value', 'r')
                        """
                    )
                    let region = #""region":"r""#
                    let found = try await Self.push(
                        [
                            #""amount":-77,\#(region)"#, #""slot":"taken-slot",\#(region)"#,
                            #""shop":"Nowhere",\#(region)"#, #""amount":1"#,
                            #""said":"said-value",\#(region)"#,
                            #""code":"abcdefg",\#(region)"#,
                        ],
                        from: database.device(1, entities: "order")
                    )
                    let expected = [
                        "check: A check of the table does not allow the record (constraint orders_amount_positive).",
                        "unique: Another record has the same value of a unique field (constraint orders_slot).",
                        "reference: A record that it refers to is not there, or another one refers to it "
                            + "(constraint orders_shop).",
                        "sql-23502: A column of the table needs a value (column region).",
                        "sql-23P01: Another record excludes this one (constraint orders_said).",
                        "length: A text is longer than its column.",
                    ]
                    for (one, other) in zip(found, expected) { #expect(one == other) }
                }
            }

            @Test func whatATriggerOfTheTableSaysReachesTheUserWhoWrote() async throws {
                try await Self.run { database in
                    let region = #""shop":"Here","region":"r""#
                    let found = try await Self.push(
                        [
                            #""code":"own",\#(region)"#, #""code":"state",\#(region)"#,
                            #""code":"asse",\#(region)"#, #""code":"own-c",\#(region)"#,
                            #""code":"own-p",\#(region)"#,
                        ],
                        from: database.device(1, entities: "order")
                    )
                    let expected = [
                        "sql-P0001: The shop Here is closed on Sundays.",
                        "sql-22023: The database does not take the record.",
                        "sql-P0004: The database does not take the record.",
                        "check: Closed on Mondays.", "sql-PT409: Closed on Tuesdays.",
                    ]
                    for (one, other) in zip(found, expected) { #expect(one == other) }
                }
            }

            @Test(arguments: [
                ("55P03", "Another program holds the record."),
                ("40P01", "Another program holds the record."),
                ("57014", "The database did not write the record in time."),
            ])
            func whatAnotherMomentMayAllowComesAgainAloneAndIsNeverRejected(code: String, reason: String)
                async throws
            {
                try await Self.run { database in
                    let found = try await Self.push(
                        [#""code":"\#(code)","region":"r""#],
                        from: database.device(1, entities: "order")
                    )
                    #expect(found == ["busy: \(reason)"])
                }
            }

            @Test func aRowThatIsLockedKeepsNoOtherFromBeingStored() async throws {
                try await Self.run { database in
                    let phone = try database.device(1, entities: "order")
                    func body(_ key: String, _ code: String) -> String {
                        #"{"id":"\#(key)","code":"\#(code)","region":"r"}"#
                    }
                    let keys = ["a", "b"]
                    let made = try await phone.send(
                        phone.request(
                            changes: keys.map {
                                phone.change(entity: "order", key: $0, body: body($0, "one"))
                            }
                        )
                    )
                    let bases = keys.indices.map { index -> String in
                        guard case .accepted(let revision, _) = made.results[index] else { return "none" }
                        return revision.text
                    }
                    let edits = zip(keys, bases).map { key, base in
                        phone.change(entity: "order", key: key, body: body(key, "two"))
                            .replacingOccurrences(of: #","body""#, with: #","base":"\#(base)","body""#)
                    }
                    async let holder = database.sql(
                        "begin; select id from public.orders where id = 'a' for update; select pg_sleep(6); rollback"
                    )
                    for _ in 0..<200 {
                        let locked = try await database.sql(
                            "select count(*) from (select from public.orders for update skip locked) as free"
                        )
                        if locked == "1" { break }
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    let outcomes = try await phone.send(phone.request(changes: edits)).outcomes
                    #expect(outcomes == ["busy", "accepted"])
                    _ = try await holder
                    let again = try await phone.send(phone.request(changes: [edits[0]])).outcomes
                    #expect(again == ["accepted"])
                }
            }

            @Test(arguments: ["57014", "40P01", "55P03"])
            func whatAnotherMomentMayAllowIsNeverRefused(code: String) async throws {
                try await Self.run { database in
                    let phone = try database.device(1, entities: "order")
                    let changes = [("a", "fine"), ("b", code)].map { key, code in
                        phone.change(
                            entity: "order",
                            key: key,
                            body: #"{"id":"\#(key)","code":"\#(code)","region":"r"}"#
                        )
                    }
                    let request = phone.request(changes: changes)
                    let error = await #expect(throws: WireError.self) { try await phone.send(request) }
                    #expect(error?.code == .unavailable || error?.code == .tooLarge)
                    let count = try await database.sql("select count(*) from public.orders")
                    #expect(count == "0", "nothing of the request is stored")
                    try await database.sql("drop trigger judge on public.orders")
                    let outcomes = try await phone.send(request).outcomes
                    #expect(outcomes == ["accepted", "accepted"])
                }
            }
        }
    }
#endif
