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
}
