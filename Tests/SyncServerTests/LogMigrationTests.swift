import Foundation
import SyncCore
import SyncSQLite
import SyncServer
import SyncWire
import Testing

/// A migrated file gives the same answers as before.
@Suite struct LogMigrationTests {
    private let uuid = "379066e4-6dd5-4050-8470-004e08da28bd"

    /// The record table of format 1, which had no entity table.
    private static let formatOne = """
        DROP INDEX record_revision;
        DROP INDEX record_tombstone;
        ALTER TABLE record RENAME TO short;
        CREATE TABLE record (
            id INTEGER PRIMARY KEY, log INTEGER NOT NULL, entity TEXT NOT NULL, key TEXT NOT NULL,
            revision INTEGER NOT NULL, run TEXT NOT NULL, mark TEXT NOT NULL, pushed TEXT NOT NULL,
            vector TEXT NOT NULL, deleted INTEGER NOT NULL, stored_at INTEGER NOT NULL, entry BLOB NOT NULL,
            UNIQUE (log, entity, key)
        ) STRICT;
        CREATE UNIQUE INDEX record_revision ON record (log, entity, revision);
        CREATE INDEX record_tombstone ON record (log, entity, stored_at) WHERE deleted = 1;
        INSERT INTO record
        SELECT short.id, log, name,
            CASE typeof(key) WHEN 'text' THEN key ELSE
                lower(substr(hex(key), 1, 8) || '-' || substr(hex(key), 9, 4) || '-' || substr(hex(key), 13, 4)
                    || '-' || substr(hex(key), 17, 4) || '-' || substr(hex(key), 21))
            END,
            revision, run, mark, pushed, vector, deleted, stored_at, entry
        FROM short JOIN entity ON entity.id = short.entity;
        DROP TABLE short;
        DROP TABLE entity;
        PRAGMA user_version = 1;
        """

    /// Converts an account's file to format 1 while it is not open.
    private func age(bench: ExchangeBench) throws -> [String] {
        try bench.restore(try bench.files())
        let connection = try Connection.open(path: bench.path + "/logs/ada.sqlite", flags: .readWrite)
        defer { connection.close() }
        try connection.transaction(kind: .immediate) { try connection.execute(Self.formatOne) }
        return try connection.texts(sql: "SELECT key FROM record ORDER BY key")
    }

    @Test func aFileOfAnOlderFormatAnswersAsBefore() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let other = uuid.uppercased()
        let first = try await one.exchange(changes: [
            .note(key: uuid), .tag(key: uuid), .note(key: other), .note(key: "n"), .tag(key: "gone"),
        ])
        try await one.exchange(changes: .tag(key: "last"))
        try await one.exchange(
            changes: Change.note(key: "n", base: try await state(key: "n", bench: bench)).tombstone
        )
        let scratch = Client(bench: bench, device: 4)
        scratch.path = "/v1/scratch/old/exchange"
        try await scratch.exchange(changes: .note(key: uuid))
        let request = Client(bench: bench, device: 9).request([])
        let before = try await one.send(request)

        let keys = try age(bench: bench)
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

    @Test func aFileOfAnOlderFormatIsMovedOnceAndWhole() async throws {
        let bench = try ExchangeBench()
        try await Client(bench: bench).exchange(changes: .note(key: uuid), .tag(key: "t"))
        _ = try age(bench: bench)
        for _ in 0..<2 {
            #expect(try await Client(bench: bench, device: 9).pull() == ["note/" + uuid, "tag/t"])
            try bench.restore(try bench.files())
            let file = try Connection.open(path: bench.path + "/logs/ada.sqlite", flags: .readOnly)
            defer { file.close() }
            #expect(try file.userVersion() == 2)
            #expect(try file.integrityCheck(includingIndexes: true).isEmpty)
            #expect(try file.texts(sql: "SELECT name FROM sqlite_schema WHERE name = 'spelled'").isEmpty)
            #expect(try file.texts(sql: "SELECT typeof(key) FROM record ORDER BY id") == ["blob", "text"])
        }
    }

    private func state(key: String, bench: ExchangeBench) async throws -> Revision? {
        let reply = try await bench.send(
            "POST",
            path: "/v1/exchange",
            body: Client(bench: bench, device: 8).request([])
        )
        return reply.answer?.changes.first { $0.key.text == key }?.revision
    }
}
