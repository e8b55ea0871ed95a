import Foundation
import SyncCore
import SyncSQLite
import SyncWire
import Testing

@testable import SyncServer

/// The file of the accounts: earlier and later formats, and the cost of a first login.
@Suite struct AccountFileTests {
    private let folder = ServerAccountsTests.Folder()

    private func file() throws -> Connection {
        try Connection.open(path: folder.path + "/accounts.sqlite", flags: .readWrite)
    }

    /// Turns the file into what a server of the second format left behind.
    private func makeSecondFormat() throws {
        let file = try file()
        defer { file.close() }
        try file.execute(
            """
            DROP INDEX account_name;
            CREATE TABLE former (id TEXT PRIMARY KEY, name TEXT NOT NULL, entities TEXT, created INTEGER NOT NULL,
                removed INTEGER) STRICT;
            INSERT INTO former SELECT id, name, entities, created, removed FROM account;
            DROP TABLE account;
            ALTER TABLE former RENAME TO account;
            CREATE UNIQUE INDEX account_name ON account (name) WHERE removed IS NULL;
            PRAGMA user_version = 2;
            """
        )
    }

    @Test func accountsOfTheSecondFormatKeepIDsTokensAndRights() throws {
        let token: String
        let before: [AccountEntry]
        do {
            let book = try folder.book()
            token = try book.add(name: "ada", entities: ["note"])
            _ = try book.account(login: "auth0|eve", mayAdd: true)
            _ = try book.add(name: "\u{412}ob")
            try book.remove("\u{412}ob")
            before = try book.list()
        }
        try makeSecondFormat()
        let book = try folder.book(seed: 2)
        #expect(try book.list() == before)
        #expect(try book.authenticate(token: token)?.entities == ["note"])
        #expect(
            try before.map(\.account).contains(book.account(login: "auth0|eve", issuer: "a", mayAdd: true))
        )
        #expect(throws: SyncError.self) { try book.add(name: "Ada") }
        #expect(throws: WireError.removedLogin) { try book.account(login: "bob", mayAdd: true) }
        #expect(try file().userVersion() == 3)
    }

    @Test func aFileOfALaterFormatIsRefusedAndNotTouched() throws {
        _ = try folder.book().add(name: "ada")
        let path = URL(fileURLWithPath: folder.path + "/accounts.sqlite")
        let changed = try file()
        try changed.execute("PRAGMA user_version = 4; PRAGMA wal_checkpoint(TRUNCATE)")
        changed.close()
        let bytes = try Data(contentsOf: path)
        let error = #expect(throws: SyncError.self) { try folder.book() }
        #expect(error?.kind == .unreadableStore)
        #expect(try Data(contentsOf: path) == bytes)
    }

    @Test func aFirstLoginReadsNoTableFromEndToEnd() throws {
        let book = try folder.book()
        for number in 0..<20 { _ = try book.account(login: "ada \(number)", mayAdd: true) }
        try book.remove("ada 1")
        for login in ["ada 1", "ADA 2"] {
            #expect(throws: WireError.self) { try book.account(login: login, mayAdd: true) }
        }
        let statements = book.statements.filter { $0.contains("FROM account") }
        #expect(statements.count >= 3)
        let file = try file()
        for sql in statements {
            for step in try file.queryPlan(sql: sql) { #expect(step.hasPrefix("SEARCH "), "\(sql)") }
        }
        try file.execute("DROP INDEX account_key")
        let scans = try statements.flatMap { try file.queryPlan(sql: $0) }.filter { $0.hasPrefix("SCAN ") }
        #expect(scans.count == 2, "an index that is missing is noticed")
    }
}
