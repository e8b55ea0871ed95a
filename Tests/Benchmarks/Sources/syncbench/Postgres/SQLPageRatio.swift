import SyncCore

/// A page that a device pulls, against one select of the same bytes, in the order of an index and under the same
/// policies.
enum SQLPageRatio {
    /// Where the yardstick finds the bytes.
    enum Source {
        /// They lie ready as they are sent. The product holds no such second copy of a record.
        case stored
        /// It makes them of the typed columns of the records, as the product does. All that is sent of a record lies in
        /// its one row.
        case rendered

        /// A select of a page after a place.
        func select(count: Int) -> PostgresCommand {
            let (entry, table) =
                switch self {
                case .stored: ("b.entry", "public.wire")
                case .rendered: (PlainTable.entry, "public.bookmarks")
                }
            return PostgresCommand(
                """
                select '[' || string_agg(entry, ',' order by place) || ']'
                from (
                  select b.place, \(entry) as entry from \(table) as b
                  where b.place > $1::bigint order by b.place limit \(count)
                ) as page
                """,
                .text("\(count)")
            )
        }

        /// What the yardstick's database needs.
        var definition: String {
            switch self {
            case .stored:
                """
                create table public.wire (
                  owner_id uuid not null default auth.uid(), place bigint not null generated always as identity,
                  entry text not null, primary key (owner_id, place)
                );
                alter table public.wire enable row level security;
                create policy own on public.wire for all to authenticated
                  using (owner_id = (select auth.uid())) with check (owner_id = (select auth.uid()));
                grant select, insert on public.wire to authenticated;
                """
            case .rendered:
                """
                alter table public.bookmarks add place bigint not null generated always as identity,
                  add revision text, add mark text, add vector text;
                create index on public.bookmarks (owner_id, place);
                """
            }
        }

        /// Stores the records of an answer.
        func insert(_ answer: [UInt8]) -> PostgresCommand {
            switch self {
            case .stored:
                PostgresCommand(
                    """
                    insert into public.wire (entry)
                    select e.value::text from json_array_elements($1 -> 'changes') with ordinality as e
                    order by e.ordinality
                    """,
                    .json(answer)
                )
            case .rendered: PlainTable.insertChanges(of: answer)
            }
        }
    }

    /// Rounds for each round of a long ratio: one page is short.
    private static let repeats = 3

    static func measure(_ bench: Bench, source: Source) async throws -> Measurement {
        var often = bench
        often.rounds = bench.rounds * repeats
        let count = SQLWriteRatio.count(bench)
        return try await BenchPostgres.shared().withBoth { synced, plain in
            let pages = max(3, bench.records / count / 5)
            let reader = try fill(synced, plain, source: source, count: count, pages: pages)
            let request = reader.pull(limit: count)
            let select = source.select(count: count)
            var (ours, theirs): ([UInt8], [UInt8]) = ([], [])
            let sides = try await often.takeTurns(
                ours: Bench.Side(
                    prepare: { ours = [] },
                    run: { ours = try synced.exchange(request) },
                    processorSeconds: { synced.client.processorSeconds }
                ),
                yardstick: Bench.Side(
                    prepare: { theirs = [] },
                    run: { theirs = try plain.transaction(select)[0] },
                    processorSeconds: { plain.client.processorSeconds }
                )
            )
            guard try WireAnswer(ours).changes == count, theirs.count > 2, ours.firstRange(of: theirs) != nil
            else { throw Unmeasured(reason: "the sides do not answer the same bytes") }
            return .over(sides: sides, note: "\(count) records, the same \(theirs.count) bytes on both sides")
        }
    }

    /// Pushes pages of records, and stores each as it comes to another device on the yardstick's side. Returns that
    /// device, which stands after the first page.
    private static func fill(
        _ synced: AccountSession,
        _ plain: AccountSession,
        source: Source,
        count: Int,
        pages: Int
    ) throws -> BenchRequests {
        var (writer, reader) = (BenchRequests(), BenchRequests(device: DeviceID(bits: 0x7a6b_5c4d_3e2f_1001)))
        try plain.client.script(source.definition)
        for page in 0..<pages {
            let request = writer.push(page * count..<(page + 1) * count)
            try writer.take(try synced.exchange(request))
        }
        var second = reader
        for page in 0..<pages {
            let answer = try synced.exchange(reader.pull(limit: count))
            try reader.take(answer, pulled: count)
            if page == 0 { second = reader }
            try plain.transaction(source.insert(answer))
        }
        for session in [synced, plain] { try session.client.script("vacuum analyze") }
        return second
    }
}
