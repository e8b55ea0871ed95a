import EntitySync
import EntitySyncFolder
import EntitySyncServer
import Foundation
import SyncEntities
import Testing

@Suite struct GettingStartedSnippets {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test func theQuickStartWritesSyncsAndFollows() async throws {
        let (folder, sharedFolder) = (desk.path + "/phone", desk.sharedFolder)
        let app = Task {
            var shown: [Int] = []
            func show(_ bookmarks: [Bookmark]) {
                shown.append(bookmarks.count)
                withUnsafeCurrentTask { $0?.cancel() }
            }
            // snippet: readme-quick-start
            let space = try SyncSpace.open(
                SpaceConfiguration(
                    folder: folder,
                    entities: [Bookmark.self],
                    remote: FolderBackend(root: sharedFolder)
                )
            )
            let bookmarks = space.collection(Bookmark.self)
            // On disk, with all that sync has to know, before it returns.
            try await bookmarks.insert(Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255))
            // One sync, now. Or let it sync by itself, for as long as the task lives.
            let report = try await space.sync()
            let running = Task { await space.run() }
            // At once, and again whenever the records have changed, here or elsewhere.
            for try await recent in bookmarks.observe(SyncQuery().limit(20)) { show(recent) }
            // snippet end
            running.cancel()
            await running.value
            return (report, shown)
        }
        let (report, shown) = try await app.value
        #expect(report.outcome == .synced)
        #expect(report.entities.map(\.pushed) == [1])
        #expect(shown == [1])
    }

    @Test func aServerIsAnotherKindOfRemote() throws {
        let tokens = FixedToken()
        // snippet: readme-server
        let backend = HTTPBackend(
            url: try ServerURL("https://sync.example.org"),
            credentials: tokens,
            environment: .system
        )
        // snippet end
        #expect(backend.capabilities.contains(.changeHints))
    }

    @Test func aSpaceIsOpenedAndHoldsRecords() async throws {
        let (folder, sharedFolder) = (desk.path + "/phone", desk.sharedFolder)
        // snippet: getting-started-open
        let space = try SyncSpace.open(
            SpaceConfiguration(
                folder: folder,
                entities: [Bookmark.self, Project.self],
                remote: FolderBackend(root: sharedFolder),
                deviceLabel: "phone"
            )
        )
        // snippet end
        // snippet: getting-started-write
        let bookmarks = space.collection(Bookmark.self)
        var bookmark = try await bookmarks.insert(Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255))
        bookmark.notes = "The verse of the throne"
        try await bookmarks.update(bookmark)
        let found = try await bookmarks.find(bookmark.id)
        // snippet end
        #expect(found?.notes == "The verse of the throne")
        #expect(found?.createdAt != nil)

        // snippet: getting-started-forms
        let form = try await bookmarks.find(bookmark.id)!
        // ... later, whatever has come meanwhile:
        try await bookmarks.update(form) { $0.notes = "The greatest verse" }
        let draft = (form, try form.recordVersion()!)
        try await bookmarks.update(draft.0.edited(since: draft.1))
        // A program that reads and writes in one breath:
        try await bookmarks.update(bookmark.id) { $0.notes = nil }
        // snippet end
        #expect(try await bookmarks.find(bookmark.id)?.notes == nil)

        // snippet: getting-started-seed
        try await space.collection(Project.self)
            .insert(Project(id: "inbox", companyId: "c1", title: "Inbox", status: .closed), as: .seed)
        // snippet end
        #expect(try space.collection(Project.self).count == 1)

        // snippet: getting-started-batch
        try await space.write { batch in
            try batch.save(Project(id: "p1", companyId: "c1", title: "Roof", status: .rfq))
            try batch.delete(Bookmark.self, key: form.id)
        }
        // snippet end
        #expect(try bookmarks.count == 0)

        // snippet: getting-started-query
        let open = SyncQuery<Project>()
            .filter(Project.Fields.companyId == "c1", Project.Fields.status == .rfq)
            .limit(20)
        let page = try await space.collection(Project.self).query(open)
        let next = try page.last.map {
            try space.collection(Project.self).query(open.after($0))
        }
        // snippet end
        #expect(page.map(\.title) == ["Roof"])
        #expect(next == [])

        // snippet: getting-started-sync
        let report = try await space.sync()
        for entity in report.entities { print(entity.entity, entity.pushed, entity.pulled, entity.conflicts) }
        // snippet end
        #expect(report.outcome == .synced)
    }

    @Test func aRecordIsShownWithItsState() async throws {
        let space = try desk.device(name: "phone")
        let bookmarks = space.collection(Bookmark.self)
        try await bookmarks.insert(Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255))
        var shown: [[String]] = []
        func show(_ states: [String]) async throws {
            shown.append(states)
            if states == ["sent"] { return space.close() }
            try await space.sync()
        }
        // snippet: getting-started-states
        let recent = SyncQuery<Bookmark>().sort(by: Bookmark.Fields.createdAt, order: .descending).limit(20)
        for try await records in bookmarks.observeStated(recent) {
            try await show(records.map { record in record.state == .synced ? "sent" : "\(record.state)" })
        }
        // snippet end
        #expect(shown == [["pendingSync"], ["sent"]])
    }

    @Test func aTestHasASpaceOfItsOwn() throws {
        // snippet: getting-started-temporary
        let space = try SyncSpace.temporary(entities: SyncRegistry.types)
        try space.collection(Bookmark.self).insert(
            Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255)
        )
        // snippet end
        #expect(try space.collection(Bookmark.self).count == 1)
    }

    @Test func anObservationTellsEachChangeUntilTheSpaceIsClosed() async throws {
        let space = try desk.device(name: "phone")
        let bookmarks = space.collection(Bookmark.self)
        var shown: [Int] = []
        func show(_ all: [Bookmark]) {
            shown.append(all.count)
            guard shown.count == 1 else { return space.close() }
            _ = try? bookmarks.insert(Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255))
        }
        // snippet: getting-started-observe
        for try await all in bookmarks.observe() {
            show(all)
        }
        // snippet end
        #expect(shown == [0, 1])
    }
}

#if canImport(SwiftUI)
    import SwiftUI

    // snippet: getting-started-view
    struct BookmarkList: View {
        let space: SyncSpace
        @State private var bookmarks: [Bookmark] = []

        var body: some View {
            List(bookmarks) { Text($0.notes ?? "") }
                .task {
                    do {
                        for try await all in space.collection(Bookmark.self).observe() { bookmarks = all }
                    } catch {
                        bookmarks = []
                    }
                }
        }
    }
// snippet end
#endif
