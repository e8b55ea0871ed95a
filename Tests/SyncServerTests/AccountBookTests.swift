import Foundation
import SyncChecks
import SyncCore
import SyncServer
import Testing

@Suite struct AccountBookTests {
    /// A data folder that is gone after the test.
    final class Folder {
        let path = NSTemporaryDirectory() + "accounts-" + UUID().uuidString
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func book(seed: UInt64 = 1) throws -> AccountBook {
            try AccountBook(directory: path, clock: ManualClock(), random: SeededRandom(seed))
        }

        func permissions(_ name: String = "") throws -> Int {
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
            #expect(try folder.permissions("/" + name) == 0o600, "\(name)")
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
        #expect(throws: SyncError.self) { try book.newToken("ada") }
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
        let new = try book.newToken("ada")
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
