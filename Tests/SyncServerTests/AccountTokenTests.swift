import Foundation
import SyncChecks
import SyncCore
import SyncSQLite
import SyncServer
import SyncWire
import Testing

@Suite struct AccountTokenTests {
    private let clock = ManualClock()

    private func book(_ folder: ServerAccountsTests.Folder, seed: UInt64 = 7) throws -> ServerAccounts {
        try ServerAccounts(directory: folder.path, clock: clock, random: SeededRandom(seed))
    }

    @Test func aFurtherTokenCutsOffNoOther() throws {
        let folder = ServerAccountsTests.Folder()
        let book = try book(folder)
        let first = try book.add(name: "ada")
        let phone = try book.addToken(name: "ada", label: "phone")
        #expect(try book.authenticate(token: first)?.id == book.authenticate(token: phone)?.id)
        #expect(try book.tokens(name: "ada").map(\.label).sorted() == ["first", "phone"])
        #expect(throws: SyncError.self) { try book.addToken(name: "ada", label: " phone ") }
        try book.revokeToken("phone", name: "ada")
        #expect(try book.authenticate(token: phone) == nil)
        #expect(try book.authenticate(token: first)?.name == "ada")
        let error = #expect(throws: SyncError.self) { try book.revokeToken("phone", name: "ada") }
        #expect(error?.kind == .notFound)
    }

    @Test func aTokenEndsAtItsTimeAndSaysSo() throws {
        let folder = ServerAccountsTests.Folder()
        let book = try book(folder)
        _ = try book.add(name: "ada")
        let end = Timestamp(microseconds: clock.now().microseconds + 60_000_000)
        let token = try book.addToken(name: "ada", label: "visitor", expires: end)
        clock.advance(seconds: 59)
        #expect(try book.authenticate(token: token)?.name == "ada")
        clock.advance(seconds: 1)
        let error = #expect(throws: WireError.self) { try book.authenticate(token: token) }
        #expect(error?.code == .unauthorized && error?.detail == "The token has expired.")
    }

    @Test func aRotatedTokenGoesOnForItsGraceAndNoLonger() throws {
        let folder = ServerAccountsTests.Folder()
        let book = try book(folder)
        let other = try book.add(name: "ada")
        let old = try book.addToken(name: "ada", label: "phone")
        let new = try book.rotateToken("phone", name: "ada", graceSeconds: 100)
        #expect(old != new)
        clock.advance(seconds: 99)
        for token in [old, new, other] { #expect(try book.authenticate(token: token)?.name == "ada") }
        // A second rotation gives the first token no more time.
        let newest = try book.rotateToken("phone", name: "ada", graceSeconds: 100)
        clock.advance(seconds: 1)
        #expect(throws: WireError.self) { try book.authenticate(token: old) }
        for token in [new, newest, other] { #expect(try book.authenticate(token: token)?.name == "ada") }
        let last = try book.rotateToken("phone", name: "ada", graceSeconds: 0)
        for token in [old, new, newest] { #expect(try book.authenticate(token: token) == nil) }
        for token in [last, other] { #expect(try book.authenticate(token: token)?.name == "ada") }
    }

    @Test func aTokenIsFoundByTheIdThatTheListShows() throws {
        let folder = ServerAccountsTests.Folder()
        let book = try book(folder)
        let first = try book.add(name: "ada")
        let id = try #require(try book.tokens(name: "ada").first?.id)
        #expect(id.count == 8)
        try book.revokeToken(id, name: "ada")
        #expect(try book.authenticate(token: first) == nil)
        #expect(try book.tokens(name: "ada").isEmpty && book.tokenCounts().isEmpty)
    }

    @Test func anAccountHasABoundedNumberOfTokens() throws {
        let folder = ServerAccountsTests.Folder()
        let book = try book(folder)
        _ = try book.add(name: "ada")
        for number in 1..<ServerAccounts.maxTokens { _ = try book.addToken(name: "ada", label: "\(number)") }
        let error = #expect(throws: SyncError.self) { try book.addToken(name: "ada", label: "one more") }
        #expect(error?.kind == .invalidInput)
    }

    @Test func aFileWithOneTokenPerAccountGoesOn() throws {
        let folder = ServerAccountsTests.Folder()
        let token: String
        do { token = try book(folder).add(name: "ada") }
        // What a server of the first format left behind.
        let file = try Connection.open(path: folder.path + "/accounts.sqlite", flags: .readWrite)
        try file.execute(
            """
            CREATE TABLE before (id TEXT PRIMARY KEY, name TEXT NOT NULL,
                token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
                entities TEXT, created INTEGER NOT NULL, removed INTEGER) STRICT;
            INSERT INTO before SELECT id, name, hash, entities, account.created, removed
                FROM account JOIN token ON token.account = account.id;
            DROP TABLE token;
            DROP TABLE account;
            ALTER TABLE before RENAME TO account;
            CREATE UNIQUE INDEX account_name ON account (name) WHERE removed IS NULL;
            PRAGMA user_version = 1;
            """
        )
        file.close()
        let book = try book(folder, seed: 8)
        #expect(try book.authenticate(token: token)?.name == "ada")
        let phone = try book.addToken(name: "ada", label: "phone")
        #expect(try book.authenticate(token: phone)?.id == book.authenticate(token: token)?.id)
        #expect(try book.tokens(name: "ada").map(\.label).sorted() == ["first", "phone"])
        #expect(throws: SyncError.self) { try book.add(name: "Ada") }
    }
}
