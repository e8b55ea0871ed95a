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

    /// Whether every entry was handed on.
    var isDone: Bool { position == pool.entries.count }

    /// The next page, without a cursor.
    mutating func next() -> RemotePage {
        var page = RemotePage(bytes: [], items: [], cursor: "")
        // Whoever read the lines has looked at all of their bytes.
        page.isText = true
        while position < pool.entries.count, page.items.count < limits.pageItems {
            let entry = pool.entries[position]
            let body = pool.body(entry: entry)
            // A body larger than a page gets one of its own.
            if !page.items.isEmpty, page.bytes.count + body.count > limits.pageBytes { break }
            let start = page.bytes.count
            page.bytes.append(contentsOf: body)
            page.items.append(
                RemoteItem(
                    entity: entry.header.entity,
                    key: entry.header.key,
                    kind: entry.header.isDeleted ? .delete : .upsert,
                    mergedInto: entry.header.mergedInto,
                    metadata: entry.header.metadata,
                    isForked: entry.isForked,
                    body: start..<page.bytes.count
                )
            )
            position += 1
        }
        return page
    }
}
