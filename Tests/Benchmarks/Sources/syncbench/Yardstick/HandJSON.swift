/// Records of the input as JSON, written and read by hand.
enum HandJSON {
    static func append(_ record: BenchRecord, to bytes: inout [UInt8]) {
        string(name: "{\"id\":", text: record.id, bytes: &bytes)
        string(name: ",\"user_id\":", text: record.userId, bytes: &bytes)
        HandText.literal(text: ",\"surah_number\":", bytes: &bytes)
        HandText.integer(value: record.surahNumber, bytes: &bytes)
        HandText.literal(text: ",\"verse_number\":", bytes: &bytes)
        HandText.integer(value: record.verseNumber, bytes: &bytes)
        string(name: ",\"surah_name\":", text: record.surahName, bytes: &bytes)
        string(name: ",\"verse_text\":", text: record.verseText, bytes: &bytes)
        string(name: ",\"verse_translation\":", text: record.verseTranslation, bytes: &bytes)
        if let notes = record.notes {
            string(name: ",\"notes\":", text: notes, bytes: &bytes)
        } else {
            HandText.literal(text: ",\"notes\":null", bytes: &bytes)
        }
        for (index, tag) in record.tags.enumerated() {
            string(name: index == 0 ? ",\"tags\":[" : ",", text: tag, bytes: &bytes)
        }
        HandText.literal(text: record.tags.isEmpty ? ",\"tags\":[]" : "]", bytes: &bytes)
        time(name: ",\"created_at\":\"", seconds: record.createdAt, bytes: &bytes)
        time(name: ",\"updated_at\":\"", seconds: record.updatedAt, bytes: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    @inline(__always)
    private static func string(name: StaticString, text: String, bytes: inout [UInt8]) {
        HandText.literal(text: name, bytes: &bytes)
        var text = text
        text.withUTF8 { HandText.string(text: $0, bytes: &bytes) }
    }

    @inline(__always)
    private static func time(name: StaticString, seconds: Int, bytes: inout [UInt8]) {
        HandText.literal(text: name, bytes: &bytes)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
            if let start = text.baseAddress { RawTime.write(seconds: seconds, to: start) }
            bytes.append(contentsOf: text)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    static func scan(_ bytes: [UInt8], count: Int) throws -> [BenchRecord] {
        try bytes.withUnsafeBufferPointer { bytes in
            var scanner = try RecordScanner(bytes)
            var scanned = ScannedRecord()
            var records: [BenchRecord] = []
            records.reserveCapacity(count)
            while try scanner.next(record: &scanned) { records.append(BenchRecord(scanned)) }
            return records
        }
    }
}

extension BenchRecord {
    fileprivate init(_ scanned: ScannedRecord) {
        id = scanned.id.string
        userId = scanned.userId.string
        surahNumber = scanned.surahNumber
        verseNumber = scanned.verseNumber
        surahName = scanned.surahName.string
        verseText = scanned.verseText.string
        verseTranslation = scanned.verseTranslation.string
        notes = scanned.notes?.string
        tags = scanned.tags.strings
        createdAt = Int(scanned.createdAt / 1_000_000)
        updatedAt = Int(scanned.updatedAt / 1_000_000)
    }
}

extension ScannedRecord.Span {
    /// The text without its escapes.
    fileprivate var string: String {
        let bytes = UnsafeBufferPointer(start: start, count: count)
        guard hasEscapes else { return String(decoding: bytes, as: UTF8.self) }
        var plain: [UInt8] = []
        plain.reserveCapacity(count)
        var place = 0
        while place < count {
            var byte = bytes[place]
            if byte == UInt8(ascii: "\\") {
                place += 1
                byte = bytes[place] == UInt8(ascii: "n") ? 10 : bytes[place]
            }
            plain.append(byte)
            place += 1
        }
        return String(decoding: plain, as: UTF8.self)
    }

    /// The elements of a list of strings. The input's tags have no escapes.
    fileprivate var strings: [String] {
        let bytes = UnsafeBufferPointer(start: start, count: count)
        var strings: [String] = []
        var open: Int?
        for place in bytes.indices where bytes[place] == UInt8(ascii: "\"") {
            if let start = open {
                strings.append(String(decoding: bytes[start..<place], as: UTF8.self))
                open = nil
            } else {
                open = place + 1
            }
        }
        return strings
    }
}
