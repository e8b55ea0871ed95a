import Foundation
import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

/// Accounts of people who have logged in elsewhere.
@Suite struct AccountLoginTests {
    private let folder = ServerAccountsTests.Folder()

    private func refusal(_ book: ServerAccounts, login: String, mayAdd: Bool = true) -> WireError? {
        do {
            _ = try book.account(login: login, mayAdd: mayAdd)
            return nil
        } catch { return error as? WireError }
    }

    private func erase(_ name: String) throws {
        try AccountErasure(data: folder.path, now: Timestamp(microseconds: 1)).run(name: name)
    }

    @Test func aNewLoginGetsAnAccountOnceAndForAllEntities() throws {
        let book = try folder.book()
        let ada = try book.account(login: "auth0|5f7c8ec7", mayAdd: true)
        #expect(ada.name == "auth0|5f7c8ec7" && ada.entities == nil)
        #expect(try book.account(login: "auth0|5f7c8ec7", mayAdd: true) == ada)
        #expect(try book.account(login: "auth0|5f7c8ec8", mayAdd: true).id != ada.id)
        #expect(try book.list().count == 2)
        #expect(try book.tokens(name: "auth0|5f7c8ec7") == [], "a login needs no token")
    }

    @Test func aLoginOfAnAccountThatIsThereUsesItWithItsRights() throws {
        let book = try folder.book()
        let token = try book.add(name: "ada", entities: ["note"])
        let account = try book.account(login: "ada", mayAdd: false)
        #expect(try book.authenticate(token: token) == account && account.entities == ["note"])
        #expect(refusal(book, login: "bob", mayAdd: false)?.code == .forbidden)
        #expect(try book.list().count == 1)
    }

    @Test(arguments: [
        "", " ada", "ada ", "a  b", "a\u{0}b", "e\u{301}", "\u{200b}ada", String(repeating: "x", count: 129),
    ])
    func aNameThatIsNotStoredAsItIsIsRefusedAndFindsNoAccount(name: String) throws {
        let book = try folder.book()
        for present in ["ada", "a b", "\u{e9}"] { _ = try book.add(name: present) }
        #expect(refusal(book, login: name)?.code == .forbidden)
        #expect(try book.list().count == 3)
    }

    @Test func aNameThatLooksLikeAnothersIsRefused() throws {
        let book = try folder.book()
        _ = try book.add(name: "ada")
        for name in ["Ada", "\u{430}da", "\u{ff41}da"] {
            #expect(refusal(book, login: name)?.code == .forbidden, "\(name)")
        }
        #expect(try book.list().count == 1)
    }

    @Test func aRemovedAccountComesBackOnlyByTheOperator() throws {
        let book = try folder.book()
        _ = try book.account(login: "ada", mayAdd: true)
        try book.remove("ada")
        for name in ["ada", "ADA"] { #expect(refusal(book, login: name)?.code == .forbidden, "\(name)") }
        _ = try book.add(name: "ada")
        #expect(try book.account(login: "ada", mayAdd: true).name == "ada")
    }

    @Test func anErasedAccountComesBackOnlyByTheOperatorAndItsNameIsGone() throws {
        let book = try folder.book()
        let erased = try book.account(login: "ada.lovelace@example.org", mayAdd: true)
        try erase("ada.lovelace@example.org")
        #expect(refusal(book, login: "ada.lovelace@example.org")?.code == .forbidden)
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            guard let bytes = FileManager.default.contents(atPath: folder.path + "/" + file) else { continue }
            #expect(bytes.range(of: Data("lovelace".utf8)) == nil, "\(file)")
        }
        _ = try book.add(name: "ada.lovelace@example.org")
        #expect(try book.account(login: "ada.lovelace@example.org", mayAdd: true).id != erased.id)
    }

