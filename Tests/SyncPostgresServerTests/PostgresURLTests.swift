#if Server
    import SyncPostgresServer
    import Testing

    /// Where a database is, as messages show it.
    @Suite struct PostgresURLTests {
        @Test(arguments: [
            "postgres://u:secret@127.0.0.1:5433/records", "postgres://u:sec%2Fret@127.0.0.1:5433/records",
            "host=127.0.0.1 port=5433 dbname=records user=u password=sec/ret",
        ])
        func aPlaceHasNoPassword(text: String) {
            #expect(PostgresURL(text)?.place == "127.0.0.1:5433/records")
        }

        @Test(arguments: [
            "postgres://u:sec/ret@127.0.0.1:5433/records", "postgres://u:sec/re/t@host/records", "",
            "nothing",
        ])
        func aPasswordThatBreaksTheURLIsNotShown(text: String) {
            #expect(PostgresURL(text) == nil)
        }
    }
#endif
