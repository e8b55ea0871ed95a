import Foundation
import ProgramRuns
import Testing

/// What a person finds, files and keeps with the sample app.
@Suite(.serialized, .timeLimit(.minutes(30))) struct KeepingTests {
    @Test func aTopicGathersBookmarksOnBothDevicesAndLeavesThemWhenItIsForgotten() async throws {
        try await World.run { world in
            let (phone, tablet) = (world.device(name: "phone"), world.device(name: "tablet"))
            try world.connect()
            try await phone.shelf(words: "login", "ada")
            for verse in ["1", "2", "3"] { try await phone.shelf(words: "add", "2", verse) }
            for verse in ["3", "1"] { try await phone.shelf(words: "file", "2", verse, "patience") }
            try await phone.shelf(words: "file", "2", "2", "travel")
            #expect(try await phone.refused(words: "file", "9", "9", "travel") == "That verse is not marked.")
            #expect(try await phone.shelf(words: "list", "patience") == ["2:1", "2:3"])
            #expect(try await phone.shelf(words: "topics") == ["patience 2", "travel 1"])
            try await phone.shelf(words: "sync")

            try await tablet.shelf(words: "login", "ada")
            try await tablet.shelf(words: "sync")
            #expect(try await tablet.shelf(words: "list", "patience") == ["2:1", "2:3"])
            try await tablet.shelf(words: "forget", "patience")
            try await tablet.shelf(words: "sync")
            try await phone.shelf(words: "sync")
            #expect(try await phone.shelf(words: "topics") == ["travel 1"])
            #expect(try await phone.shelf(words: "list", "patience") == ["no bookmarks"])
            #expect(try await phone.shelf(words: "list") == ["2:1", "2:2", "2:3"])
        }
    }

    @Test func notesAreFoundByTheirWordsInAnyCaseAndWithoutAccents() async throws {
        try await World.run { world in
            let phone = world.device(name: "phone")
            try await phone.shelf(words: "add", "1", "1", "Mercy upon mercy")
            try await phone.shelf(words: "add", "1", "2", "read at the café")
            try await phone.shelf(words: "add", "1", "3")
            #expect(try await phone.shelf(words: "search", "MERC*") == ["1:1 [Mercy] upon [mercy]"])
            #expect(try await phone.shelf(words: "search", "cafe") == ["1:2 read at the [café]"])
            try await phone.shelf(words: "delete", "1", "1")
            #expect(try await phone.shelf(words: "search", "mercy") == [])
        }
    }

    @Test func eachBookmarkTellsWhereItStands() async throws {
        try await World.run { world in
            let phone = world.device(name: "phone")
            try world.connect()
            try await phone.shelf(words: "login", "ada")
            try await phone.shelf(words: "add", "1", "1")
            try await phone.shelf(words: "sync")
            try await phone.shelf(words: "add", "1", "2")
            #expect(try await phone.shelf(words: "states") == ["1:1 synced", "1:2 pendingSync"])
        }
    }

    @Test func aBackupBringsBackWhatNobodyElseHadAndGetsWhatCameSince() async throws {
        try await World.run { world in
            let (phone, tablet) = (world.device(name: "phone"), world.device(name: "tablet"))
            try world.connect()
            for device in [phone, tablet] { try await device.shelf(words: "login", "ada") }
            try await phone.shelf(words: "sync")
            try await phone.shelf(words: "add", "1", "1", "not sent yet")
            try await phone.shelf(words: "backup", "phone.backup")
            try await tablet.shelf(words: "add", "1", "2", "since then")
            try await tablet.shelf(words: "sync")
            let restored = try await phone.shelf(words: "restore", "phone.backup", "restored")
            #expect(restored == ["1:1 not sent yet", "1:2 since then"])
            try await tablet.shelf(words: "sync")
            #expect(try await tablet.shelf(words: "list") == ["1:1 not sent yet", "1:2 since then"])
            #expect(try await phone.refused(words: "restore", "shared", "elsewhere").isEmpty == false)
        }
    }
}
