/// One page of a log: the records of some entities in order of their revisions, each entity after its own
/// place.
///
/// A store offers one record after the other until the page is full. Paging goes by revision, not by offset:
/// a record that is edited meanwhile gets a higher revision and comes later.
package struct LogPage: Sendable {
    /// For each entity, the position after which to read.
    package let places: [String: Int64]
    /// The most records.
    package let maxRecords: Int
    /// The size at which the page ends. A single record may be larger.
    package let maxBytes: Int
    /// Revisions to skip: those that the request itself has stored.
    package let passed: Set<Int64>
    /// The number of records in the page.
    package private(set) var count = 0
    /// The entries with their revisions, as elements of a JSON array.
    package private(set) var text: [UInt8] = []
    /// The position up to which records were offered.
    package private(set) var position: Int64 = 0
    /// Whether more records follow.
    package private(set) var hasMore = false
    /// The size of the entries with their revisions.
    private var size = 0
    /// The range of the last record's run tag in the text; nil if that record was skipped.
    private var runRange: Range<Int>?
    /// The run tag of the last skipped record.
    private var passedRun = ""

    /// Makes an empty page.
    init(places: [String: Int64], maxRecords: Int, maxBytes: Int, passed: Set<Int64>) {
        (self.places, self.maxRecords) = (places, maxRecords)
        (self.maxBytes, self.passed) = (maxBytes, passed)
    }

    /// The most records that a store needs to read: one more than the page takes, to detect that more follow.
    package var maxOffers: Int {
        let (sum, overflow) = maxRecords.addingReportingOverflow(passed.count + 1)
        return overflow ? .max : sum
    }

    /// The tag of the run that contains `position`.
    package var run: String { runRange.map { String(decoding: text[$0], as: UTF8.self) } ?? passedRun }

    /// Offers the record with the next higher revision. Returns false if the page is full; then the record is
    /// not included.
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
        // The entry begins with `{` and a member.
        text.append(UInt8(ascii: ","))
        text.append(contentsOf: UnsafeBufferPointer(rebasing: entry.dropFirst()))
        count += 1
        size += text.count - start
    }

    /// Grows the buffer exactly near the end, because doubling it would copy an almost full page once more.
    private mutating func makeRoom(for bytes: Int) {
        let needed = text.count + bytes
        guard needed > text.capacity, needed > 64 << 10 else { return }
        text.reserveCapacity(needed + min(maxBytes, 1 << 20) + (64 << 10))
    }
}
