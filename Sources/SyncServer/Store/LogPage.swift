package import SyncCore

/// One page of a log: the records of some entities in the order of their revisions, each entity from its own
/// place.
///
/// A store offers it one record after the other until the page is full. It reads from places on and counts
/// nothing off: a record that is edited while a reader pages gets a higher revision and comes later.
package struct LogPage: Sendable {
    /// For each entity the position after which it is read.
    package let places: [String: Int64]
    /// The most records.
    package let maxRecords: Int
    /// The size at which the page ends; one record alone may be larger.
    package let maxBytes: Int
    /// Revisions to pass without giving them: what the request itself has stored.
    package let passed: Set<Int64>
    /// The records that it holds.
    package private(set) var items: [Item] = []
    /// The entries, one after the other.
    package private(set) var bytes: [UInt8] = []
    /// Everything up to here was looked at.
    package private(set) var position: Int64 = 0
    /// The tag of the run that holds `position`.
    package private(set) var run = ""
    /// Whether there is more.
    package private(set) var hasMore = false
    /// The size of the items in an answer.
    private var size = 0

    /// One record.
    package struct Item: Sendable {
        /// Its revision.
        package let revision: Revision
        /// Where its entry stands in the page's bytes.
        package let entry: Range<Int>
    }

    /// Makes an empty page.
    init(places: [String: Int64], maxRecords: Int, maxBytes: Int, passed: Set<Int64>) {
        (self.places, self.maxRecords) = (places, maxRecords)
        (self.maxBytes, self.passed) = (maxBytes, passed)
    }

    /// The most records that a store needs to read for it: one more than it takes shows that there is more.
    package var maxOffers: Int {
        let (sum, overflow) = maxRecords.addingReportingOverflow(passed.count + 1)
        return overflow ? .max : sum
    }

    /// Offers the record with the next higher revision. Returns false once the page is full; then the record
    /// is not in it.
    package mutating func take(number: Int64, run: String, entry: UnsafeBufferPointer<UInt8>) -> Bool {
        if !passed.contains(number) {
            let isFull = items.count >= maxRecords || size + entry.count > maxBytes
            if isFull, !items.isEmpty {
                hasMore = true
                return false
            }
            let revision = StoredVersion.revision(number: number, run: run)
            items.append(Item(revision: revision, entry: bytes.count..<bytes.count + entry.count))
            bytes.append(contentsOf: entry)
            size += StoredVersion.answerBytes(revision: revision, entryBytes: entry.count)
        }
        (position, self.run) = (number, run)
        return true
    }
}
