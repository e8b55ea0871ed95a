import EntitySync
import EntitySyncFolder
import Foundation
import SyncEntities
import Testing

@Suite struct AppGroupSnippets {
    @Test func anExtensionWritesAndTheAppSeesIt() async throws {
        let desk = try Desk()
        let folder = desk.path + "/group"
        let entities: [any SyncEntity.Type] = [Bookmark.self]
        let remote = FolderBackend(root: desk.sharedFolder)
        let app = try SyncSpace.open(SpaceConfiguration(folder: folder, entities: entities, remote: remote))
        var shown: [Int] = []
        let text = "shared from a browser"
        // snippet: app-groups-extension
        func save(_ text: String, in folder: String) throws {
            let space = try SyncSpace.open(SpaceConfiguration(folder: folder, entities: [Bookmark.self]))
            defer { space.close() }
            try space.collection(Bookmark.self).insert(
                Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255, notes: text)
            )
        }
        // snippet end
        for try await bookmarks in app.collection(Bookmark.self).observe() {
            shown.append(bookmarks.count)
            if shown.count == 2 { break }
            try save(text, in: folder)
        }
        #expect(shown == [0, 1])
        // snippet: app-groups-suspend
        app.appEnteredBackground()
        app.close()
        // snippet end
        #expect(throws: SyncError.self) { try app.collection(Bookmark.self).count }
        // What the extension wrote waits in the store, and the app sends it.
        let again = try SyncSpace.open(SpaceConfiguration(folder: folder, entities: entities, remote: remote))
        #expect(try again.status().pending == 1)
        #expect(try await again.sync().outcome == .synced)
    }
}

#if canImport(UIKit)
    // snippet: app-groups-folder
    func groupFolder(identifier: String) throws -> String {
        let manager = FileManager.default
        guard let group = manager.containerURL(forSecurityApplicationGroupIdentifier: identifier) else {
            throw CocoaError(.fileNoSuchFile)
        }
        let folder = group.appendingPathComponent("records").path
        try manager.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication]
        )
        return folder
    }
// snippet end
#endif
