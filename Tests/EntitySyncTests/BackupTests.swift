import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// Backups while a space is in use, and devices that begin again from one.
@Suite struct BackupTests {
    private static let entities: [any SyncEntity.Type] = [Bookmark.self, Project.self, ReadStatus.self]

    private static func configuration(
        _ scratch: Scratch,
        name: String,
        clock: ManualClock = ManualClock(),
        remote: (any RemoteBackend)? = nil
    ) -> SpaceConfiguration {
        SpaceConfiguration(
            folder: scratch.path + "/" + name,
            entities: entities,
            remote: remote ?? scratch.remote,
            environment: SpaceEnvironment(clock: clock, random: SeededRandom(UInt64(name.utf8.count) + 99))
        )
    }

    private func titles(_ space: SyncSpace) throws -> [String] { try space.projects.all().map(\.title) }

    private func add(_ id: String, to space: SyncSpace) throws {
        try space.projects.insert(.named(id: id))
    }

    @Test func aRestoredDeviceSendsWhatTheBackupHeldAndGetsWhatCameSince() async throws {
        let (scratch, clock) = (try Scratch(), ManualClock())
        let phone = try SyncSpace.open(scratch: scratch, name: "phone", remote: scratch.remote, clock: clock)
        let laptop = try SyncSpace.open(
            scratch: scratch,
            name: "laptop",
            remote: scratch.remote,
            clock: clock
        )
        try add("synced", to: phone)
        try add("deleted", to: phone)
        try await phone.sync()
        try await laptop.sync()
        try add("waiting", to: phone)
        let backup = scratch.path + "/backup"
        try phone.backup(to: backup)
        // The phone goes on for a while, and is lost.
        clock.advance(seconds: 60)
        try add("after", to: phone)
        try await phone.projects.delete("deleted")
        var synced = try #require(try await phone.projects.find("synced"))
        synced.title = "edited"
        try await phone.projects.update(synced)
        try await phone.sync()
        try await laptop.sync()
        try add("laptop", to: laptop)
        try await laptop.sync()
        phone.close()
        let restored = try SyncSpace.restore(
            from: backup,
            Self.configuration(scratch, name: "phone two", clock: clock)
        )
        #expect(try titles(restored) == ["deleted", "synced", "waiting"])
        for _ in 0..<2 {
            try await restored.sync()
            try await laptop.sync()
        }
        let expected = ["after", "edited", "laptop", "waiting"]
        #expect(try titles(restored).sorted() == expected)
        #expect(try titles(laptop).sorted() == expected)
        #expect(try restored.status().isInSync)
    }

    /// What the backup held as unsent was sent later, and then deleted or changed, here or elsewhere.
    @Test(arguments: [true, false], [true, false])
    func whatWasSentAfterTheBackupNeitherComesBackNorIsAskedAbout(
        overServer: Bool,
        byAnother: Bool
    ) async throws {
        let (stage, clock) = (try Stage(), ManualClock())
        func device(_ name: String) throws -> SpaceConfiguration {
            SpaceConfiguration(
                folder: stage.scratch.path + "/" + name,
                entities: Stage.entities,
                remote: overServer
                    ? try stage.remote(device: name, person: "ada", clock: clock) : stage.scratch.remote,
                environment: SpaceEnvironment(clock: clock, random: SeededRandom(UInt64(name.utf8.count)))
            )
        }
        let phone = try SyncSpace.open(device("phone"))
        let laptop = try SyncSpace.open(device("a laptop"))
        try await phone.readStatuses.insert(ReadStatus(link: "https://a.example", isRead: true))
        for verse in 1...2 { try await phone.bookmarks.insert(.verse(verse: verse, notes: "old")) }
        let backup = stage.scratch.path + "/backup"
        try phone.backup(to: backup)
        try await phone.sync()
        try await laptop.sync()
        clock.advance(seconds: 60)
        let writer = byAnother ? laptop : phone
        for status in try await writer.readStatuses.all() {
            try await writer.readStatuses.delete(status.link)
        }
        for var bookmark in try await writer.bookmarks.all() {
            if bookmark.verseNumber == 1 {
                try await writer.bookmarks.delete(bookmark.id)
            } else {
                bookmark.notes = "new"
                try await writer.bookmarks.update(bookmark)
            }
        }
        try await writer.sync()
        phone.close()
        let restored = try SyncSpace.restore(from: backup, device("restored"))
        for _ in 0..<2 {
            try await restored.sync()
            try await laptop.sync()
        }
        for space in [restored, laptop] {
            #expect(try await space.readStatuses.all().isEmpty)
            #expect(try space.notes == [2: "new"])
            #expect(try await space.bookmarks.conflicts().isEmpty && space.bookmarks.journal().isEmpty)
            #expect(try space.readStatuses.journal().isEmpty)
            #expect(try space.status().isInSync)
        }
    }

