import EntitySync
import Foundation
import SyncEntities
import SyncFileBackend

/// Two devices that share a folder.
final class Devices: Sendable {
    let folder: String
    let phone: SyncSpace
    let tablet: SyncSpace

    init() throws {
        folder = NSTemporaryDirectory() + "syncui-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let remote = FolderBackend(root: folder + "/shared")
        let entities: [any SyncEntity.Type] = [Bookmark.self, Project.self]
        phone = try SyncSpace.temporary(entities: entities, remote: remote, in: folder)
        tablet = try SyncSpace.temporary(entities: entities, remote: remote, in: folder)
    }

    deinit {
        phone.close()
        tablet.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Edits the same bookmark on both devices, so that the tablet has a conflict; its key.
    func disagree() async throws -> UUID {
        let mark = try await phone.bookmarks.insert(.verse(1, notes: "base"))
        try await phone.sync()
        try await tablet.sync()
        for (space, notes, name) in [(phone, "of the phone", "Cow"), (tablet, "of the tablet", "Heifer")] {
            var edited = try await space.bookmarks.find(mark.id) ?? mark
            (edited.notes, edited.surahName) = (notes, name)
            try await space.bookmarks.update(edited)
        }
        try await phone.sync()
        try await tablet.sync()
        return mark.id
    }
}

extension SyncSpace {
    var bookmarks: SyncCollection<Bookmark> { collection() }
    var projects: SyncCollection<Project> { collection() }
}

extension Bookmark {
    /// A verse of chapter 2.
    static func verse(_ verse: Int, notes: String? = nil) -> Bookmark {
        Bookmark(userId: "u1", surahNumber: 2, verseNumber: verse, notes: notes)
    }
}
