import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// Forms that stay open while the record is written, here or elsewhere: saving one writes what the person changed.
@Suite struct OpenFormTests {
    /// Two devices of one person over a folder.
    private struct Pair {
        let scratch: Scratch
        let clock = ManualClock()
        let a: SyncSpace
        let b: SyncSpace

        init() throws {
            scratch = try Scratch()
            a = try SyncSpace.open(scratch: scratch, name: "a", remote: scratch.remote, clock: clock)
            b = try SyncSpace.open(scratch: scratch, name: "b", remote: scratch.remote, clock: clock)
        }

        func sync() async throws {
            for _ in 0..<3 {
                try await a.sync()
                try await b.sync()
            }
        }

        func later() { clock.advance(seconds: 60) }
    }

    private let verse = Bookmark.verse(verse: 255, notes: "v1")

    @Test func aWholeRecordThatWasWrittenMeanwhileLosesByTheTableAndIsInTheJournal() async throws {
        let pair = try Pair()
        var project = Project.named(id: "p")
        project.notes = "v1"
        try await pair.a.projects.insert(project)
        try await pair.sync()
        var form = try #require(try await pair.b.projects.find("p"))
        pair.later()
        try await pair.a.projects.update("p") { $0.notes = "WORD-A" }
        try await pair.sync()
        pair.later()
        form.title = "TITLE-B"
        let stored = try await pair.b.projects.update(form)
        #expect(stored.title == "TITLE-B" && stored.notes == "v1")
        #expect(try pair.b.projects.journal().map(\.lost?.notes) == ["WORD-A"])
        try await pair.sync()
        for space in [pair.a, pair.b] { #expect(try await space.projects.find("p")?.title == "TITLE-B") }
        try pair.b.projects.restore(try #require(try pair.b.projects.journal().first))
        #expect(try await pair.b.projects.find("p")?.notes == "WORD-A")
    }

    @Test(arguments: [true, false]) func aPersonDecidesWhereTheStrategyAsksThem(keepsLocal: Bool) async throws
    {
        let pair = try Pair()
        try await pair.a.bookmarks.insert(verse)
        try await pair.sync()
        var form = try #require(try await pair.b.bookmarks.find(verse.id))
        pair.later()
        try await pair.a.bookmarks.update(verse.id) { $0.notes = "WORD-A" }
        try await pair.sync()
        form.surahName = "NAME-B"
        try await pair.b.bookmarks.save(form)
        let conflict = try #require(try await pair.b.bookmarks.conflicts().first)
        #expect(conflict.local?.surahName == "NAME-B" && conflict.local?.notes == "v1")
        #expect(conflict.remote?.notes == "WORD-A" && conflict.base?.notes == "v1")
        try await pair.sync()
        #expect(try await pair.b.bookmarks.conflicts().count == 1, "nobody has decided")
        pair.later()
        try await pair.b.bookmarks.resolve(verse.id, with: keepsLocal ? .local : .remote)
        try await pair.sync()
        for space in [pair.a, pair.b] {
            let found = try #require(try await space.bookmarks.find(verse.id))
            #expect(found.surahName == (keepsLocal ? "NAME-B" : nil))
            #expect(found.notes == (keepsLocal ? "v1" : "WORD-A"))
            #expect(try space.status().isInSync)
        }
        let lost = try pair.b.bookmarks.journal().compactMap(\.lost)
        #expect(lost.contains { keepsLocal ? $0.notes == "WORD-A" : $0.surahName == "NAME-B" })
    }

    @Test func whereFieldsMergeBothEditsStay() async throws {
        let pair = try Pair()
        try await pair.a.readStatuses.insert(ReadStatus(link: "https://a.example", isRead: false))
        try await pair.sync()
        var form = try #require(try await pair.b.readStatuses.all().first)
        pair.later()
        try await pair.a.readStatuses.update(form.id) { $0.isRead = true }
        try await pair.sync()
        form.title = "STAR"
        try await pair.b.readStatuses.save(form)
        try await pair.sync()
        for space in [pair.a, pair.b] {
            let status = try #require(try await space.readStatuses.all().first)
            #expect(status.isRead && status.title == "STAR")
            #expect(try space.readStatuses.journal().isEmpty)
        }
    }

    @Test func setsOfAFormAddAndRemoveOnlyWhatThePersonDid() async throws {
        let pair = try Pair()
        var project = Project.named(id: "p")
        project.teamMemberIds = ["ann", "bob"]
        try await pair.a.projects.insert(project)
        try await pair.sync()
        var form = try #require(try await pair.b.projects.find("p"))
        pair.later()
        try await pair.a.projects.update("p") { $0.teamMemberIds.append("cleo") }
        try await pair.sync()
        form.teamMemberIds = ["ann", "dora"]
        try await pair.b.projects.update(form)
        try await pair.sync()
        for space in [pair.a, pair.b] {
            #expect(try await space.projects.find("p")?.teamMemberIds == ["ann", "cleo", "dora"])
        }
    }

    @Test func twoFormsOnOneDeviceMeetLikeTwoDevices() async throws {
        let pair = try Pair()
        try await pair.a.bookmarks.insert(verse)
        try await pair.a.projects.insert(.named(id: "p"))
        try await pair.sync()
        for isSynced in [false, true] {
            var forms = try (0..<2).map { _ in try #require(try pair.a.projects.find("p")) }
            forms[0].notes = "FIRST \(isSynced)"
            forms[1].title = "SECOND \(isSynced)"
            try await pair.a.projects.update(forms[0])
            if isSynced { try await pair.sync() }
            pair.later()
            try await pair.a.projects.update(forms[1])
            #expect(try pair.a.projects.journal().last?.lost?.notes == "FIRST \(isSynced)")
        }
        var forms = try (0..<2).map { _ in try #require(try pair.a.bookmarks.find(verse.id)) }
        forms[0].notes = "FIRST"
        forms[1].surahName = "SECOND"
        try await pair.a.bookmarks.update(forms[0])
        try await pair.a.bookmarks.update(forms[1])
        let conflict = try #require(try await pair.a.bookmarks.conflicts().first)
        #expect(conflict.local?.surahName == "SECOND" && conflict.remote?.notes == "FIRST")
        try await pair.sync()
        #expect(try await pair.b.bookmarks.find(verse.id)?.notes == "FIRST", "nobody has to decide that")
        try await pair.a.bookmarks.resolve(verse.id, with: .remote)
        try await pair.sync()
        for space in [pair.a, pair.b] {
            #expect(try await space.bookmarks.find(verse.id)?.notes == "FIRST")
            #expect(try space.status().isInSync)
        }
        #expect(try pair.a.bookmarks.journal().contains { $0.lost?.surahName == "SECOND" })
    }

    @Test func anEditOfARecordThatIsGoneIsKept() async throws {
        let pair = try Pair()
        try await pair.a.bookmarks.insert(verse)
        try await pair.a.projects.insert(.named(id: "p"))
        try await pair.a.readStatuses.insert(ReadStatus(link: "https://a.example", isRead: false))
        try await pair.sync()
        var bookmark = try #require(try await pair.b.bookmarks.find(verse.id))
        var project = try #require(try await pair.b.projects.find("p"))
        var status = try #require(try await pair.b.readStatuses.all().first)
        pair.later()
        try await pair.a.bookmarks.delete(verse.id)
        try await pair.a.projects.delete("p")
        try await pair.a.readStatuses.delete(status.id)
        try await pair.sync()
        pair.later()
        (bookmark.notes, project.notes, status.title) = ("KEPT", "KEPT", "KEPT")
        try await pair.b.bookmarks.update(bookmark)
        try await pair.b.projects.save(project)
        try await pair.b.readStatuses.update(status)
        #expect(try await pair.b.bookmarks.conflicts().map(\.local?.notes) == ["KEPT"])
        try await pair.b.bookmarks.resolve(verse.id, with: .local)
        try await pair.sync()
        for space in [pair.a, pair.b] {
            #expect(try await space.bookmarks.find(verse.id)?.notes == "KEPT")
            #expect(try await space.projects.find("p")?.notes == "KEPT")
            #expect(try await space.readStatuses.all().map(\.title) == ["KEPT"])
        }
        #expect(try pair.b.projects.journal().map(\.lost) == [nil], "the delete lost")
    }

    @Test func whatADeletedRecordSaidBeyondTheFormIsInTheJournal() async throws {
        let pair = try Pair()
        try await pair.a.projects.insert(.named(id: "p"))
        try await pair.a.readStatuses.insert(ReadStatus(link: "https://a.example", isRead: false))
        try await pair.sync()
        var project = try #require(try await pair.b.projects.find("p"))
        var status = try #require(try await pair.b.readStatuses.all().first)
        pair.later()
        var other = project
        other.notes = "WORD"
        try await pair.a.projects.save(other)
        var read = status
        read.title = "WORD"
        try await pair.a.readStatuses.update(read)
        pair.later()
        try await pair.a.projects.delete("p")
        try await pair.a.readStatuses.delete(status.id)
        try await pair.sync()
        pair.later()
        (project.address, status.feed) = ("KEPT", "KEPT")
        try await pair.b.projects.save(project)
        try await pair.b.readStatuses.update(status)
        #expect(try await pair.b.projects.find("p")?.address == "KEPT")
        #expect(try pair.b.projects.journal().map(\.lost?.notes) == ["WORD"])
        #expect(try pair.b.readStatuses.journal().map(\.lost?.title) == ["WORD"])
    }

    @Test func anEditInAConflictChangesOnlyItsOwnSide() async throws {
        let pair = try Pair()
        try await pair.a.bookmarks.insert(verse)
        try await pair.sync()
        pair.later()
        try await pair.a.bookmarks.update(verse.id) { $0.notes = "A" }
        try await pair.b.bookmarks.update(verse.id) { $0.notes = "B" }
        var forms = try (0..<2).map { _ in try #require(try pair.b.bookmarks.find(verse.id)) }
        try await pair.sync()
        let place = try #require(
            try [pair.a, pair.b].first { try !$0.bookmarks.conflicts().isEmpty }
        )
        if place === pair.a {
            forms = try (0..<2).map { _ in try #require(try pair.a.bookmarks.find(verse.id)) }
        }
        forms[0].surahName = "one"
        forms[1].surahName = "two"
        try await place.bookmarks.update(forms[0])
        try await place.bookmarks.update(forms[1])
        let conflict = try #require(try await place.bookmarks.conflicts().first)
        #expect(conflict.local?.surahName == "two" && conflict.remote != nil)
        #expect(try place.bookmarks.journal().contains { $0.lost?.surahName == "one" })
    }

    @Test func anEditOfARecordThatWasMergedIntoAnotherReachesTheSurvivor() async throws {
        let pair = try Pair()
        let first = Bookmark(userId: "u1", surahNumber: 1, verseNumber: 1)
        let second = Bookmark(userId: "u1", surahNumber: 1, verseNumber: 1)
        try await pair.a.bookmarks.insert(first)
        try await pair.b.bookmarks.insert(second)
        let forms = await (try pair.a.bookmarks.find(first.id), try pair.b.bookmarks.find(second.id))
        try await pair.sync()
        let (survivor, loser, space, form) =
            first.id.uuidString < second.id.uuidString
            ? (first.id, second.id, pair.b, forms.1) : (second.id, first.id, pair.a, forms.0)
        #expect(try await space.bookmarks.find(loser)?.id == survivor)
        try await space.bookmarks.update(try #require(form)) { $0.notes = "WORD" }
        try await pair.sync()
        for space in [pair.a, pair.b] { #expect(try await space.bookmarks.all().map(\.notes) == ["WORD"]) }
    }

    @Test func aFormThatSetsAllItsFieldsChangesOnlyThoseThatDiffer() async throws {
        let pair = try Pair()
        try await pair.a.projects.insert(.named(id: "p"))
        try await pair.sync()
        let form = try #require(try await pair.b.projects.find("p"))
        pair.later()
        try await pair.a.projects.update("p") { $0.title = "by A" }
        try await pair.sync()
        let before = try #require(try await pair.b.projects.find("p"))
        #expect(try await pair.b.projects.update(form) { $0.title = form.title } == before, "no edit")
        #expect(try pair.b.status().pending == 0 && pair.b.projects.journal().isEmpty)
        try await pair.b.projects.update(form) {
            ($0.title, $0.notes, $0.status) = ("x", "y", form.status)
            ($0.title, $0.notes) = (form.title, form.notes)
            $0.teamMemberIds = ["ann"]
        }
        #expect(try await pair.b.projects.find("p")?.title == "by A", "a set merges apart")
    }

    @Test func aDraftIsKeptOverARestartWithItsVersion() async throws {
        let pair = try Pair()
        try await pair.a.bookmarks.insert(verse)
        try await pair.sync()
        var form = try #require(try await pair.b.bookmarks.find(verse.id))
        form.surahName = "DRAFT"
        let version = try #require(try form.recordVersion())
        let kept = (try JSONEncoder().encode(form), try JSONEncoder().encode(version))
        pair.later()
        try await pair.a.bookmarks.update(verse.id) { $0.notes = "WORD-A" }
        try await pair.sync()
        let draft = try JSONDecoder().decode(Bookmark.self, from: kept.0)
            .edited(since: try JSONDecoder().decode(RecordVersion.self, from: kept.1))
        try await pair.b.bookmarks.update(draft)
        let conflict = try #require(try await pair.b.bookmarks.conflicts().first)
        #expect(conflict.local?.surahName == "DRAFT" && conflict.remote?.notes == "WORD-A")
        #expect(conflict.base?.surahName == nil && conflict.base?.notes == "v1")
    }

    @Test func theVersionIsNoPartOfTheValue() throws {
        let pair = try Pair()
        try pair.a.projects.insert(.named(id: "p"))
        let read = try #require(try pair.a.projects.find("p"))
        var changed = read
        changed.title = "x"
        changed.title = read.title
        let decoded = try JSONDecoder().decode(Project.self, from: try JSONEncoder().encode(read))
        for other in [changed, decoded] {
            #expect(other == read && other.hashValue == read.hashValue)
            #expect("\(other)" == "\(read)" && String(reflecting: other) == String(reflecting: read))
        }
        #expect(try read.recordVersion() == changed.recordVersion())
        #expect(try decoded.recordVersion() == nil)
    }

    @Test func whatWasNotReadIsInsertedOrReplacesWithAnEntryInTheJournal() throws {
        let pair = try Pair()
        try pair.a.projects.insert(.named(id: "p"))
        #expect(throws: SyncError.self) { try pair.a.projects.insert(.named(id: "p")) }
        try pair.a.projects.update("p") { $0.notes = "WORD" }
        try pair.a.projects.save(.named(id: "p"))
        #expect(try pair.a.projects.journal().map(\.lost?.notes) == ["WORD"])
        #expect(try pair.a.projects.journal().map(\.rule) == ["overwritten"])
        try pair.a.projects.update("p") { $0.notes = "WORD 2" }
        try pair.a.projects.replace(.named(id: "p"))
        #expect(try pair.a.projects.journal().count == 1, "asked for by name")
        #expect(throws: SyncError.self) { try pair.a.projects.update(.named(id: "q")) }
        #expect(throws: SyncError.self) { try pair.a.projects.update("q") { $0.notes = "" } }
    }
}

/// What a new model was made without, and what it was given.
@Suite struct OmittedFieldTests {
    @Test func anInitialiserTellsWhatWasLeftOutFromWhatEqualsTheDefault() throws {
        let (left, given) = (
            Project(id: "p", companyId: "c", title: "t"),
            Project(id: "p", companyId: "c", title: "t", status: .rfq, allDay: false)
        )
        #expect(left == given && left.status == .rfq && left.teamMemberIds.isEmpty)
        #expect(left.unknownFields.omittedFields == ["status"])
        #expect(given.unknownFields.omittedFields.isEmpty)
        var set = left
        set.status = .rfq
        #expect(set.unknownFields.omittedFields.isEmpty)
    }

    @Test func aModelThatWasLeftOutReadsWithItsDefaults() throws {
        let scratch = try Scratch()
        let space = try SyncSpace.open(scratch: scratch)
        let stored = try space.projects.insert(.named(id: "p"))
        #expect(stored.allDay == false && stored.teamMemberIds.isEmpty && stored.status == .rfq)
        #expect(try space.projects.find("p") == stored)
        try space.projects.update(stored) { $0.allDay = true }
        #expect(try space.projects.find("p")?.allDay == true)
    }
}
