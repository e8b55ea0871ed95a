/// The ratios to reach, in the order of the table.
enum Ratios {
    static let all: [Ratio] = [
        Ratio(
            name: "pull",
            what:
                "100k records from page bytes into the store, against a scanner that binds bytes to a statement",
            goal: .atMost(1.15)
        ) { try await PullRatio.measure($0) },
        Ratio(
            name: "pull-by-hand",
            what: "the same against Foundation's decoder and GRDB's upsert of each Codable record",
            goal: .atLeast(7)
        ) { try await PullByHandRatio.measure($0) },
        Ratio(
            name: "push",
            what: "encode and mark 100k pending records, against a hand-written writer and a raw update",
            goal: .atMost(1.1)
        ) { try await PushRatio.measure($0) },
        Ratio(
            name: "put",
            what: "one durable local write, against a raw prepared upsert with the same durability",
            goal: .atMost(1.2)
        ) { try await PutRatio.measure($0) },
        Ratio(
            name: "put-during-pull",
            what: "milliseconds that one durable local write takes at 95 % while 100k records are pulled",
            goal: .atMost(10)
        ) { try await PutDuringPullRatio.measure($0) },
        Ratio(name: "read", what: "100k typed records, against SQLite's own interface", goal: .atMost(0.6)) {
            try await ReadRatio.measure($0)
        },
        Ratio(
            name: "observe",
            what: "all observed records again after one was edited, against reading them all anew",
            goal: .atMost(0.05)
        ) { try await ObserveRatio.measure($0) },
        Ratio(
            name: "observe-join",
            what: "milliseconds more until an observation of a join tells one edit, than one of an entity",
            goal: .atMost(5)
        ) { try await ObserveJoinRatio.measure($0) },
        Ratio(
            name: "search",
            what: "the first 20 hits among 100,000 articles of 4 KB, against the same query of FTS5 by hand",
            goal: .atMost(3)
        ) { try await SearchRatio.measure($0) },
        Ratio(
            name: "inspect",
            what: "seconds for a page of 100,000 records with 1,000 conflicts",
            goal: .atMost(3)
        ) { try await InspectRatio.measure($0) },
        Ratio(
            name: "idle",
            what: "a sync with nothing to do over 14 entities, against one bare request of the same client",
            goal: .atMost(1.15)
        ) { try await IdleRatio.measure($0) },
        Ratio(
            name: "idle-first",
            what: "the first sync with nothing to do after 100k records were pulled, against later ones",
            goal: .atMost(3)
        ) { try await IdleFirstRatio.measure($0) },
        Ratio(
            name: "incremental",
            what: "10 changes in a store of 1,000,000 records, against the same in one of 1,000",
            goal: .atMost(1.3)
        ) { try await IncrementalRatio.measure($0) },
        Ratio(name: "repull", what: "100k records that are there already, against pull", goal: .atMost(0.6)) {
            try await RepullRatio.measure($0)
        },
        Ratio(
            name: "memory",
            what: "peak memory of pulling 1,000,000 records, against that of pulling 100,000",
            goal: .atMost(1.05)
        ) { try await MemoryRatio.measure($0) },
        Ratio(
            name: "folder-first",
            what:
                "10,000 records from device to folder to device, against append, read, raw marks and inserts",
            goal: .atMost(1.2)
        ) { try await FolderFirstRatio.measure($0) },
        Ratio(
            name: "folder-idle",
            what: "a folder sync with nothing to do after 10,000 records, against one after 100",
            goal: .atMost(1.2)
        ) { try await FolderIdleRatio.measure($0) },
        Ratio(
            name: "server",
            what: "100k records through the server to another device, against raw stores on all three",
            goal: .atMost(1.3)
        ) { try await ServerRatio.measure($0) },
        Ratio(
            name: "end-to-end",
            what: "the same by two synccheck and syncserver, against sqlite3 and curl, in processor time",
            goal: .atMost(1.5)
        ) { try await EndToEndRatio.measure($0) },
        Ratio(
            name: "generate",
            what: "200 schemas of 30 fields in seconds, and no file written when nothing changed",
            goal: .atMost(1)
        ) { try await GenerateRatio.measure($0) },
        Ratio(
            name: "sql-push",
            what: "one exchange of 1,000 new records in PostgreSQL, against a plain insert of the same JSON",
            goal: .atMost(6)
        ) { try await SQLWriteRatio.push($0) },
        Ratio(
            name: "sql-edit",
            what: "one exchange of 1,000 edits in PostgreSQL, against a plain update from the same JSON",
            goal: .atMost(8)
        ) { try await SQLWriteRatio.edit($0) },
        Ratio(
            name: "sql-idle",
            what: "an exchange without news among 1,000,000 records, against select 1 by the same client",
            goal: .atMost(1.5)
        ) { try await SQLIdleRatio.measure($0) },
        Ratio(
            name: "sql-page",
            what: "a page of 1,000 records, against an indexed select of the same bytes, stored as they are",
            goal: .atMost(2)
        ) { try await SQLPageRatio.measure($0, source: .stored) },
        Ratio(
            name: "sql-page-rendered",
            what: "the same page, against an indexed select that makes the same bytes of the same columns",
            goal: .atMost(2)
        ) { try await SQLPageRatio.measure($0, source: .rendered) },
        Ratio(
            name: "sql-load",
            what: "time of a row of 10,000 in one transaction into an empty database, against one of 1,000",
            goal: .atMost(1.3)
        ) { try await SQLLoadRatio.measure($0) },
        Ratio(
            name: "sql-size",
            what: "sync states with their indexes after 20,000 rows, against the table with its indexes",
            goal: .atMost(0.6)
        ) { try await SQLSizeRatio.measure($0) },
        Ratio(
            name: "sql-insert-by-8",
            what: "8 programs insert row by row into a tracked table, against one that nobody tracks",
            goal: .atMost(2)
        ) { try await SQLWritersRatio.single($0, .insert) },
        Ratio(
            name: "sql-update-by-8",
            what: "8 programs update row by row, the same way",
            goal: .atMost(2)
        ) { try await SQLWritersRatio.single($0, .update) },
        Ratio(
            name: "sql-bulk-insert",
            what: "10,000 rows in one insert by a program, the same way",
            goal: .atMost(3)
        ) { try await SQLWritersRatio.bulk($0, .insert) },
        Ratio(
            name: "sql-bulk-update",
            what: "10,000 rows in one update by a program, the same way",
            goal: .atMost(3)
        ) { try await SQLWritersRatio.bulk($0, .update) },
        Ratio(
            name: "sql-bulk-delete",
            what: "10,000 rows in one delete by a program, the same way",
            goal: .atMost(3)
        ) { try await SQLWritersRatio.bulk($0, .delete) },
        Ratio(
            name: "sql-processes",
            what: "small pushes a second through two servers with one database, against one server",
            goal: .atLeast(1.6)
        ) { try await SQLProcessesRatio.measure($0) },
        Ratio(
            name: "server-push-small",
            what: "pushes of one record a second through syncserver with a database, against one with files",
            goal: .atLeast(0.59)
        ) { try await ServerLoadRatio.smallPushes($0) },
        Ratio(
            name: "server-idle",
            what: "polls without news through syncserver with files, against requests whether it lives",
            goal: .atMost(2)
        ) { try await ServerLoadRatio.idlePolls($0) },
        Ratio(
            name: "server-neighbour",
            what:
                "an account's poll while another pushes 16 times 1,000 records, against one in quiet; files",
            goal: .atMost(15)
        ) { try await ServerLoadRatio.neighbour($0, store: .files) },
        Ratio(
            name: "server-neighbour-sql",
            what: "the same with a database",
            goal: .atMost(15)
        ) { try await ServerLoadRatio.neighbour($0, store: .database) },
    ]
}
