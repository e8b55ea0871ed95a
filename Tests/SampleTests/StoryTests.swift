import Foundation
import ProgramRuns
import Testing
import Waits

/// Two people, a phone that they share and a tablet, with the sample app run as people run it. The first test to begin
/// builds the app.
@Suite(.serialized, .timeLimit(.minutes(30))) struct StoryTests {
    @Test func whatAGuestMarksOfflineIsTakenAlongByTheLoginAndReachesTheOtherDevice() async throws {
        try await World.run { world in
            let (phone, tablet) = (world.device(name: "phone"), world.device(name: "tablet"))
            #expect(try await phone.shelf(words: "who") == ["guest"])
            try await phone.shelf(words: "add", "2", "255", "the throne")
            try await phone.shelf(words: "add", "1", "1")
            #expect(try await phone.shelf(words: "list") == ["1:1", "2:255 the throne"])
            #expect(try await phone.refused(words: "sync").hasPrefix("Nobody is signed in"))

            let welcome = try await phone.shelf(words: "login", "ada")
            #expect(welcome == ["ada is logged in, and took 2 of the guest's bookmarks along"])
            #expect(try await phone.shelf(words: "who") == ["ada"])
            #expect(try await phone.refused(words: "sync").hasPrefix("The remote folder cannot be made"))
            try await phone.shelf(words: "delete", "1", "1")
            #expect(try await phone.shelf(words: "list") == ["2:255 the throne"])

            try world.connect()
            #expect(try await phone.shelf(words: "sync") == ["-- in sync"])
            try await tablet.shelf(words: "login", "ada")
            #expect(try await tablet.shelf(words: "sync") == ["-- in sync"])
            #expect(try await tablet.shelf(words: "list") == ["2:255 the throne"])
        }
    }

    @Test func twoPeopleOnOneMachineNeverSeeEachOthersBookmarks() async throws {
        try await World.run { world in
            let (phone, tablet) = (world.device(name: "phone"), world.device(name: "tablet"))
            try world.connect()
            try await phone.shelf(words: "login", "ada")
            try await phone.shelf(words: "add", "1", "1", "ada's")
            try await phone.shelf(words: "login", "bob")
            #expect(try await phone.shelf(words: "list") == ["no bookmarks"])
            try await phone.shelf(words: "add", "1", "1", "bob's")
            try await phone.shelf(words: "sync")
            try await phone.shelf(words: "login", "ada")
            #expect(try await phone.shelf(words: "list") == ["1:1 ada's"])

            #expect(try await phone.refused(words: "logout").hasSuffix("on this device alone: 1."))
            #expect(try await phone.shelf(words: "who") == ["ada"])
            try await phone.shelf(words: "logout", "--keep")
            #expect(try await phone.shelf(words: "list") == ["no bookmarks"])
            try await phone.shelf(words: "login", "ada")
            try await phone.shelf(words: "sync")
            try await phone.shelf(words: "logout")

            try await tablet.shelf(words: "login", "bob")
            try await tablet.shelf(words: "sync")
            #expect(try await tablet.shelf(words: "list") == ["1:1 bob's"])
            try await tablet.shelf(words: "add", "9", "9", "never sent")
            try await tablet.shelf(words: "logout", "--discard")
            try await tablet.shelf(words: "login", "bob")
            try await tablet.shelf(words: "sync")
            #expect(try await tablet.shelf(words: "list") == ["1:1 bob's"])
            try await tablet.shelf(words: "login", "ada")
            try await tablet.shelf(words: "sync")
            #expect(try await tablet.shelf(words: "list") == ["1:1 ada's"])
        }
    }

    @Test(arguments: ["mine", "theirs"])
    func twoOfflineEditsAreAConflictUntilAPersonResolvesItForBothDevices(side: String) async throws {
        try await World.run { world in
            let (phone, tablet) = (world.device(name: "phone"), world.device(name: "tablet"))
            try world.connect()
            try await phone.shelf(words: "login", "ada")
            try await phone.shelf(words: "add", "2", "255", "the throne")
            try await phone.shelf(words: "sync")
            try await tablet.shelf(words: "login", "ada")
            try await tablet.shelf(words: "sync")

            try await tablet.shelf(words: "add", "2", "255", "from the tablet")
            try await phone.shelf(words: "add", "2", "255", "from the phone")
            try await phone.shelf(words: "sync")
            #expect(try await tablet.shelf(words: "sync") == ["-- 0 to send, 1 to settle, 0 refused"])
            let conflicts = try await tablet.shelf(words: "conflicts")
            #expect(conflicts == ["1. mine: 2:255 from the tablet; theirs: 2:255 from the phone"])
            #expect(try await tablet.shelf(words: "list") == ["2:255 from the tablet"])
            #expect(try await tablet.refused(words: "resolve", "2", side) == "There is no such conflict.")
            try await tablet.shelf(words: "resolve", "1", side)
            #expect(try await tablet.shelf(words: "conflicts") == [])

            let resolved = side == "mine" ? ["2:255 from the tablet"] : ["2:255 from the phone"]
            for device in [tablet, phone] {
                #expect(try await device.shelf(words: "sync") == ["-- in sync"])
                #expect(try await device.shelf(words: "list") == resolved)
            }
        }
    }

    @Test func aWatchShowsWhatOtherProcessesAndDevicesDoAndSyncsByItself() async throws {
        try await World.run { world in
            let (phone, tablet) = (world.device(name: "phone"), world.device(name: "tablet"))
            try world.connect()
            for device in [phone, tablet] { try await device.shelf(words: "login", "ada") }
            let watching = try phone.start(words: "watch")
            try await eventually(what: "the list is shown") { watching.output.contains("no bookmarks\n") }

            try await phone.shelf(words: "add", "1", "1", "from another process")
            try await eventually(what: "it is shown") {
                watching.output.contains("1:1 from another process\n")
            }
            try await eventually(what: "it is at the remote without a word") {
                try await tablet.shelf(words: "sync")
                return try await tablet.shelf(words: "list") == ["1:1 from another process"]
            }
            try await eventually(what: "it says so") { watching.output.hasSuffix("-- in sync\n") }

            try await tablet.shelf(words: "add", "1", "2", "from the tablet")
            try await tablet.shelf(words: "sync")
            try await eventually(what: "what another device did is shown") {
                watching.output.contains("1:1 from another process\n1:2 from the tablet\n")
            }
            watching.signal(SIGINT)
            let run = try await watching.end()
            #expect(run.exitCode == -SIGINT)
            #expect(run.error == "")
            // The status is told when what is shown of it changed.
            let lines = run.output.split(separator: "\n")
            #expect(
                !zip(lines, lines.dropFirst()).contains { $0 == $1 && $0.hasPrefix("--") },
                "\(run.output)"
            )
        }
    }

    @Test func whatMakesNoSenseIsRefusedWithAdvice() async throws {
        try await World.run { world in
            let phone = world.device(name: "phone")
            try await phone.shelf(words: "add", "114", "6")
            #expect(try await phone.refused(words: "add", "115", "1").contains("'surah' must be at most 114"))
            #expect(try await phone.refused(words: "delete", "1", "1") == "That verse is not marked.")
            #expect(try await phone.refused(words: "login", "../ada") == "That is no command of shelf.")
            #expect(try await phone.refused(words: "fly") == "That is no command of shelf.")
            #expect(try await phone.shelf(words: "list") == ["114:6"])
        }
    }
}