    @Test func anAccountThatWasErasedSinceABackupDoesNotComeBackByARestore() throws {
        let book = try folder.book()
        let backup = ServerAccountsTests.Folder()
        _ = try book.add(name: "bob")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/logs",
            withIntermediateDirectories: true
        )
        _ = try ServerBackup(data: folder.path, folder: backup.path, madeAt: Timestamp(microseconds: 1)).run()
        // The backup has never heard of her.
        _ = try book.account(login: "ada", mayAdd: true)
        try erase("ada")
        _ = try ServerRestore(backup: backup.path, data: folder.path, random: SeededRandom(3)).run(
            replaces: true
        )
        let restored = try folder.book(seed: 2)
        #expect(try restored.account(login: "bob", mayAdd: false).name == "bob")
        #expect(refusal(restored, login: "ada")?.code == .forbidden)
    }

    @Test func aMovedAccountIsNotMadeAnewWhereItWas() throws {
        let book = try folder.book()
        let there = ServerAccountsTests.Folder()
        let ada = try book.account(login: "ada", mayAdd: true)
        _ = try there.book(seed: 2)
        #expect(
            try AccountMove(data: folder.path, target: there.path, now: Timestamp(microseconds: 1)).run(
                name: "ada"
            )
        )
        #expect(refusal(book, login: "ada")?.code == .forbidden)
        #expect(try there.book(seed: 3).account(login: "ada", mayAdd: false) == ada)
        #expect(
            try AccountMove(data: there.path, target: folder.path, now: Timestamp(microseconds: 2)).run(
                name: "ada"
            )
        )
        #expect(
            try folder.book(seed: 4).account(login: "ada", mayAdd: false) == ada,
            "it came back by a move"
        )
    }

    /// The server that the account left comes back from a backup, and its account there was removed.
    @Test func anAccountIsNotMovedOverWhatTheOtherServerHasOfIt() throws {
        let (there, backup) = (ServerAccountsTests.Folder(), ServerAccountsTests.Folder())
        let restored = ServerAccountsTests.Folder()
        let ada = try folder.book().account(login: "ada", mayAdd: true)
        _ = try there.book(seed: 2)
        let logs = folder.path + "/logs"
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
        _ = try ServerBackup(data: folder.path, folder: backup.path, madeAt: Timestamp(microseconds: 1)).run()
        func move(_ data: String) throws -> Bool {
            try AccountMove(data: data, target: there.path, now: Timestamp(microseconds: 1)).run(name: "ada")
        }
        #expect(try move(folder.path))
        try FileManager.default.createDirectory(atPath: restored.path, withIntermediateDirectories: true)
        _ = try ServerRestore(backup: backup.path, data: restored.path, random: SeededRandom(3)).run(
            replaces: true
        )
        try there.book(seed: 3).remove("ada")
        let error = #expect(throws: SyncError.self) { try move(restored.path) }
        #expect(error?.kind == .invalidInput)
        #expect(try restored.book(seed: 4).account(login: "ada", mayAdd: false) == ada)
    }

    @Test func manyFirstRequestsAtOnceMakeOneAccount() async throws {
        let books = try (1...4).map { try folder.book(seed: UInt64($0)) }
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for book in books {
                for _ in 0..<8 { group.addTask { try book.account(login: "ada", mayAdd: true).id } }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(try books[0].list().count == 1)
    }

    @Test func anIDThatFollowsFromALoginIsTheSameOnEveryMachine() throws {
        let there = ServerAccountsTests.Folder()
        func id(_ folder: ServerAccountsTests.Folder, issuer: String, login: String, seed: UInt64) throws
            -> String
        {
            try folder.book(seed: seed).account(login: login, issuer: issuer, mayAdd: true).id
        }
        let here = try id(folder, issuer: "https://login.example.org/", login: "ada", seed: 1)
        #expect(try id(there, issuer: "https://login.example.org/", login: "ada", seed: 2) == here)
        #expect(here == "9e1994e1-2d5f-8257-b806-a41c8c0ccb80", "it never changes")
        let ids = try [("a", "bc"), ("ab", "c"), ("", "abc"), ("a", "c"), ("", "1")].map { issuer, login in
            try id(ServerAccountsTests.Folder(), issuer: issuer, login: login, seed: 3)
        }
        #expect(Set(ids).count == ids.count)
        for id in ids + [here] {
            #expect(id.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)
        }
    }

    @Test func anAccountThatIsThereKeepsItsID() throws {
        let book = try folder.book()
        let first = try book.account(login: "ada", mayAdd: true)
        _ = try book.add(name: "bob")
        #expect(try book.account(login: "ada", issuer: "login", mayAdd: true) == first)
        let ids = Set(try book.list().map(\.account.id))
        #expect(ids.contains(try book.account(login: "bob", issuer: "login", mayAdd: true).id))
        #expect(try book.list().count == 2)
    }

    @Test func aRemovedAccountThatTheOperatorBringsBackDoesNotSeeItsFormerRecords() throws {
        let book = try folder.book()
        let first = try book.account(login: "ada", issuer: "login", mayAdd: true)
        try book.remove("ada")
        #expect(refusal(book, login: "ada")?.code == .forbidden)
        _ = try book.add(name: "ada")
        #expect(try book.account(login: "ada", issuer: "login", mayAdd: true).id != first.id)
    }

    @Test func onlyALoginWithoutAnAccountAsksWhetherItIsAdmitted() throws {
        struct TooMany: Error {}
        let book = try folder.book()
        let ada = try book.account(login: "ada", mayAdd: true)
        #expect(try book.account(login: "ada", mayAdd: true, admitNew: { throw TooMany() }) == ada)
        try book.remove("ada")
        for name in ["ada", "Ada", "bob"] {
            #expect(throws: TooMany.self) {
                try book.account(login: name, mayAdd: true, admitNew: { throw TooMany() })
            }
        }
        #expect(try book.list().count == 1)
    }
}
