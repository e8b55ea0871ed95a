import EntitySync
import EntitySyncFolder
import EntitySyncServer
import Foundation

/// The bookmarks of all who use this machine, each person's apart.
struct Shelf: Sendable {
    let accounts: SyncAccounts
    var bookmarks: SyncCollection<Bookmark> { accounts.space.collection() }
    var topics: SyncCollection<Topic> { accounts.space.collection() }
    let remote: String

    static let inOrder = SyncQuery<Bookmark>().sort(by: Bookmark.Fields.surah).sort(by: Bookmark.Fields.verse)

    static func at(_ surah: Int, _ verse: Int) -> SyncQuery<Bookmark> {
        SyncQuery().filter(Bookmark.Fields.surah == surah, Bookmark.Fields.verse == verse)
    }

    /// Opens the account that was in use last, or the guest. The remote of an account is a folder of its own below
    /// `remote`, or the server at that URL.
    init(home: String, remote: String) async throws {
        self.remote = remote
        var configuration = AccountsConfiguration(folder: home, entities: SyncRegistry.types) {
            try Self.backend(of: $0, remote: remote)
        }
        configuration.setOwner(Bookmark.Fields.owner)
        configuration.setOwner(Topic.Fields.owner)
        configuration.schedule.periodSeconds = 5  // A server tells of changes; a folder has to be looked at.
        accounts = try await SyncAccounts.open(configuration)
    }

    static func backend(of account: AccountID, remote: String) throws -> any RemoteBackend {
        guard remote.contains("://") else { return FolderBackend(root: "\(remote)/\(account.name)") }
        return try HTTPBackend(url: remote) { ProcessInfo.processInfo.environment["SHELF_TOKEN"] ?? "" }
    }

    /// Marks a verse, or changes its notes.
    func add(_ surah: Int, _ verse: Int, notes: String?) throws {
        try accounts.space.write { batch in
            let marked = try batch.query(Self.at(surah, verse)).first
            var bookmark = marked ?? Bookmark(owner: accounts.account.name, surah: surah, verse: verse)
            bookmark.notes = notes
            try batch.save(bookmark)
        }
    }

    func delete(_ surah: Int, _ verse: Int) throws {
        guard let bookmark = try bookmarks.query(Self.at(surah, verse)).first else {
            throw Self.notMarked()
        }
        try bookmarks.delete(bookmark.id)
    }

    /// Resolves a conflict of the list, counted from 1.
    func resolve(_ number: Int, _ resolution: ConflictResolution<Bookmark>) throws {
        let conflicts = try bookmarks.conflicts()
        guard conflicts.indices.contains(number - 1) else {
            throw SyncError(kind: .notFound, message: "There is no such conflict.", help: "See 'conflicts'.")
        }
        try bookmarks.resolve(conflicts[number - 1], with: resolution)
    }

    /// Syncs by itself, and prints bookmarks and status when they change, be it by another process or machine.
    func watch() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { for try await list in bookmarks.observe(Self.inOrder) { say(text(list)) } }
            group.addTask { for try await line in accounts.space.statuses().changes(of: text) { say(line) } }
            group.addTask { await accounts.run() }
        }
    }
}

extension AccountID {
    var name: String { text ?? "guest" }
}
