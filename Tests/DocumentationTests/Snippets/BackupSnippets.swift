import EntitySync
import SyncEntities
import Testing

@Suite struct BackupSnippets {
    @Test func aSpaceComesBackFromItsBackup() async throws {
        let desk = try Desk()
        let folder = desk.path
        let remote = FolderBackend(root: desk.path + "/shared")
        let space = try SyncSpace.open(
            SpaceConfiguration(folder: folder + "/phone", entities: [Bookmark.self], remote: remote)
        )
        try space.collection(Bookmark.self).insert(Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255))
        var progress: [Double] = []
        // snippet: backup
        try space.backup(to: folder + "/records.backup") { part in
            progress.append(part)
        }
        // snippet end
        #expect(progress.last == 1)
        let configuration = SpaceConfiguration(
            folder: folder + "/tablet",
            entities: [Bookmark.self],
            remote: remote
        )
        // snippet: restore
        let restored = try SyncSpace.restore(from: folder + "/records.backup", configuration)
        let report = try await restored.sync()
        // snippet end
        #expect(report.outcome == .synced)
        #expect(try restored.collection(Bookmark.self).count == 1)
        #expect(try restored.status().isInSync)
    }
}
