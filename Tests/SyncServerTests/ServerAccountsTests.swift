import Foundation
import SyncChecks
import SyncCore
import SyncServer
import Testing

@Suite struct ServerAccountsTests {
    /// A data folder that is removed after the test.
    final class Folder {
        let path = NSTemporaryDirectory() + "accounts-" + UUID().uuidString
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func book(seed: UInt64 = 1) throws -> ServerAccounts {
            try ServerAccounts(directory: path, clock: ManualClock(), random: SeededRandom(seed))
        }

        func permissions(name: String = "") throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + name)
            return try #require(attributes[.posixPermissions] as? Int)
        }
    }

    @Test func aTokenFindsItsAccountAndNoOther() throws {
        let folder = Folder()
        let book = try folder.book()
        let ada = try book.add(name: "ada")
        let bob = try book.add(name: "bob", entities: ["bookmark", "note"])
        #expect(ada.hasPrefix("est_") && ada.utf8.count == 47 && ada != bob)
        #expect(try book.authenticate(token: ada)?.name == "ada")
        #expect(try book.authenticate(token: ada)?.entities == nil)
        let found = try #require(try book.authenticate(token: bob))
        #expect(found.entities == ["bookmark", "note"])
        #expect(found.id.utf8.count == 36)
        for wrong in [
            "", "est_", String(ada.dropLast()), ada + "A", ada.lowercased(), String(ada.dropFirst(4)),
        ] {
            #expect(try book.authenticate(token: wrong) == nil)
        }
    }

    @Test func theFileHoldsNoToken() throws {
        let folder = Folder()
        let book = try folder.book()
        let token = try book.add(name: "ada")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name))
            #expect(bytes.range(of: Data(token.utf8)) == nil)
            #expect(bytes.range(of: Data(token.dropFirst(4).utf8)) == nil)
        }
        #expect(try book.authenticate(token: token) != nil)
    }

    @Test func onlyTheOwnerMayReadFolderAndFiles() throws {
        let folder = Folder()
        let book = try folder.book()
        _ = try book.add(name: "ada")
        #expect(try folder.permissions() == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            #expect(try folder.permissions(name: "/" + name) == 0o600, "\(name)")
        }
    }

    @Test func aNameStandsForOneAccount() throws {
        let folder = Folder()
        let book = try folder.book()
        _ = try book.add(name: "ada")
        let error = #expect(throws: SyncError.self) { try book.add(name: "ada") }
        #expect(error?.kind == .invalidInput)
        #expect(try book.list().count == 1)
    }

    @Test func aRemovedAccountIsLockedOutAndItsNameIsFree() throws {
        let folder = Folder()
        let book = try folder.book()
        let old = try book.add(name: "ada")
        let oldID = try #require(try book.authenticate(token: old)).id
        try book.remove("ada")
        #expect(try book.authenticate(token: old) == nil)
        #expect(throws: SyncError.self) { try book.remove("ada") }
        #expect(throws: SyncError.self) { try book.newToken(name: "ada") }
        let new = try book.add(name: "ada")
        #expect(try book.authenticate(token: new)?.id != oldID)
        #expect(try book.authenticate(token: old) == nil)
        #expect(try book.list().map { $0.removed != nil }.sorted { $0 && !$1 } == [true, false])
    }

    @Test func aNewTokenStopsTheOldOne() throws {
        let folder = Folder()
        let book = try folder.book()
        let old = try book.add(name: "ada")
        let id = try #require(try book.authenticate(token: old)).id
        let new = try book.newToken(name: "ada")
        #expect(try book.authenticate(token: old) == nil)
        #expect(try book.authenticate(token: new)?.id == id)
    }

    @Test func whatAnotherProcessAddsIsSeenAtOnce() throws {
        let folder = Folder()
        let server = try folder.book()
        let command = try folder.book(seed: 2)
        let token = try command.add(name: "ada")
        #expect(try server.authenticate(token: token)?.name == "ada")
        try command.remove("ada")
        #expect(try server.authenticate(token: token) == nil)
    }

    @Test(arguments: ["", String(repeating: "x", count: 129), "a\nb", "a\u{0}b", "\u{7f}", "a\u{85}b"])
    func aNameThatDoesNotFitIsRefused(name: String) throws {
        let folder = Folder()
        let book = try folder.book()
        #expect(throws: SyncError.self) { try book.add(name: name) }
        #expect(try book.list().isEmpty)
    }

    @Test func namesAreKeptAsTheyAreWritten() throws {
        let folder = Folder()
        let book = try folder.book()
        let names = ["مريم", "'; DROP TABLE account; --", String(repeating: "x", count: 128)]
        for name in names { _ = try book.add(name: name) }
        #expect(Set(try book.list().map(\.account.name)) == Set(names))
    }

    @Test(arguments: [
        "\u{200b}", " ", "\u{3164}", "a\u{202e}b", "\u{feff}a", "a\u{200b}b", "\u{301}", "\u{2800}",
        "a\u{2028}b",
        "\u{e000}",
    ])
    func aNameThatCannotBeSeenIsRefused(name: String) throws {
        let folder = Folder()
        let book = try folder.book()
        #expect(throws: SyncError.self) { try book.add(name: name) }
        #expect(try book.list().isEmpty)
    }

    @Test(arguments: [
        ("ada", "Ada"), ("e\u{301}va", "\u{e9}va"), ("ada", "\u{ff41}da"), ("ada", "\u{430}d\u{430}"),
        ("ada lovelace", " ada \u{a0} lovelace "), ("a\u{200d}b", "ab"), ("BOB", "\u{412}\u{41e}\u{412}"),
    ])
    func namesThatPeopleTakeForTheSameAreOne(first: String, second: String) throws {
        let folder = Folder()
        let book = try folder.book()
        _ = try book.add(name: first)
        let error = #expect(throws: SyncError.self) { try book.add(name: second) }
        #expect(error?.kind == .invalidInput)
        try book.remove(first)
        _ = try book.add(name: second)
    }

    @Test func aNameIsStoredComposedAndFoundInEveryForm() throws {
        let folder = Folder()
        let book = try folder.book()
        _ = try book.add(name: " e\u{301}va  b ")
        #expect(try book.list().map { Array($0.account.name.utf8) } == [Array("\u{e9}va b".utf8)])
        _ = try book.newToken(name: "e\u{301}va b")
        try book.remove("\u{e9}va b")
    }

    @Test func aFolderWithoutAccountsIsNotMadeWhereItMustExist() throws {
        let folder = Folder()
        let error = #expect(throws: SyncError.self) {
            try ServerAccounts(
                directory: folder.path,
                clock: ManualClock(),
                random: SeededRandom(1),
                mustExist: true
            )
        }
        #expect(error?.kind == .invalidInput && !FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func permissionsOfOthersAreTakenFromWhatExists() throws {
        let folder = Folder()
        _ = try folder.book().add(name: "ada")
        let manager = FileManager.default
        let all = ["", "/accounts.sqlite"]
        for name in all {
            try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path + name)
        }
        _ = try folder.book()
        #expect(try folder.permissions() == 0o700)
        #expect(try folder.permissions(name: "/accounts.sqlite") == 0o600)
    }

    @Test func anotherProgramsFileIsNotTouched() throws {
        let folder = Folder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let text = Data("something that a person wrote".utf8)
        let file = URL(fileURLWithPath: folder.path + "/accounts.sqlite")
        try text.write(to: file)
        let error = #expect(throws: SyncError.self) { try folder.book() }
        #expect(error?.kind == .unreadableStore)
        #expect(try Data(contentsOf: file) == text)
    }

    @Test func manyThreadsUseOneBook() async throws {
        let folder = Folder()
        let book = try folder.book()
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<20 { group.addTask { try book.add(name: "account \(number)") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(try tokens.compactMap { try book.authenticate(token: $0)?.id }).count == 20)
    }
}
