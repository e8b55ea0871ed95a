import SyncCore

/// Cuts entries into pages.
struct PageCutter: Sendable {
    let pool: VersionIndex
    let limits: FolderLimits
    private var position = 0

    init(pool: VersionIndex, limits: FolderLimits) {
        self.pool = pool
        self.limits = limits
    }

    /// Whether every entry was delivered.
    var isDone: Bool { position == pool.entries.count }

    /// The next page, without a cursor.
    mutating func next() -> RemotePage {
        var page = RemotePage(changes: [], cursor: "")
        var bytes = 0
        while position < pool.entries.count, page.changes.count < limits.pageItems {
            let change = pool.entries[position]
            // A body larger than a page gets its own page.
            if bytes > 0, bytes + change.body.count > limits.pageBytes { break }
            bytes += change.body.count
            page.changes.append(change)
            position += 1
        }
        return page
    }
}
