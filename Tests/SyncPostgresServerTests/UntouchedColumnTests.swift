#if Server
    import Foundation
    import SyncCore
    import SyncSchema
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// A table that was there, with values that devices cannot hold: they stay, and they stop nobody.
        @Suite struct UntouchedColumns {
            private static let table = """
                create table public.places (
                  id text primary key, owner_id uuid not null, title text not null, born date, died date, ides date,
                  until timestamptz, since timestamp, weight numeric, price numeric, lat double precision, ratio real,
                  extra json, more jsonb, count numeric, words text[], must json not null default '{}',
                  own_json json, own_point point, own_price money, own_text text, own_date date, own_list int[]
                );
                create table public.told (what text);
                create function public.tell() returns trigger language plpgsql as $$
                begin
                  insert into public.told values (new.id);
                  return null;
                end
                $$;
                create trigger tell after update of
                  id, owner_id, born, died, ides, until, since, weight, price, lat, ratio, extra, more, count, words, must,
                  own_json, own_point, own_price, own_text, own_date, own_list
                on public.places for each row execute function public.tell();
                """
            private static let rows = """
                insert into public.places (
                  id, owner_id, title, born, died, ides, until, since, weight, price, lat, ratio, extra, more, count, words,
                  own_json, own_point, own_price, own_text, own_date, own_list
                )
                select t.id, '\(UserDatabase.ada.id)', 'old', t.born, t.died, '0044-03-15 BC', t.until, t.since, t.weight,
                  12.345678901234567890, 52.520006599999995, t.ratio, t.extra, '{"b": 1.50, "a": [1e400]}', t.count, t.words,
                  '{"z": 1,  "a": 2}', '(1.5,2.25)', 12.5, E'own\\ttext', '-infinity', '[0:1]={1,2}'
                from (
                  values
                    ('a', 'infinity'::date, '-infinity'::date, 'infinity'::timestamptz, '-infinity'::timestamp,
                      12.345678901234567890, 0.1::real, '{"b": 1,  "a": 2}'::json, 1.5, array['x', null]),
                    ('b', '2026-02-03', null, '2026-01-01 00:00:00.123456+00', '2026-01-01 00:00:00.5', 'NaN',
                      'NaN'::real, '{"a": "\\u0000"}', 'Infinity', '{}'),
                    ('c', '10000-01-01', '0001-01-01 BC', '10000-01-01', '4713-01-01 BC', 1e300, 'Infinity', 'null', 7.0,
                      null),
                    ('d', null, null, null, null, 0.1000, -0.0, '[1e200000]', 1e30, array['a,b', '"']),
                    ('e', null, null, null, null, null, null, '{"a": 1, "a": 2}', null, array[['a'], ['b']])
                ) as t (id, born, died, until, since, weight, ratio, extra, count, words);
                """
            /// Every column but the title, as bytes.
            private static let others = """
                select t.id, (
                  t.id, t.owner_id, t.born, t.died, t.ides, t.until, t.since, t.weight, t.price, t.extra, t.more, t.count,
                  t.words, t.must, t.own_json, t.own_point, t.own_price, t.own_text, t.own_date, t.own_list
                )::text, float8send(t.lat), float4send(t.ratio)
                from public.places as t order by t.id
                """

            private static func schema(granularity: String, hasTime: Bool = false) -> String {
                """
                {
                  "title": "Place", "type": "object",
                  "properties": {
                    "id": { "type": "string" }, "title": { "type": "string" },
                    "born": { "type": "string", "format": "date" }, "died": { "type": "string", "format": "date" },
                    "ides": { "type": "string", "format": "date" }, "until": { "type": "string", "format": "date-time" },
                    "since": { "type": "string", "format": "date-time" }, "weight": { "type": "number" },
                    "price": { "type": "string", "format": "decimal" }, "lat": { "type": "number" },
                    "ratio": { "type": "number" },
                    "extra": { "type": "object", "properties": { "b": { "type": "integer" } }, "title": "Extra" },
                    "more": { "type": "object", "properties": { "c": { "type": "integer" } }, "title": "More" },
                    "count": { "type": "integer" }, "words": { "type": "array", "items": { "type": "string" } },
                    "must": { "type": "object", "properties": { "d": { "type": "integer" } }, "title": "Must" }
                  },
                  "required": ["id", "title", "must"],
                  "sync": {
                    "key": "id", "strategy": "last-write-wins", "granularity": "\(granularity)",
                    "sql": {
                      "table": "places",
                      "columns": {
                        "weight": "numeric", "price": "numeric", "ratio": "real", "extra": "json", "since": "timestamp",
                        "count": "numeric", "words": "text[]", "must": "json"
                      }
                    }
                  }
                }
                """
            }

            private static func run(
                granularity: String = "record",
                _ body: (UserDatabase) async throws -> Void
            ) async throws {
                let schemas = try UserDatabase.schemas(["place": schema(granularity: granularity)])
                try await UserDatabase.run { database in
                    try await database.sql(
                        "alter database \"\(database.database)\" set extra_float_digits = 0"
                    )
                    try await database.sql(table)
                    try await database.sql(rows)
                    for _ in 0..<2 { try await database.apply(schemas, isExisting: true) }
                    try await body(database)
                }
            }

            private static func bodies(_ changes: [SyncCore.Change]) -> [String] {
                changes.map { String(decoding: $0.body, as: UTF8.self) }
            }

            @Test(arguments: ["record", "field"])
            func anEditOfTheTitleChangesNoOtherColumnAndFiresNoTriggerOfOne(granularity: String) async throws
            {
                try await Self.run(granularity: granularity) { database in
                    let before = try await database.sql(Self.others)
                    let phone = try database.device(1, entities: "place")
                    for title in ["new", "newer"] {
                        let known =
                            try await title == "new"
                            ? phone.changes() : database.device(2, entities: "place").changes()
                        #expect(known.map(\.key.text).sorted() == ["a", "b", "c", "d", "e"])
                        let edits = known.map { change in
                            let body = String(decoding: change.body, as: UTF8.self)
                            let old = title == "new" ? "old" : "new"
                            return phone.change(
                                entity: "place",
                                key: change.key.text,
                                body: body.replacingOccurrences(
                                    of: #""title":"\#(old)""#,
                                    with: #""title":"\#(title)""#
                                ),
                                on: change
                            )
                        }
                        let answer = try await phone.send(phone.request(changes: edits))
                        let outcomes = Array(repeating: "accepted", count: 5)
                        #expect(answer.outcomes == outcomes)
                        let titles = try await database.sql(
                            "select string_agg(distinct title, ' ') from public.places"
                        )
                        #expect(titles == title)
                        let after = try await database.sql(Self.others)
                        #expect(after == before)
                        let told = try await database.sql("select count(*) from public.told")
                        #expect(told == "0")
                    }
                    let last = try await database.device(3, entities: "place").changes()
                    let first = try #require(last.first { $0.key.text == "a" })
                    let body = String(decoding: first.body, as: UTF8.self)
                    let held = [
                        #""price":"12.34567890123456789""#, #""lat":52.520006599999995,"ratio":0.1,"#,
                        #""extra":{"a": 2, "b": 1}"#, #""words":["x",null]"#,
                    ]
                    for text in held { #expect(body.contains(text), "\(body)") }
                    for name in ["born", "died", "ides", "until", "since", "weight", "count"] {
                        #expect(!body.contains(#""\#(name)":"#), "\(body)")
                    }
                }
            }

            @Test(arguments: ["record", "field"])
            func aRowThatNoDeviceCanHoldStopsNobody(granularity: String) async throws {
                let values = [
                    #"extra = '"\u0000"'"#, #"extra = '{"a":"\ud800"}'"#, #"extra = '"\udc00\ud800"'"#,
                    "extra = '1e200000'", "extra = '-1e200000'", "lat = 'NaN'", "lat = 'Infinity'",
                    "lat = '-Infinity'",
                    "weight = 'NaN'", "weight = 'Infinity'", "weight = 1e1000", "ratio = 'NaN'",
                    "count = 'NaN'", "count = 1e40", "price = 'NaN'", "price = '-Infinity'",
                    #"must = '"\u0000"'"#, #"must = '1e200000'"#, #"must = 'null'"#,
                    "extra = (repeat('[', 3000) || repeat(']', 3000))::json",
                    "more = (repeat('[', 3000) || repeat(']', 3000))::jsonb",
                    "must = (repeat('[', 600) || repeat(']', 600))::json",
                    "more = (repeat('[', 511) || repeat(']', 511))::jsonb",
                    "more = (repeat('[', 512) || repeat(']', 512))::jsonb",
                    "id = ''", "title = ''", "words = array[['a','b']]", "until = 'infinity'",
                    "born = '5874897-12-31'", "since = '4713-01-01 BC'",
                    "until = '294276-12-31 23:59:59.999999+00'",
                ]
                try await Self.run(granularity: granularity) { database in
                    let phone = try database.device(1, entities: "place")
                    try await phone.pull()
                    for (number, value) in values.enumerated() {
                        let fine = "f\(number)"
                        let odd = "o\(number)"
                        try await database.sql(
                            """
                            insert into public.places (id, owner_id, title)
                            values ('\(odd)', '\(UserDatabase.ada.id)', 't'), ('\(fine)', '\(UserDatabase.ada.id)', 't')
                            """
                        )
                        // The body beside the row is kept, so that a fold reads the row, too.
                        let kept = "k\(number)"
                        let body = #"{"id":"\#(kept)","title":"t","must":{},"unknown":1}"#
                        let answer = try await phone.insist(
                            phone.request(changes: [phone.change(entity: "place", key: kept, body: body)])
                        )
                        #expect(answer.outcomes == ["accepted"], "\(value)")
                        try await phone.pull()
                        for key in [odd, kept] where !(value.hasPrefix("id") && key == kept) {
                            try await database.sql("update public.places set \(value) where id = '\(key)'")
                        }
                        let pulled = try await phone.changes()
                        let fresh = try await database.device(2, entities: "place").pull()
                        #expect(fresh.contains(fine), "\(value)")
                        if !value.hasPrefix("id") {
                            #expect(Set(pulled.map(\.key.text)) == [odd, kept], "\(value)")
                            #expect(fresh.contains(odd) && fresh.contains(kept), "\(value)")
                        }
                        let next = phone.change(
                            entity: "place",
                            key: "n\(number)",
                            body: #"{"id":"n\#(number)","title":"t","must":{}}"#
                        )
                        let later = try await phone.insist(phone.request(changes: [next]))
                        #expect(later.outcomes == ["accepted"], "\(value)")
                        try await database.sql("delete from public.places where id <> 'a'")
                        try await phone.pull()
                    }
                }
            }

            /// Keys have one spelling, whatever the settings of the session that writes, and some rows have no key that
            /// a device could name.
            @Test(arguments: [#""day""#, #"["day", "size"]"#, #""size""#])
            func aKeyIsTheSameInEverySessionAndAnInfiniteOneStopsNobody(key: String) async throws {
                let schemas = try UserDatabase.schemas([
                    "slot": """
                    {
                      "title": "Slot", "type": "object",
                      "properties": {
                        "day": { "type": "string", "format": "date" }, "size": { "type": "integer" },
                        "text": { "type": "string" }
                      },
                      "required": ["day", "size"],
                      "sync": {
                        "key": \(key), "strategy": "last-write-wins",
                        "sql": { "table": "slots", "columns": { "size": "numeric" } }
                      }
                    }
                    """
                ])
                try await UserDatabase.run { database in
                    try await database.sql(
                        """
                        create table public.slots (
                          day date not null unique, size numeric not null unique, text text, owner_id uuid not null
                        )
                        """
                    )
                    try await database.apply(schemas, isExisting: true)
                    let (phone, laptop) = (
                        try database.device(1, entities: "slot"), try database.device(2, entities: "slot")
                    )
                    try await phone.pull()
                    let styles = ["German", "SQL, DMY", "Postgres, MDY", "ISO"]
                    for (number, style) in styles.enumerated() {
                        let day = "2026-02-0\(number + 1)"
                        try await database.sql(
                            """
                            set datestyle = '\(style)';
                            insert into public.slots (day, size, text, owner_id) values
                              ('\(day)'::date, '\(number + 1).00', 't', '\(UserDatabase.ada.id)'),
                              ('infinity', 'infinity', 'odd', '\(UserDatabase.ada.id)'),
                              ('0044-03-15 BC', 'NaN', 'odd', '\(UserDatabase.ada.id)'),
                              ('10000-01-01', 1.5, 'odd', '\(UserDatabase.ada.id)')
                            """
                        )
                        let first = try await Self.bodies(phone.changes())
                        let body = #"{"day":"\#(day)","size":\#(number + 1),"text":"t"}"#
                        #expect(first == [body], "\(style)")
                        try await database.sql(
                            "set datestyle = '\(style)'; update public.slots set text = 'u' where text in ('t', 'odd')"
                        )
                        let second = try await phone.changes()
                        let bodies = Self.bodies(second)
                        #expect(bodies == [body.replacingOccurrences(of: #""t""#, with: #""u""#)], "\(style)")
                        // A device finds the row again.
                        let base = try #require(second.first)
                        let edit = phone.change(
                            entity: "slot",
                            key: base.key.text.replacingOccurrences(of: "\"", with: #"\""#),
                            body: bodies[0].replacingOccurrences(of: #""u""#, with: #""v""#),
                            on: base
                        )
                        let outcomes = try await phone.send(phone.request(changes: [edit])).outcomes
                        #expect(outcomes == ["accepted"])
                        let texts = try await database.sql(
                            "select text from public.slots where size = \(number + 1)"
                        )
                        #expect(texts == "v")
                        try await database.sql(
                            "set datestyle = '\(style)'; delete from public.slots where not isfinite(day) or text = 'u'"
                        )
                        let third = try await phone.pull()
                        #expect(third.isEmpty)
                    }
                    let all = try await laptop.pull()
                    #expect(all.count == 4)
                    // A row whose key becomes one that no device can name is deleted for them, and comes back.
                    try await database.sql(
                        "update public.slots set day = 'infinity', size = 'NaN' where size = 1"
                    )
                    let gone = try await laptop.pull()
                    #expect(gone.count == 1 && gone.allSatisfy { $0.hasPrefix("-") })
                    try await database.sql(
                        "update public.slots set day = '2026-02-01', size = 1 where size = 'NaN'"
                    )
                    let back = try await laptop.pull()
                    #expect(back == gone.map { String($0.dropFirst()) })
                    let doctor = try await database.sql("select * from entitysync.slot_compare()")
                    #expect(doctor == "0|0|0")
                }
            }

            /// The body beside the row is rewritten by a fold, which an operator's session may run.
            @Test func aFoldByAnOperatorKeepsAllDigitsOfANumber() async throws {
                try await Self.run { database in
                    let phone = try database.device(1, entities: "place")
                    try await phone.pull()
                    let body = #"{"id":"k","title":"t","must":{},"unknown":1}"#
                    try await phone.send(
                        phone.request(changes: [phone.change(entity: "place", key: "k", body: body)])
                    )
                    try await database.sql("update public.places set lat = 52.520006599999995 where id = 'k'")
                    try await database.sql("select entitysync.fold_all()")
                    let pulled = try await Self.bodies(phone.changes())
                    #expect(
                        pulled.count == 1 && pulled[0].contains(#""lat": 52.520006599999995"#),
                        "\(pulled)"
                    )
                }
            }
        }
    }
#endif
