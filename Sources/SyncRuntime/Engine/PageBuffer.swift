import SyncCore

/// Collects pages for one transaction.
struct PageBuffer {
    private var pages: [RemotePage] = []
    private var size = PageBufferSize()

    /// Whether the buffered pages should be taken in now.
    var isFull: Bool { size.isFull }

    mutating func add(_ page: RemotePage) {
        pages.append(page)
        size.add(records: page.changes.count, bytes: page.changes.reduce(0) { $0 + $1.body.count })
    }

    /// Returns the buffered pages and clears the buffer.
    mutating func taken() -> [RemotePage] {
        defer {
            pages = []
            size.begin()
        }
        return pages
    }
}

/// The size of a pull's transactions.
///
/// Transactions of 5,000 rows take in 50 % more rows per second than those of 1,000. But the first rows should be visible
/// soon, and a crash should lose little of a slow download, so transactions grow from one page.
package struct PageBufferSize {
    /// The most records in a transaction, except that its last page may exceed it.
    private static let maxRecords = 5000
    /// The most bytes, with the same exception.
    private static let maxBytes = 8 << 20

    private var records = 0
    private var bytes = 0
    /// The number of records at which the present transaction is full.
    private var limit = 1

    package init() {}

    /// Whether the present transaction is large enough.
    package var isFull: Bool { records >= limit || bytes >= Self.maxBytes }

    /// Counts a page.
    package mutating func add(records: Int, bytes: Int) {
        self.records += records
        self.bytes += bytes
    }

    /// Starts the next transaction.
    package mutating func begin() {
        limit = min(Self.maxRecords, max(limit, records) * 2)
        (records, bytes) = (0, 0)
    }
}

/// What is to be done with the pages of a buffer, in order. It may be done in several transactions.
struct PageWork {
    enum Step {
        /// Begins a full state of these scopes.
        case begin([SnapshotScope])
        /// Applies changes.
        case apply(ArraySlice<PageOrder.Place>)
        /// Ends a full state of these scopes.
        case sweep([SnapshotScope], absence: RemotePage.Absence)
    }

    let pages: [RemotePage]
    /// By page, what it means for a record that the snapshot lacks; nil outside of one.
    let absences: [RemotePage.Absence?]
    var steps: ArraySlice<Step> = []

    init(_ pages: [RemotePage]) {
        self.pages = pages
        absences = pages.map { $0.kind == .delta ? nil : $0.absence }
        var first = 0
        func apply(upTo end: Int) {
            let places = PageOrder.places(pages: pages, in: first..<end)
            if !places.isEmpty { steps.append(.apply(places[...])) }
            first = end
        }
        for (index, page) in pages.enumerated() {
            guard case .snapshot(let scopes, let isFirst, let isComplete) = page.kind else { continue }
            if isFirst {
                apply(upTo: index)
                steps.append(.begin(scopes))
            }
            guard isComplete else { continue }
            apply(upTo: index + 1)
            steps.append(.sweep(scopes, absence: page.absence))
        }
        apply(upTo: pages.count)
    }

    /// Whether all of it is done.
    var isDone: Bool { steps.isEmpty }
}

/// The order in which a transaction applies changes: roughly by key, so that neighbours in the key index follow each
/// other. Changes of one key keep their order.
enum PageOrder {
    /// The position of a change.
    struct Place {
        var page: Int
        var change: Int
        /// The first eight bytes of the key.
        fileprivate var prefix: UInt64
    }

    /// The order of the changes in some of the pages.
    static func places(pages: [RemotePage], in range: Range<Int>) -> [Place] {
        var places: [Place] = []
        places.reserveCapacity(pages[range].reduce(0) { $0 + $1.changes.count })
        for page in range {
            for (index, change) in pages[page].changes.enumerated() {
                places.append(Place(page: page, change: index, prefix: change.header.key.prefix))
            }
        }
        places.sort { ($0.prefix, $0.page, $0.change) < ($1.prefix, $1.page, $1.change) }
        return places
    }
}
