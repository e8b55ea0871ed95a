import Foundation
import SyncChecks
import SyncCore
import SyncSQLite
import SyncServer
import SyncWire
import Testing

/// A migrated file gives the same answers as before.
@Suite struct LogMigrationTests {
    private let uuid = "379066e4-6dd5-4050-8470-004e08da28bd"

    /// The record table of format 2, which held the run and all of the entry with each record.
    private static let formatTwo = """
        \(table(insteadOf: "once", entity: "INTEGER", key: "ANY"))
        INSERT INTO record
        SELECT once.id, log, entity, key, revision,
            (SELECT tag FROM run WHERE run.log = once.log AND first <= revision ORDER BY first DESC LIMIT 1),
            mark, coalesce(pushed, mark),
            coalesce(vector, substr(mark, instr(mark, '.') + 1, 16) || ':' || substr(mark, instr(mark, '.') + 18)),
            deleted, stored_at,
            CAST('{"entity":"' || name || '","key":"' || \(keyText) || '","mark":"' || mark
                || coalesce('","vector":"' || vector, '') || '",' || CAST(entry AS TEXT) AS BLOB)
        FROM once JOIN entity ON entity.id = once.entity;
        DROP TABLE once;
        PRAGMA user_version = 2;

        """

    /// The record table of both formats, which had every value; the present one gets another name.
    private static func table(insteadOf name: String, entity: String, key: String) -> String {
        """
        DROP INDEX record_revision;
        DROP INDEX record_tombstone;
        ALTER TABLE record RENAME TO \(name);
        CREATE TABLE record (
            id INTEGER PRIMARY KEY, log INTEGER NOT NULL, entity \(entity) NOT NULL, key \(key) NOT NULL,
            revision INTEGER NOT NULL, run TEXT NOT NULL, mark TEXT NOT NULL, pushed TEXT NOT NULL,
            vector TEXT NOT NULL, deleted INTEGER NOT NULL, stored_at INTEGER NOT NULL, entry BLOB NOT NULL,
            UNIQUE (log, entity, key)
        ) STRICT;
        CREATE UNIQUE INDEX record_revision ON record (log, entity, revision);
        CREATE INDEX record_tombstone ON record (log, entity, stored_at) WHERE deleted = 1;
        """
    }

    /// A key's text.
    private static let keyText = """
        CASE typeof(key) WHEN 'text' THEN key ELSE
            lower(substr(hex(key), 1, 8) || '-' || substr(hex(key), 9, 4) || '-' || substr(hex(key), 13, 4)
                || '-' || substr(hex(key), 17, 4) || '-' || substr(hex(key), 21))
        END
        """

    /// The record table of format 1, which had no entity table either.
    private static let formatOne = """
        \(table(insteadOf: "short", entity: "TEXT", key: "TEXT"))
        INSERT INTO record
        SELECT short.id, log, name, \(keyText), revision, run, mark, pushed, vector, deleted, stored_at, entry
        FROM short JOIN entity ON entity.id = short.entity;
        DROP TABLE short;
        DROP TABLE entity;
        PRAGMA user_version = 1;
        """

    /// Changes an account's file while it is not open. Returns what a query finds then.
    @discardableResult
    private func change(
        _ bench: ExchangeBench,
        sql: String,
        query: String = "SELECT key FROM record ORDER BY key"
    ) throws -> [String] {
        try bench.restore(try bench.files())
        let connection = try Connection.open(path: bench.path + "/logs/ada.sqlite", flags: .readWrite)
        defer { connection.close() }
        try connection.transaction(kind: .immediate) { try connection.execute(sql) }
        return try connection.texts(sql: query)
    }

    /// Converts an account's file to an older format. Returns the keys.
    private func age(bench: ExchangeBench, format: Int32) throws -> [String] {
        let sql = Self.formatTwo + (format < 2 ? Self.formatOne : "")
        return try change(bench, sql: sql, query: "SELECT \(Self.keyText) FROM record ORDER BY 1")
    }

    @Test(arguments: [Int32(1), 2])
    func aFileOfAnOlderFormatAnswersAsBefore(format: Int32) async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let other = uuid.uppercased()
        let first = try await one.exchange(changes: [
            .note(key: uuid), .tag(key: uuid), .note(key: other), .note(key: "n"), .tag(key: "gone"),
        ])
        // The next revisions are of another run.
        try bench.restore(try bench.files())
        try await one.exchange(changes: .tag(key: "last"))
        try await one.exchange(
            changes: Change.note(key: "n", base: try await state(key: "n", bench: bench)).tombstone
        )
        let scratch = Client(bench: bench, device: 4)
        scratch.path = "/v1/scratch/old/exchange"
        try await scratch.exchange(changes: .note(key: uuid))
        // Stored differently than sent, and with a vector of two devices.
        let second = Client(bench: bench, device: 5)
        _ = try await second.pull()
        let ahead = bench.clock.now().microseconds + 400 * 86_400 * 1_000_000
        let edit = Change.tag(key: uuid, base: try await state(key: uuid, entity: "tag", bench: bench)).with {
            $0.time = ahead
            $0.vector = "0000000000000001:9,0000000000000005:1"
        }
        #expect(try await second.exchange(changes: edit).results == ["accepted"])
        #expect(try await one.pull() == ["tag/" + uuid])
        let request = Client(bench: bench, device: 9).request([])
        let before = try await one.send(request)

