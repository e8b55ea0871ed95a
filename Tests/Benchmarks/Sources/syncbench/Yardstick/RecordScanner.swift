/// Where the values of one record lie in a page.
struct ScannedRecord {
    var id = Span()
    var userId = Span()
    var surahNumber = 0
    var verseNumber = 0
    var surahName = Span()
    var verseText = Span()
    var verseTranslation = Span()
    var notes: Span?
    /// The list as JSON.
    var tags = Span()
    /// Microseconds since 1970.
    var createdAt: Int64 = 0
    /// Microseconds since 1970.
    var updatedAt: Int64 = 0

    /// Bytes of the page; of a string without its quotes.
    struct Span {
        var start: UnsafePointer<UInt8>?
        var count = 0
        var hasEscapes = false
    }
}

/// A scanner written by hand for this one kind of record: one pass, eight bytes at a time within strings, no allocation.
///
/// It believes what it reads as far as it can; the yardstick shall not pay for what the product promises beyond it.
struct RecordScanner {
    private var place: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>
    /// The bytes of the last record.
    private(set) var last = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

    struct Failure: Error {}

    /// Begins in front of an array of records.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        guard let base = bytes.baseAddress else { throw Failure() }
        place = base
        end = base + bytes.count
        try expect(UInt8(ascii: "["))
    }

    /// Reads the next record; false at the end of the array.
    @inline(__always)
    mutating func next(record: inout ScannedRecord) throws -> Bool {
        skipSpace()
        guard place < end else { throw Failure() }
        if place.pointee == UInt8(ascii: ",") { place += 1 }
        skipSpace()
        if place < end, place.pointee == UInt8(ascii: "]") { return false }
        let start = place
        try expect(UInt8(ascii: "{"))
        record.notes = nil
        var seen = 0
        while true {
            skipSpace()
            let name = try string()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            try member(name: name, record: &record, seen: &seen)
            skipSpace()
            guard place < end else { throw Failure() }
            place += 1
            if place[-1] == UInt8(ascii: ",") { continue }
            guard place[-1] == UInt8(ascii: "}"), seen == 0x3ff else { throw Failure() }
            last = UnsafeBufferPointer(start: start, count: place - start)
            return true
        }
    }

    @inline(__always)
    private mutating func member(
        name: ScannedRecord.Span,
        record: inout ScannedRecord,
        seen: inout Int
    ) throws {
        guard let start = name.start else { throw Failure() }
        // Length and first letter tell the members apart.
        switch (name.count, start[0]) {
        case (2, _):
            record.id = try string()
            seen |= 1
        case (7, _):
            record.userId = try string()
            seen |= 2
        case (12, UInt8(ascii: "s")):
            record.surahNumber = try integer()
            seen |= 4
        case (12, _):
            record.verseNumber = try integer()
            seen |= 8
        case (10, UInt8(ascii: "s")):
            record.surahName = try string()
            seen |= 16
        case (10, UInt8(ascii: "v")):
            record.verseText = try string()
            seen |= 32
        case (17, _):
            record.verseTranslation = try string()
            seen |= 64
        case (5, _): record.notes = try isNull() ? nil : string()
        case (4, _):
            record.tags = try list()
            seen |= 128
        case (10, UInt8(ascii: "c")):
            record.createdAt = try time()
            seen |= 256
        case (10, UInt8(ascii: "u")):
            record.updatedAt = try time()
            seen |= 512
        default: throw Failure()
        }
    }
}

extension RecordScanner {
    @inline(__always)
    private mutating func skipSpace() { while place < end, place.pointee <= 32 { place += 1 } }

    @inline(__always)
    private mutating func expect(_ byte: UInt8) throws {
        skipSpace()
        guard place < end, place.pointee == byte else { throw Failure() }
        place += 1
    }

    @inline(__always)
    private mutating func string() throws -> ScannedRecord.Span {
        guard place < end, place.pointee == UInt8(ascii: "\"") else { throw Failure() }
        place += 1
        var span = ScannedRecord.Span(start: place)
        while true {
            skipPlain()
            guard place < end else { throw Failure() }
            switch place.pointee {
            case UInt8(ascii: "\""):
                span.count = place - (span.start ?? place)
                place += 1
                return span
            case UInt8(ascii: "\\"):
                span.hasEscapes = true
                place += 2
            case 0..<32: throw Failure()
            default: place += 1
            }
        }
    }

    /// Moves over eight bytes at a time as long as there is no quote, backslash or control character among them.
    @inline(__always)
    private mutating func skipPlain() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        while place + 8 <= end {
            let word = UnsafeRawPointer(place).loadUnaligned(as: UInt64.self)
            let quote = word ^ (ones &* 0x22)
            let slash = word ^ (ones &* 0x5c)
            let found =
                ((quote &- ones) & ~quote | (slash &- ones) & ~slash | (word &- ones &* 0x20) & ~word) & tops
            if found != 0 {
                place += found.trailingZeroBitCount >> 3
                return
            }
            place += 8
        }
    }

    @inline(__always)
    private mutating func integer() throws -> Int {
        var value = 0
        let start = place
        while place < end, place.pointee &- 0x30 < 10 {
            value = value &* 10 &+ Int(place.pointee &- 0x30)
            place += 1
        }
        guard place > start else { throw Failure() }
        return value
    }

    @inline(__always)
    private mutating func isNull() -> Bool {
        guard end - place >= 4, place.pointee == UInt8(ascii: "n") else { return false }
        place += 4
        return true
    }

    /// A list of strings as it stands.
    @inline(__always)
    private mutating func list() throws -> ScannedRecord.Span {
        var span = ScannedRecord.Span(start: place)
        try expect(UInt8(ascii: "["))
        while place < end, place.pointee != UInt8(ascii: "]") {
            if place.pointee == UInt8(ascii: "\"") { _ = try string() } else { place += 1 }
        }
        place += 1
        span.count = place - (span.start ?? place)
        return span
    }

    @inline(__always)
    private mutating func time() throws -> Int64 {
        let span = try string()
        guard let start = span.start, let time = RawTime.microseconds(text: start, count: span.count) else {
            throw Failure()
        }
        return time
    }
}
