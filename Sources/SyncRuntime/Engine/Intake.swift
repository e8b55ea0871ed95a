import SyncCore

/// Pages that are taken in together, by one transaction.
struct Intake {
    private var pages: [RemotePage] = []
    private var size = IntakeSize()

    /// Whether it is time to take in what is here.
    var isFull: Bool { size.isFull }

    mutating func add(_ page: RemotePage) {
        pages.append(page)
        size.add(records: page.items.count, bytes: page.bytes.count)
    }

    /// The pages, which are none then.
    mutating func taken() -> [RemotePage] {
        defer {
            pages = []
            size.begin()
        }
        return pages
    }
}

/// How large the transactions of a pull are.
///
/// A transaction of 5,000 rows takes in half as many again in a second as one of 1,000. But the first rows are shown as
/// soon as they are there, and a kill loses little of a slow download, so transactions grow from one page on.
package struct IntakeSize {
    /// The most records of a transaction, but for those of its last page.
    private static let maxRecords = 5000
    /// The most bytes, with the same exception.
    private static let maxBytes = 8 << 20

    private var records = 0
    private var bytes = 0
    /// The records at which the present transaction is full.
    private var limit = 1

    package init() {}

    /// Whether the present transaction is large enough.
    package var isFull: Bool { records >= limit || bytes >= Self.maxBytes }

    /// Counts a page in.
    package mutating func add(records: Int, bytes: Int) {
        self.records += records
        self.bytes += bytes
    }

    /// Begins the next transaction.
    package mutating func begin() {
        limit = min(Self.maxRecords, max(limit, records) * 2)
        (records, bytes) = (0, 0)
    }
}
