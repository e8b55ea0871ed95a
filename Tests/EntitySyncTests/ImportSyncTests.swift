import EntitySync
import Foundation
import SyncChecks
import SyncEntities
import Testing

/// What becomes of imported records when devices sync.
@Suite struct ImportSyncTests {
    private func project(_ title: String, updated: String = "") -> String {
        """
        {"id":"p","companyId":"c1","title":"\(title)","status":"rfq","createdAt":"2001-02-03T04:05:06Z"\(updated)}

        """
    }

    @Test func importedRecordsAreSentLikeAPersonsWrites() async throws {
        let scratch = try Scratch()
        let phone = try ExportTests.open(scratch, name: "phone")
        let laptop = try ExportTests.open(scratch, name: "laptop")
        let file = scratch.file("in")
        try project("imported").write(to: file)
        try await phone.projects.importRecords(from: file)
        #expect(try phone.status().pending == 1)
        try await phone.sync()
        #expect(try phone.status().isInSync)
        try await laptop.sync()
        #expect(try scratch.export(laptop.projects) == scratch.export(phone.projects))
        // What is the same already is not sent again.
        try await phone.projects.export(to: file)
        try await phone.projects.importRecords(from: file)
        #expect(try phone.status().isInSync)
        // A deleted record of the file is deleted everywhere.
        try await phone.projects.delete("p")
        try await phone.projects.export(to: file, includingDeleted: true)
        try await laptop.projects.importRecords(from: file)
        try await laptop.sync()
        #expect(try laptop.projects.count == 0)
    }

    /// The file may be older than what it overwrites here.
    @Test func whatAnImportOverwritesHereIsInTheJournal() async throws {
        let scratch = try Scratch()
        let phone = try ExportTests.open(scratch, name: "phone")
        try await phone.projects.insert(.named(id: "p"))
        let file = scratch.file("old")
        try await phone.projects.export(to: file)
        var edited = try #require(try await phone.projects.find("p"))
        edited.title = "written since"
        try await phone.projects.update(edited)
        try await phone.projects.importRecords(from: file)
        #expect(try phone.projects.journal().map { $0.lost?.title } == ["written since"])
        #expect(try phone.projects.journal().map(\.rule) == ["overwritten"])
        try await phone.projects.importRecords(from: file)
        #expect(try phone.projects.journal().count == 1, "nothing is overwritten by the same")
    }

    @Test func whatAnImportOverwritesElsewhereIsInTheJournal() async throws {
        let (scratch, clock) = (try Scratch(), ManualClock())
        let phone = try ExportTests.open(scratch, name: "phone", clock: clock)
        let laptop = try ExportTests.open(scratch, name: "laptop", clock: clock)
        try await phone.projects.insert(.named(id: "p"))
        try await phone.sync()
        try await laptop.sync()
        clock.advance(seconds: 10)
        var edited = try #require(try await laptop.projects.find("p"))
        edited.title = "by laptop"
        try await laptop.projects.update(edited)
        try await laptop.sync()
        clock.advance(seconds: 10)
        let file = scratch.file("in")
        try project("imported").write(to: file)
        try await phone.projects.importRecords(from: file)
        try await phone.sync()
        #expect(try await phone.projects.find("p")?.title == "imported")
        let gaveWay = try phone.projects.journal().filter { $0.rule == "last-write-wins" }
        #expect(gaveWay.map { $0.lost?.title } == ["by laptop"])
        try await laptop.sync()
        #expect(try await laptop.projects.find("p")?.title == "imported")
    }

    @Test func aConflictStaysUntilAPersonDecides() async throws {
        let (scratch, clock) = (try Scratch(), ManualClock())
        let phone = try ExportTests.open(scratch, name: "phone", clock: clock)
        let laptop = try ExportTests.open(scratch, name: "laptop", clock: clock)
        try await phone.bookmarks.insert(.verse(verse: 1, notes: "first"))
        try await phone.sync()
        try await laptop.sync()
        for (space, notes) in [(laptop, "laptop"), (phone, "phone")] {
            clock.advance(seconds: 10)
            var bookmark = try #require(try await space.bookmarks.all().first)
            bookmark.notes = notes
            try await space.bookmarks.update(bookmark)
            try await space.sync()
        }
        #expect(try await phone.bookmarks.conflicts().count == 1)
        let file = scratch.file("in")
        try await phone.bookmarks.export(to: file)
        let text = try file.text.replacingOccurrences(of: "\"notes\":\"phone\"", with: "\"notes\":\"file\"")
        try text.write(to: file)
        clock.advance(seconds: 10)
        try await phone.bookmarks.importRecords(from: file)
        let conflict = try #require(try await phone.bookmarks.conflicts().first)
        #expect(conflict.local?.notes == "file")
        #expect(conflict.remote?.notes == "laptop")
        try await phone.sync()
        #expect(try await phone.bookmarks.conflicts().count == 1)
    }
}
