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
    /// The number of records that it holds.
    package private(set) var count = 0
    /// The entries with their revisions, as elements of a JSON array.
    package private(set) var text: [UInt8] = []
    /// Everything up to here was looked at.
    package private(set) var position: Int64 = 0
    /// Whether there is more.
    package private(set) var hasMore = false
    /// The size of the entries with their revisions.
    private var size = 0
    /// Where the tag of the last record's run stands in the text; nil where that record was passed.
    private var runRange: Range<Int>?
    /// The tag of the run of the last record that was passed.
    private var passedRun = ""

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

    /// The tag of the run that holds `position`.
    package var run: String { runRange.map { String(decoding: text[$0], as: UTF8.self) } ?? passedRun }

    /// Offers the record with the next higher revision. Returns false once the page is full; then the record is
    /// not in it.
    package mutating func take(
        number: Int64,
        run: UnsafeBufferPointer<UInt8>,
        entry: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if !passed.contains(number) {
            let isFull = count >= maxRecords || size + entry.count > maxBytes
            if isFull, count > 0 {
                hasMore = true
                return false
            }
            append(number: number, run: run, entry: entry)
        } else {
            (runRange, passedRun) = (nil, String(decoding: run, as: UTF8.self))
        }
        position = number
        return true
    }

    private mutating func append(
        number: Int64,
        run: UnsafeBufferPointer<UInt8>,
        entry: UnsafeBufferPointer<UInt8>
    ) {
        makeRoom(for: entry.count + run.count + 64)
        if count > 0 { text.append(UInt8(ascii: ",")) }
        let start = text.count
        text.append(contentsOf: #"{"revision":""#.utf8)
        text.append(contentsOf: String(number).utf8)
        text.append(UInt8(ascii: "-"))
        runRange = text.count..<text.count + run.count
        text.append(contentsOf: run)
        text.append(UInt8(ascii: "\""))
        // An entry begins with `{` and a member.
        text.append(UInt8(ascii: ","))
        text.append(contentsOf: UnsafeBufferPointer(rebasing: entry.dropFirst()))
        count += 1
        size += text.count - start
    }

    /// Growing by doubling would copy a full page once more right before its end.
    private mutating func makeRoom(for bytes: Int) {
        let needed = text.count + bytes
        guard needed > text.capacity, needed > 64 << 10 else { return }
        text.reserveCapacity(needed + min(maxBytes, 1 << 20) + (64 << 10))
    }
}
