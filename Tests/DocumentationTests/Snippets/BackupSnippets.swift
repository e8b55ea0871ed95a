import EntitySync
import EntitySyncFolder
import Foundation
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
        try await space.collection(Bookmark.self).insert(
            Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255)
        )
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

    @Test func recordsGoOutAsTextAndComeBack() throws {
        let desk = try Desk()
        let folder = desk.path
        let space = try desk.device(name: "phone")
        let copy = try desk.device(name: "tablet")
        let bookmarks = space.collection(Bookmark.self)
        try bookmarks.insert(Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255))
        var parts: [Double?] = []
        func show(_ part: Double?) { parts.append(part) }
        // snippet: text
        let file = URL(fileURLWithPath: folder + "/bookmarks.ndjson")
        try bookmarks.export(to: file) { progress in
            show(progress.part)
        }
        let count = try bookmarks.importRecords(from: file)
        // snippet end
        #expect(count == 1)
        #expect(parts == [1])
        let key = UUID().uuidString
        try Data("id,userId,surahNumber,verseNumber\n\(key),ada,2,256\n\(key),ada,2,900\n".utf8)
            .write(to: URL(fileURLWithPath: folder + "/bookmarks.csv"))
        // snippet: table
        let table = URL(fileURLWithPath: folder + "/bookmarks.csv")
        let rejects = URL(fileURLWithPath: folder + "/rejects.csv")
        let (imported, rejected) = try bookmarks.importRecords(from: table, as: .csv, rejects: rejects)
        // snippet end
        #expect(imported == 1)
        #expect(rejected == 1)
        // snippet: folder of text
        let all = URL(fileURLWithPath: folder + "/all")
        try space.export(toFolder: all)
        try copy.importRecords(fromFolder: all)
        // snippet end
        #expect(try copy.collection(Bookmark.self).all() == bookmarks.all())
    }
}
