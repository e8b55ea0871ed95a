/// Records of the input as JSON, written and read by hand.
enum HandJSON {
    static func append(_ record: BenchRecord, to bytes: inout [UInt8]) {
        string("{\"id\":", record.id, &bytes)
        string(",\"user_id\":", record.userId, &bytes)
        HandText.literal(",\"surah_number\":", &bytes)
        HandText.integer(record.surahNumber, &bytes)
        HandText.literal(",\"verse_number\":", &bytes)
        HandText.integer(record.verseNumber, &bytes)
        string(",\"surah_name\":", record.surahName, &bytes)
        string(",\"verse_text\":", record.verseText, &bytes)
        string(",\"verse_translation\":", record.verseTranslation, &bytes)
        if let notes = record.notes {
            string(",\"notes\":", notes, &bytes)
        } else {
            HandText.literal(",\"notes\":null", &bytes)
        }
        for (index, tag) in record.tags.enumerated() { string(index == 0 ? ",\"tags\":[" : ",", tag, &bytes) }
        HandText.literal(record.tags.isEmpty ? ",\"tags\":[]" : "]", &bytes)
        time(",\"created_at\":\"", record.createdAt, &bytes)
        time(",\"updated_at\":\"", record.updatedAt, &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    @inline(__always)
    private static func string(_ name: StaticString, _ text: String, _ bytes: inout [UInt8]) {
        HandText.literal(name, &bytes)
        var text = text
        text.withUTF8 { HandText.string($0, &bytes) }
    }

    @inline(__always)
    private static func time(_ name: StaticString, _ seconds: Int, _ bytes: inout [UInt8]) {
        HandText.literal(name, &bytes)
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
            while try scanner.next(&scanned) { records.append(BenchRecord(scanned)) }
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
