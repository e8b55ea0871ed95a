import SyncCore

/// A page that a device pulls, against one indexed select of the same bytes, which lie ready as they are sent.
enum SQLPageRatio {
    /// Rounds for each round of a long ratio: one page is short.
    private static let repeats = 3

    static func measure(_ bench: Bench) async throws -> Measurement {
        var often = bench
        often.rounds = bench.rounds * repeats
        let count = SQLWriteRatio.count(bench)
        return try await BenchPostgres.shared().withBoth { synced, plain in
            let reader = try fill(synced, plain, count: count, pages: max(3, bench.records / count / 5))
            let request = reader.pull(limit: count)
            let select = PostgresCommand(
                """
                select '[' || string_agg(entry, ',' order by place) || ']'
                from (
                  select place, entry from public.wire where place > $1::bigint order by place limit \(count)
                ) as page
                """,
                .text("\(count)")
            )
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

    /// Pushes pages of records, and stores each entry as it comes to another device on the yardstick's side. Returns
    /// that device, which stands after the first page.
    private static func fill(
        _ synced: AccountSession,
        _ plain: AccountSession,
        count: Int,
        pages: Int
    ) throws -> BenchRequests {
        var (writer, reader) = (BenchRequests(), BenchRequests(device: DeviceID(bits: 0x7a6b_5c4d_3e2f_1001)))
        try plain.client.script(
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
        )
        for page in 0..<pages {
            let request = writer.push(page * count..<(page + 1) * count)
            try writer.take(try synced.exchange(request))
        }
        var second = reader
        for page in 0..<pages {
            let answer = try synced.exchange(reader.pull(limit: count))
            try reader.take(answer, pulled: count)
            if page == 0 { second = reader }
            try plain.transaction(
                PostgresCommand(
                    """
                    insert into public.wire (entry)
                    select e.value::text from json_array_elements($1 -> 'changes') with ordinality as e
                    order by e.ordinality
                    """,
                    .json(answer)
                )
            )
        }
        for session in [synced, plain] { try session.client.script("vacuum analyze") }
        return second
    }
}