        let keys = try age(bench: bench, format: format)
        #expect(keys == [other, uuid, uuid, uuid, "gone", "last", "n"])
        #expect(try await one.send(request).body == before.body)
        #expect(try await scratch.pull().isEmpty)
        #expect(try await one.pull().isEmpty)

        // Each record is found by its own key only.
        #expect(try await one.exchange(changes: .note(key: uuid, title: "unseen")).results == ["conflict"])
        #expect(
            try await one.exchange(changes: .note(key: uuid, title: "seen", base: first.revision)).results
                == [
                    "accepted"
                ]
        )
        #expect(try await one.exchange(changes: .note(key: other, title: "unseen")).results == ["conflict"])
        #expect(try await one.exchange(changes: .note(key: "new")).results == ["accepted"])
        #expect(try await bench.handler.purgeTombstones(olderThanDays: 0) == 1)
    }

    @Test(arguments: [Int32(1), 2])
    func aFileOfAnOlderFormatIsMovedOnceAndWhole(format: Int32) async throws {
        let bench = try ExchangeBench()
        try await Client(bench: bench).exchange(changes: .note(key: uuid), .tag(key: "t"))
        _ = try age(bench: bench, format: format)
        for _ in 0..<2 {
            #expect(try await Client(bench: bench, device: 9).pull() == ["note/" + uuid, "tag/t"])
            try bench.restore(try bench.files())
            let file = try Connection.open(path: bench.path + "/logs/ada.sqlite", flags: .readOnly)
            defer { file.close() }
            #expect(try file.userVersion() == 3)
            #expect(try file.integrityCheck(includingIndexes: true).isEmpty)
            #expect(try file.texts(sql: "SELECT name FROM sqlite_schema WHERE name = 'former'").isEmpty)
            #expect(try file.texts(sql: "SELECT typeof(key) FROM record ORDER BY id") == ["blob", "text"])
        }
    }

    @Test func anEntryThatAnotherProgramWroteIsKeptAsItIs() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let made = try await one.exchange(changes: .tag(key: "t"))
        _ = try age(bench: bench, format: 2)
        let entry = #"{ "key":"t", "entity":"tag", "mark":"' || mark || '", "body":{"id":"t"} }"#
        try change(bench, sql: "UPDATE record SET entry = CAST('\(entry)' AS BLOB)")
        let body = try await bench.send(
            "POST",
            path: "/v1/exchange",
            body: Client(bench: bench, device: 9).request([])
        ).body
        let text = String(decoding: body, as: UTF8.self)
        #expect(text.contains(#" "key":"t", "entity":"tag", "mark":""#), "\(text)")
        let edited = Change.tag(key: "t", base: made.revision)
        #expect(try await one.exchange(changes: edited).results == ["accepted"])
    }

    @Test func eachRecordOfAnOlderFileKeepsItsRunWhateverTheTableOfRunsTells() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        try await one.exchange(changes: .note(key: "a"), .note(key: "b"), .note(key: "c"))
        func revisions() async throws -> [String?] {
            let reply = try await Client(bench: bench, device: 9).exchange()
            return reply.answer?.changes.map(\.revision?.text) ?? []
        }
        let before = try await revisions()
        _ = try age(bench: bench, format: 2)
        try change(bench, sql: "UPDATE record SET run = '00000000000000ff' WHERE revision = 2")
        #expect(try await revisions() == [before[0], "2-00000000000000ff", before[2]])
    }

    @Test func aFileHoldsEachValueOfARecordOnce() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        try await one.exchange(
            changes: .note(key: uuid, title: "quoted \"text\""),
            .note(key: "quoted \"key\"")
        )
        let found = try change(
            bench,
            sql: "",
            query: """
                SELECT typeof(pushed) || ' ' || typeof(vector) || ' ' || instr(entry, mark) || ' '
                    || instr(entry, 'note') || ' ' || instr(entry, '"key"') || ' ' || substr(entry, 1, 7)
                FROM record ORDER BY id
                """
        )
        #expect(found == [String](repeating: #"null null 0 0 0 "body":"#, count: 2))
        let pulled = try await Client(bench: bench, device: 9).pull()
        #expect(pulled == ["note/" + uuid, #"note/quoted "key""#])
    }

    @Test func eachRecordKeepsTheNameOfItsRevisionWhateverRunItIsOf() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        var revisions: [Revision?] = []
        for key in ["a", "b", "c", "d"] {
            revisions.append(try await one.exchange(changes: .note(key: key)).revision)
            if key != "b" { try bench.restore(try bench.files()) }
        }
        let reply = try await Client(bench: bench, device: 9).exchange()
        #expect(reply.answer?.changes.map(\.revision) == revisions)
        let runs = Set(revisions.map { $0?.text.split(separator: "-").last })
        #expect(runs.count == 3)
    }

    private func state(key: String, entity: String = "note", bench: ExchangeBench) async throws -> Revision? {
        let reply = try await bench.send(
            "POST",
            path: "/v1/exchange",
            body: Client(bench: bench, device: 8).request([])
        )
        return reply.answer?.changes.first { $0.key.text == key && $0.entity == entity }?.revision
    }
}
