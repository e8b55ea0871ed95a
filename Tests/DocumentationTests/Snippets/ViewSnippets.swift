import EntitySync
import SyncEntities
import SyncUI
import Testing

@Suite @MainActor struct ViewSnippets {
    @Test func aViewIsPreviewedWithASpaceOfItsOwn() throws {
        // snippet: swiftui-preview
        let space = try SyncSpace.temporary(entities: SyncRegistry.types)
        try space.collection(Bookmark.self).insert(
            Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255)
        )
        let model = SyncQueryModel<Bookmark>()
        model.load(SyncQuery().limit(20), in: space)
        // snippet end
        #expect(model.records.count == 1 && model.error == nil)
    }

    @Test func aConflictIsDecidedFieldByField() async throws {
        let desk = try Desk()
        let (space, tablet) = (try desk.device(name: "phone"), try desk.device(name: "tablet"))
        let mark = try await space.collection(Bookmark.self).insert(
            Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255, notes: "base")
        )
        try await space.sync()
        try await tablet.sync()
        for (device, notes) in [(tablet, "of the tablet"), (space, "of the phone")] {
            var edited = mark
            edited.notes = notes
            try await device.collection(Bookmark.self).update(edited)
            try await device.sync()
        }
        // snippet: swiftui-conflict
        for conflict in try await space.collection(Bookmark.self).conflicts() {
            let model = try ConflictModel(conflict)
            for field in model.fields where field.name == "notes" { model.choose(.remote, for: field) }
            model.resolve(in: space)
        }
        // snippet end
        #expect(try await space.collection(Bookmark.self).find(mark.id)?.notes == "of the tablet")
    }
}

#if canImport(SwiftUI)
    import SwiftUI

    // snippet: swiftui-list
    struct RecentBookmarks: View {
        @SyncedQuery(SyncQuery<Bookmark>().sort(by: Bookmark.Fields.createdAt, order: .descending).limit(20))
        private var bookmarks

        var body: some View {
            List(bookmarks) { bookmark in Text(bookmark.notes ?? "") }
        }
    }

    struct BookmarksScreen: View {
        let space: SyncSpace

        var body: some View {
            NavigationStack {
                RecentBookmarks()
                    .toolbar { SyncStatusBadge(space: space) }
            }
            .syncSpace(space)
        }
    }
    // snippet end

    // snippet: swiftui-record
    struct BookmarkDetail: View {
        @SyncedRecord<Bookmark> private var bookmark: Bookmark?

        init(id: UUID) { _bookmark = SyncedRecord(id) }

        var body: some View {
            Text(bookmark?.notes ?? "")
            if $bookmark.state == .pendingSync { Text("Not sent yet") }
        }
    }
    // snippet end

    // snippet: swiftui-sheets
    struct ConflictsScreen: View {
        let space: SyncSpace
        @State private var conflicts = ConflictListModel<Bookmark>()

        var body: some View {
            List {
                ForEach(conflicts.conflicts) { conflict in
                    NavigationLink(conflict.conflict.local?.notes ?? "") {
                        ConflictSheet(conflict, space: space)
                    }
                }
                NavigationLink("Log") { SyncLogView(space: space) }
            }
            .task { await conflicts.follow(space) }
        }
    }
// snippet end
#endif
