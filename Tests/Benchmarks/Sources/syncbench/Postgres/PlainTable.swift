/// The yardstick's statements: what an app's own server would run on the same table.
enum PlainTable {
    private static let fields = [
        "id", "user_id", "surah_number", "verse_number", "surah_name", "verse_text", "verse_translation",
        "notes",
        "tags", "created_at", "updated_at",
    ]

    /// Inserts the records of a JSON array with one statement.
    static func insert(_ bodies: [UInt8]) -> PostgresCommand {
        let names = fields.joined(separator: ", ")
        return PostgresCommand(
            """
            insert into public.bookmarks (\(names))
            select \(names) from json_populate_recordset(null::public.bookmarks, $1)
            """,
            .json(bodies)
        )
    }

    /// Updates the records of a JSON array with one statement.
    static func update(_ bodies: [UInt8]) -> PostgresCommand {
        let assignments = fields.dropFirst().map { "\($0) = n.\($0)" }.joined(separator: ", ")
        return PostgresCommand(
            """
            update public.bookmarks as b set \(assignments)
            from json_populate_recordset(null::public.bookmarks, $1) as n where b.id = n.id
            """,
            .json(bodies)
        )
    }

    /// Deletes the records of a JSON array with one statement.
    static func delete(_ bodies: [UInt8]) -> PostgresCommand {
        PostgresCommand(
            """
            delete from public.bookmarks as b
            using json_populate_recordset(null::public.bookmarks, $1) as n where b.id = n.id
            """,
            .json(bodies)
        )
    }

    /// Inserts the records of an answer of the exchange, in its order, with what else is sent of them. For a table that
    /// has columns for it (`SQLPageRatio.Source.rendered`).
    static func insertChanges(of answer: [UInt8]) -> PostgresCommand {
        PostgresCommand(
            """
            insert into public.bookmarks (revision, mark, vector, \(fields.joined(separator: ", ")))
            select e.value ->> 'revision', e.value ->> 'mark', e.value ->> 'vector',
              \(fields.map { "b.\($0)" }.joined(separator: ", "))
            from json_array_elements($1 -> 'changes') with ordinality as e
            cross join json_populate_record(null::public.bookmarks, e.value -> 'body') as b
            order by e.ordinality
            """,
            .json(answer)
        )
    }

    /// An entry of protocol v1, made of the columns of the row `b` of such a table.
    static let entry = """
        '{"revision":"' || b.revision || '","entity":"bookmark","key":"' || b.id || '","mark":"' || b.mark
          || '","vector":"' || b.vector || '","body":{"id":"' || b.id || '","user_id":' || to_json(b.user_id)
          || ',"surah_number":' || b.surah_number || ',"verse_number":' || b.verse_number
          || coalesce(',"surah_name":' || to_json(b.surah_name), '')
          || coalesce(',"verse_text":' || to_json(b.verse_text), '')
          || coalesce(',"verse_translation":' || to_json(b.verse_translation), '')
          || ',"notes":' || coalesce(to_json(b.notes)::text, 'null')
          || coalesce(',"tags":' || replace(b.tags::text, '", "', '","'), '')
          || ',"created_at":"' || \(moment("b.created_at")) || '","updated_at":"' || \(moment("b.updated_at"))
          || '"}}'
        """

    /// A moment as it is sent: UTC, with as many digits as it has.
    private static func moment(_ column: String) -> String {
        let text = #"to_char(\#(column) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')"#
        return "rtrim(rtrim(\(text), '0'), '.') || 'Z'"
    }
}
