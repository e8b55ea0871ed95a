import EntitySync
import Foundation
import SyncEntities
import Testing

@Suite struct ConflictSnippets {
    let desk: Desk
    let phone: SyncSpace
    let tablet: SyncSpace
    let id = UUID()

    init() throws {
        desk = try Desk()
        phone = try desk.device(name: "phone")
        tablet = try desk.device(name: "tablet")
    }

    private func note(_ space: SyncSpace, text: String) throws {
        var bookmark = try #require(try space.collection(Bookmark.self).find(id))
        bookmark.notes = text
        try space.collection(Bookmark.self).update(bookmark)
    }

    /// Both devices have edited one bookmark, and the phone has seen it.
    private func meet() async throws {
        let bookmark = Bookmark(id: id, userId: "ada", surahNumber: 2, verseNumber: 255)
        try await phone.collection(Bookmark.self).insert(bookmark)
        try await phone.sync()
        try await tablet.sync()
        try note(phone, text: "from the phone")
        try note(tablet, text: "from the tablet")
        try await tablet.sync()
        try await phone.sync()
    }

    @Test func aConflictIsListedAndResolvedByAMergedValue() async throws {
        try await meet()
        let space = phone
        var shown: [String?] = []
        func show(_ bookmark: Bookmark?) { shown.append(bookmark?.notes) }
        // snippet: conflicts-list
        let bookmarks = space.collection(Bookmark.self)
        for conflict in try await bookmarks.conflicts() {
            show(conflict.base)
            show(conflict.local)
            show(conflict.remote)
        }
        // snippet end
        #expect(shown == [nil, "from the phone", "from the tablet"])

        let conflict = try #require(try await bookmarks.conflicts().first)
        // snippet: conflicts-merge
        if var merged = conflict.local, let remote = conflict.remote {
            merged.notes = [merged.notes, remote.notes].compactMap { $0 }.joined(separator: "\n")
            try await bookmarks.resolve(conflict, with: .value(merged))
        }
        // snippet end
        try await phone.sync()
        try await tablet.sync()
        for device in [phone, tablet] {
            await #expect(
                try device.collection(Bookmark.self).find(id)?.notes
                    == "from the phone\nfrom the tablet"
            )
        }
    }

    @Test func oneSideOfAConflictIsKept() async throws {
        try await meet()
        let bookmarks = phone.collection(Bookmark.self)
        let conflict = try #require(try await bookmarks.conflicts().first)
        // snippet: conflicts-keep
        try await bookmarks.resolve(conflict, with: .remote)
        // snippet end
        #expect(try await bookmarks.find(id)?.notes == "from the tablet")
        #expect(try await bookmarks.conflicts().isEmpty)
    }

    @Test func manyConflictsAreDecidedAtOnce() async throws {
        try await meet()
        let bookmarks = phone.collection(Bookmark.self)
        // snippet: conflicts-many
        let resolved = try await bookmarks.resolveConflicts { conflict in
            conflict.remote == nil ? .local : .remote
        }
        // snippet end
        #expect(resolved == 1)
        #expect(try await bookmarks.find(id)?.notes == "from the tablet")
    }

    @Test func whatLostIsBroughtBackFromTheJournal() async throws {
        let project = Project(id: "p1", companyId: "c1", title: "Roof", status: .rfq)
        try await phone.collection(Project.self).insert(project)
        try await phone.sync()
        try await tablet.sync()
        for (device, title) in [(phone, "Roof of the phone"), (tablet, "Roof of the tablet")] {
            var edited = try #require(try await device.collection(Project.self).find("p1"))
            edited.title = title
            try await device.collection(Project.self).update(edited)
        }
        try await tablet.sync()
        try await phone.sync()
        let space = phone
        let kept = try #require(try await space.collection(Project.self).find("p1")).title
        // snippet: conflicts-journal
        let decisions = try space.collection(Project.self).journal()
        try await space.write { batch in
            for decision in decisions { try batch.restore(decision) }
        }
        // snippet end
        let now = try #require(try await space.collection(Project.self).find("p1")).title
        #expect([kept, now].sorted() == ["Roof of the phone", "Roof of the tablet"])
    }

    @Test func aRejectedRecordIsSentAgainOrGivenUp() async throws {
        let space = phone
        let bookmarks = space.collection(Bookmark.self)
        let ids = try (1...2).map { verse in
            try bookmarks.insert(Bookmark(userId: "ada", surahNumber: 2, verseNumber: verse)).id
        }
        try ids.forEach { try phone.refuse(Bookmark.recordKey($0)) }
        // snippet: conflicts-rejected
        for rejection in try bookmarks.rejected() {
            print(rejection.id, rejection.reason, rejection.attempts)
        }
        // snippet end
        #expect(try bookmarks.rejected().map(\.reason) == ["too long", "too long"])
        let rejections = try bookmarks.rejected()
        let (wrong, unwanted) = (rejections[0], rejections[1])
        // snippet: conflicts-retry
        try await space.write { batch in
            try batch.retry(wrong)
            try batch.discard(unwanted)
        }
        // snippet end
        #expect(try bookmarks.rejected().isEmpty)
        #expect(try space.status().pending == 1)
        #expect(try await bookmarks.all().map(\.id) == [ids[0]])
    }
}
