#if Server
    import SyncChecks
    import SyncCore
    import SyncServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// A push of one change goes a way of its own. It comes to the same as one of several.
        @Suite struct OnePush {
            /// A column is cut, a text is refused, and a record's own time is what the table says.
            private static let table = """
                create function public.cut() returns trigger language plpgsql as $$
                begin
                  new.word := left(new.word, 3);
                  if new.note = 'no' then raise exception 'Not this note.'; end if;
                  return new;
                end $$;
                create trigger cut before insert or update on public.thing for each row execute function public.cut();
                create unique index on public.thing (owner_id, code);
                """

            /// What is stored for an account, without what names the account.
            private static func stored(of user: Account) -> String {
                """
                select coalesce(string_agg(t.line, E'\\n' order by t.line), '') from (
                  -- Times that were brought down are those of the push.
                  select regexp_replace(replace(concat_ws(' | ',
                    s.key, s.is_deleted, split_part(s.edit, '.', 1), s.sent, regexp_replace(s.vector, d.name || ':[0-9]+', d.name),
                    s.detail, s.body, s.sets, s.merged_into, to_jsonb(r) - 'owner_id'
                  ), d.name, 'server'), '\\m(?!1790000000000000)1[0-9]{15}\\M', 'now', 'g') as line
                  from entitysync.state as s
                  cross join lateral (select entitysync.server_device(s.space) as name) as d
                  left join public.thing as r on r.owner_id = s.space and r.id = s.key
                  where s.space = '\(user.id)' and s.key not like 'beside%'
                ) as t
                """
            }

            private static func text(_ result: ExchangeResult) -> String {
                switch result {
                case .accepted(_, let stored): stored == nil ? "accepted" : "accepted and altered"
                case .conflict(let current): current == nil ? "conflict" : "conflict with a record"
                case .refused(let rule, let reason, _): "\(rule): \(reason)"
                }
            }

            /// Changes of a few records, drawn at random: valid and not, on what is stored and on what never was.
            private struct Draw {
                var bodies: RandomBodies
                var seed: Seed
                var sequence = 0

                init(seed: UInt64) {
                    bodies = RandomBodies(seed: seed)
                    self.seed = Seed(seed)
                }

                mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &seed) ?? "" }

                /// A change without its base, and how the base is to be named.
                mutating func next() -> (key: String, members: String, base: String) {
                    sequence += Int.random(in: 0..<8, using: &seed) == 0 ? 0 : 1
                    let key = pick(["a", "b", "c", "d", "e", "f", "g", ""])
                    let own = "0000000000000001:\(sequence)"
                    let time = pick([
                        "1790000000000000", "1790000000000000", "1790000000000000", "9790000000000000", "-5",
                    ])
                    let vector = pick([
                        "", "", "", "", "", "", "", #","vector":"\#(own)""#,
                        #","vector":"\#(own),0000000000000001:1""#,
                        #","vector":"0000000000000001:1,\#(own)""#, #","vector":"0000000000000002:7""#,
                        #","vector":7"#,
                        #","vector":null"#, #","vector":"x""#,
                    ])
                    let mark = "\(time).0000000000000001.\(sequence)"
                    let detail = pick([
                        "", "", "", "", "", "", #","detail":{"origin":"\#(mark)"}"#,
                        #","detail":{"origin":"\#(mark)","units":{"word":[["9790000000000000.0000000000000001.1"]]}}"#,
                        #","detail":[]"#, #","detail":null"#,
                    ])
                    let extra = pick([
                        "", "", "", "", #","deleted":true"#, #","deleted":false"#, #","merged":null"#,
                    ])
                    let entity = pick(Array(repeating: "thing", count: 20) + ["other", ""])
                    let word = pick(["a", "ab", "abcd"])
                    let valid = #"{"id":"\#(key)","must":\#(sequence % 10),"word":"\#(word)"}"#
                    let no = #"{"id":"\#(key)","must":1,"note":"no"}"#
                    let body = pick([
                        bodies.next(key: key), bodies.next(key: key), valid, valid, valid, no, "7",
                    ])
                    let members =
                        #""entity":"\#(entity)","key":"\#(key)","mark":"\#(mark)"\#(vector)\#(detail)\#(extra),"body":\#(body)"#
                    return (key, members, pick(["right", "right", "right", "right", "none", "wrong"]))
                }
            }

            @Test(arguments: 1...4 as ClosedRange<UInt64>)
            func aChangeAloneBecomesWhatItBecomesBesideAnother(seed: UInt64) async throws {
                let schemas = try UserDatabase.schemas(["thing": RandomBodies.schema])
                try await UserDatabase.run { database in
                    try await database.apply(schemas)
                    try await database.sql(Self.table)
                    let users = [UserDatabase.ada, UserDatabase.eve]
                    let devices = try users.map { try database.device(1, of: $0, entities: "thing") }
                    var revisions: [[String: String]] = [[:], [:]]
                    var draw = Draw(seed: seed)
                    var counts: [String: Int] = [:]
                    for step in 1...120 {
                        let (key, members, kind) = draw.next()
                        var results: [String] = []
                        for (index, device) in devices.enumerated() {
                            let base =
                                kind == "right" ? revisions[index][key] : kind == "none" ? nil : "1-wrong"
                            let change = "{\(members)\(base.map { #","base":"\#($0)""# } ?? "")}"
                            let beside = device.change(
                                entity: "thing",
                                key: "beside\(step)",
                                body: #"{"id":"beside\#(step)","must":1}"#
                            )
                            let changes = index == 0 ? [change] : [change, beside]
                            let answer = try await device.send(device.request(changes: changes))
                            results.append(Self.text(answer.results[0]))
                            if case .accepted(let revision, _) = answer.results[0] {
                                revisions[index][key] = revision.text
                            }
                        }
                        #expect(results[0] == results[1], "step \(step): \(members), base \(kind)")
                        counts[String(results[0].prefix { $0 != ":" }), default: 0] += 1
                    }
                    for kind in [
                        "accepted", "accepted and altered", "conflict with a record", "malformed", "vector",
                    ] {
                        #expect(counts[kind] ?? 0 > 0, "\(kind): \(counts)")
                    }
                    let stored = try await [
                        database.sql(Self.stored(of: users[0])), database.sql(Self.stored(of: users[1])),
                    ]
                    #expect(!stored[0].isEmpty)
                    for (one, several) in zip(
                        stored[0].split(separator: "\n"),
                        stored[1].split(separator: "\n")
                    ) {
                        #expect(one == several)
                    }
                }
            }
        }
    }
#endif
