import SyncCore

/// Pages that are taken in together.
///
/// A transaction of 5,000 rows takes in half as many again in a second as one of 1,000. But the first rows are shown as
/// soon as they are there, and a kill loses little of a slow download, so transactions grow from one page on.
struct Intake {
    /// The most records of a transaction, but for those of its last page.
    static let maxRecords = 5000
    /// The most bytes, with the same exception.
    static let maxBytes = 8 << 20

    private var pages: [RemotePage] = []
    private var records = 0
    private var bytes = 0
    /// The records at which the present transaction is full.
    private var limit = 1

    /// Whether it is time to take in what is here.
    var isFull: Bool { records >= limit || bytes >= Self.maxBytes }

    mutating func add(_ page: RemotePage) {
        pages.append(page)
        records += page.items.count
        bytes += page.bytes.count
    }

    /// The pages, which are none then.
    mutating func taken() -> [RemotePage] {
        defer {
            limit = min(Self.maxRecords, max(limit, records) * 2)
            (pages, records, bytes) = ([], 0, 0)
        }
        return pages
    }
}
