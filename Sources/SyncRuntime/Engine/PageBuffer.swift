import SyncCore

/// Pages that are taken in together, by one transaction.
struct PageBuffer {
    private var pages: [RemotePage] = []
    private var size = PageBufferSize()

    /// Whether it is time to take in what is here.
    var isFull: Bool { size.isFull }

    mutating func add(_ page: RemotePage) {
        pages.append(page)
        size.add(records: page.changes.count, bytes: page.changes.reduce(0) { $0 + $1.body.count })
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
package struct PageBufferSize {
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

/// The order in which the changes of a transaction are taken in: about that of their keys, so that neighbours in the index of
/// keys follow each other. Changes of one key keep their order.
enum PageOrder {
    /// Where a change lies.
    struct Place {
        var page: Int
        var change: Int
        /// The first eight bytes of the key.
        fileprivate var prefix: UInt64
    }

    static func places(pages: [RemotePage]) -> [Place] {
        var places: [Place] = []
        places.reserveCapacity(pages.reduce(0) { $0 + $1.changes.count })
        for (page, number) in zip(pages, pages.indices) {
            for (index, change) in page.changes.enumerated() {
                places.append(Place(page: number, change: index, prefix: change.header.key.prefix))
            }
        }
        places.sort { ($0.prefix, $0.page, $0.change) < ($1.prefix, $1.page, $1.change) }
        return places
    }
}
