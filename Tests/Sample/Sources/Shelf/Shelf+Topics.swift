import EntitySync
import Foundation

/// Topics, search, states and backups.
extension Shelf {
    /// Files a bookmark under a topic, which is made if there is none of that name.
    func file(_ surah: Int, _ verse: Int, under name: String) throws {
        try accounts.space.write { batch in
            guard var bookmark = try batch.query(Self.at(surah, verse)).first else { throw Self.notMarked() }
            let known = try batch.query(SyncQuery<Topic>().filter(Topic.Fields.name == name)).first
            let topic = try known ?? batch.insert(Topic(owner: accounts.account.name, name: name))
            bookmark.topicId = topic.id
            try batch.save(bookmark)
        }
    }

    /// The bookmarks of a topic, by a join along the reference.
    static func under(_ name: String) -> SyncQuery<Bookmark> {
        inOrder.filter(Bookmark.Fields.topicId.refers(to: Topic.Fields.name == name))
    }

    /// The topics with the number of their bookmarks.
    func topicLines() throws -> [String] {
        let counts = try bookmarks.counts(by: Bookmark.Fields.topicId)
        let ofTopic = Dictionary(uniqueKeysWithValues: counts.map { ($0.value, $0.count) })
        let topics = try topics.query(SyncQuery().sort(by: Topic.Fields.name))
        return topics.map { "\($0.name) \(ofTopic[$0.id] ?? 0)" }
    }

    /// Deletes a topic. Its bookmarks stay.
    func deleteTopic(_ name: String) throws {
        guard let topic = try topics.query(SyncQuery().filter(Topic.Fields.name == name)).first else {
            throw SyncError(kind: .notFound, message: "There is no such topic.", help: "See 'topics'.")
        }
        try topics.delete(topic.id)
    }

    /// The bookmarks whose notes have the words, best first, with the words marked.
    func found(_ words: String) throws -> [String] {
        try bookmarks.search(words).map { hit in
            let excerpt = hit.excerpt?.marked(before: "[", after: "]") ?? ""
            return "\(hit.record.surah):\(hit.record.verse) \(excerpt)"
        }
    }

    /// The bookmarks with where they stand towards the remote.
    func stateLines() throws -> [String] {
        try bookmarks.queryStated(Self.inOrder).map { "\($0.surah):\($0.verse) \($0.state)" }
    }

    /// Opens a backup in a folder of its own, where it syncs with the account's remote; its bookmarks.
    func restored(from backup: String, in folder: String) async throws -> [Bookmark] {
        let space = try SyncSpace.restore(
            from: backup,
            SpaceConfiguration(
                folder: folder,
                entities: SyncRegistry.types,
                remote: try Self.backend(of: accounts.account, remote: remote)
            )
        )
        defer { space.close() }
        try await space.sync()
        return try await space.collection(Bookmark.self).query(Self.inOrder)
    }

    static func notMarked() -> SyncError {
        SyncError(kind: .notFound, message: "That verse is not marked.", help: "See 'list'.")
    }
}