    @Test func aRestoreKeepsTheJournalAndEveryFormerStore() async throws {
        let (scratch, clock) = (try Scratch(), ManualClock())
        let configuration = Self.configuration(scratch, name: "phone", clock: clock)
        let laptop = try SyncSpace.open(
            scratch: scratch,
            name: "laptop",
            remote: scratch.remote,
            clock: clock
        )
        var phone = try SyncSpace.open(configuration)
        try add("a", to: phone)
        try await phone.sync()
        try await laptop.sync()
        let backup = scratch.path + "/backup"
        try phone.backup(to: backup)
        var project = try #require(try await phone.projects.find("a"))
        project.title = "lost on the phone"
        try await phone.projects.update(project)
        clock.advance(seconds: 60)
        project.title = "by the laptop"
        try await laptop.projects.update(project)
        try await laptop.sync()
        try await phone.sync()
        for number in 1...2 {
            #expect(
                try phone.projects.journal().map(\.lost?.title) == ["lost on the phone"],
                "restore \(number)"
            )
            try add("unsent \(number)", to: phone)
            phone.close()
            phone = try SyncSpace.restore(from: backup, configuration, replacesUnsentEdits: true)
        }
        phone.close()
        // Nobody else's journal comes along.
        let other = try SyncSpace.restore(
            from: backup,
            Self.configuration(scratch, name: "other", clock: clock)
        )
        #expect(try other.projects.journal().isEmpty)
        for (number, suffix) in [(1, ""), (2, "-2")] {
            let former = scratch.path + "/former\(number)"
            try FileManager.default.createDirectory(atPath: former, withIntermediateDirectories: true)
            try FileManager.default.moveItem(
                atPath: configuration.folder + "/store.sqlite.before-restore" + suffix,
                toPath: former + "/store.sqlite"
            )
            let opened = try SyncSpace.open(Self.configuration(scratch, name: "former\(number)"))
            #expect(try await opened.projects.find("unsent \(number)") != nil)
        }
    }

    @Test func aCopyAndItsOriginalBothGoOn() async throws {
        let (scratch, clock) = (try Scratch(), ManualClock())
        let phone = try SyncSpace.open(scratch: scratch, name: "phone", remote: scratch.remote, clock: clock)
        try add("a", to: phone)
        try await phone.sync()
        try add("unsent", to: phone)
        try phone.backup(to: scratch.path + "/backup")
        let copy = try SyncSpace.restore(
            from: scratch.path + "/backup",
            Self.configuration(scratch, name: "copy", clock: clock)
        )
        try add("by phone", to: phone)
        try add("by copy", to: copy)
        for _ in 0..<3 {
            try await phone.sync()
            try await copy.sync()
        }
        #expect(try titles(phone).sorted() == ["a", "by copy", "by phone", "unsent"])
        #expect(try titles(copy).sorted() == ["a", "by copy", "by phone", "unsent"])
    }

    @Test func aRemoteThatLostEverythingGetsItBack() async throws {
        let (stage, clock) = (try Stage(), ManualClock())
        let phone = try stage.space(device: "phone", clock: clock)
        try await phone.projects.insert(.named(id: "a"))
        try await phone.sync()
        let backup = stage.scratch.path + "/backup"
        try phone.backup(to: backup)
        try await phone.projects.insert(.named(id: "b"))
        try await phone.sync()
        phone.close()
        var configuration = SpaceConfiguration(
            folder: stage.scratch.path + "/new",
            entities: Stage.entities,
            remote: try stage.remote(device: "new", person: "ada", clock: clock)
        )
        configuration.environment.clock = clock
        let restored = try SyncSpace.restore(from: backup, configuration)
        try await restored.sync()
        #expect(try titles(restored) == ["a", "b"])
        // Another person's server does not get what the backup held.
        configuration.folder = stage.scratch.path + "/bob"
        configuration.remote = try stage.remote(device: "bob", person: "bob", clock: clock)
        let stranger = try SyncSpace.restore(from: backup, configuration)
        await #expect(throws: SyncError.self) { try await stranger.sync() }
        let bob = try stage.space(device: "bobs own", of: "bob", clock: clock)
        try await bob.sync()
        #expect(try titles(bob) == [])
    }

    @Test func aBackupIsOfOneMomentWhileOthersWrite() async throws {
        let scratch = try Scratch()
        let space = try SyncSpace.open(scratch: scratch)
        let writer = Task.detached {
            for number in 0..<300 {
                // Both or none.
                try space.write {
                    try $0.insert(Project.named(id: "l\(number)"))
                    try $0.insert(Project.named(id: "r\(number)"))
                }
            }
        }
        var parts: [Double] = []
        for number in 0..<5 {
            try space.backup(to: scratch.path + "/backup") { parts.append($0) }
            let copy = try SyncSpace.restore(
                from: scratch.path + "/backup",
                Self.configuration(scratch, name: "copy\(number)")
            )
            let ids = try await copy.projects.all().map(\.id)
            #expect(ids.filter { $0.hasPrefix("l") }.count == ids.filter { $0.hasPrefix("r") }.count)
            copy.close()
        }
        try await writer.value
        #expect(parts.last == 1)
        #expect(parts.allSatisfy { $0 > 0 && $0 <= 1 })
    }

    @Test func aRestoreReplacesNoUnsentEditUnasked() async throws {
        let scratch = try Scratch()
        let space = try SyncSpace.open(scratch: scratch, name: "a", remote: scratch.remote)
        try add("old", to: space)
        try space.backup(to: scratch.path + "/backup")
        try add("new", to: space)
        let configuration = Self.configuration(scratch, name: "a")
        #expect(throws: SyncError.self) {
            try SyncSpace.restore(from: scratch.path + "/backup", configuration)
        }
        space.close()
        let error = #expect(throws: SyncError.self) {
            try SyncSpace.restore(from: scratch.path + "/backup", configuration)
        }
        #expect(error?.kind == .usage)
        #expect(error?.message.contains("2 records") == true)
        let restored = try SyncSpace.restore(
            from: scratch.path + "/backup",
            configuration,
            replacesUnsentEdits: true
        )
        #expect(try titles(restored) == ["old"])
        // The former store is still there.
        restored.close()
        let former = scratch.path + "/former"
        try FileManager.default.createDirectory(atPath: former, withIntermediateDirectories: true)
        try FileManager.default.moveItem(
            atPath: scratch.path + "/a/store.sqlite.before-restore",
            toPath: former + "/store.sqlite"
        )
        let opened = try SyncSpace.open(Self.configuration(scratch, name: "former"))
        #expect(try titles(opened) == ["new", "old"])
    }

    @Test func onlyABackupIsReplacedAndOnlyABackupIsRestored() throws {
        let scratch = try Scratch()
        let space = try SyncSpace.open(scratch: scratch, name: "a")
        let other = try SyncSpace.open(scratch: scratch, name: "b")
        try add("b", to: other)
        let file = scratch.path + "/file"
        try Data("precious".utf8).write(to: URL(fileURLWithPath: file))
        for path in [
            file, scratch.path + "/a/store.sqlite", scratch.path + "/b/store.sqlite", scratch.path,
            "/nowhere/x",
        ] {
            #expect(throws: SyncError.self, "\(path)") { try space.backup(to: path) }
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
        #expect(try titles(other) == ["b"])
        for path in [file, scratch.path, scratch.path + "/nothing"] {
            #expect(throws: SyncError.self, "\(path)") {
                try SyncSpace.restore(from: path, Self.configuration(scratch, name: "new"))
            }
        }
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/new/store.sqlite"))
    }

    @Test func aDamagedStoreTakesNoEarlierBackupsPlace() throws {
        let scratch = try Scratch()
        let space = try SyncSpace.open(scratch: scratch, name: "a")
        for number in 0..<300 { try add("p\(number)", to: space) }
        let backup = scratch.path + "/backup"
        try space.backup(to: backup)
        let whole = try Data(contentsOf: URL(fileURLWithPath: backup))
        space.close()
        let path = scratch.path + "/a/store.sqlite"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // A page of records in the middle of the file.
        let page = try #require(bytes.range(of: Data("p150".utf8))).lowerBound / 4096 * 4096
        bytes.replaceSubrange(page..<(page + 4096), with: Data(count: 4096))
        try bytes.write(to: URL(fileURLWithPath: path))
        let damaged = try SyncSpace.open(scratch: scratch, name: "a")
        let error = #expect(throws: SyncError.self) { try damaged.backup(to: backup) }
        #expect(error?.kind == .unreadableStore)
        #expect(try Data(contentsOf: URL(fileURLWithPath: backup)) == whole)
        try bytes.write(to: URL(fileURLWithPath: backup))
        let refusal = #expect(throws: SyncError.self) {
            try SyncSpace.restore(from: backup, Self.configuration(scratch, name: "new"))
        }
        #expect(refusal?.message.contains("backup is damaged") == true)
    }

    @Test func aGivenUpBackupLeavesTheEarlierOne() throws {
        struct GivenUp: Error {}
        let scratch = try Scratch()
        let space = try SyncSpace.open(scratch: scratch, name: "a")
        try add("first", to: space)
        let backup = scratch.path + "/backup"
        try space.backup(to: backup)
        try add("second", to: space)
        #expect(throws: GivenUp.self) { try space.backup(to: backup) { _ in throw GivenUp() } }
        let restored = try SyncSpace.restore(from: backup, Self.configuration(scratch, name: "new"))
        #expect(try titles(restored) == ["first"])
        #expect(!FileManager.default.fileExists(atPath: backup + ".partial"))
    }
}
