import SyncCore

/// Promises of the entry reader for any input: header and body survive a round trip unchanged.
enum EntryPromises {
    static func check(_ bytes: [UInt8]) throws -> Bool {
        try RoundTrip(
            form: "an entry",
            read: change,
            write: { $0.entry },
            isSame: { [$0].isSame(as: [$1]) }
        ).check(bytes)
    }

    /// Checks field timestamps alone. JSON text in them becomes part of a record, so it must be valid.
    static func checkDetail(_ bytes: [UInt8]) throws -> Bool {
        let form = RoundTrip(
            text: "field timestamps",
            read: { try? FieldTimestampsCodec.decode($0) },
            write: FieldTimestampsCodec.text
        )
        guard try form.check(bytes) else { return false }
        let detail = try FieldTimestampsCodec.decode(String(decoding: bytes, as: UTF8.self))
        for text in detail.jsonTexts {
            try promise((try? ReadValue(Array(text.utf8))) != nil, kind: .notJSON, of: "field timestamps")
        }
        return true
    }

    private static func change(bytes: [UInt8]) throws -> Change {
        try bytes.withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            let change = try EntryCodec.change(reader: &reader, bytes: bytes)
            try reader.end()
            return change
        }
    }
}

extension Change {
    /// The entry as text, with its revision.
    var entry: [UInt8] {
        var writer = JSONWriter()
        EntryCodec.append(self, to: &writer)
        guard let revision = header.revision else { return writer.bytes }
        var head = JSONWriter()
        head.beginObject()
        head.name("revision")
        head.string(revision.text)
        return head.bytes + [UInt8(ascii: ",")] + writer.bytes.dropFirst()
    }

    /// The change without its revision, which only an answer contains.
    var unrevised: Self {
        var change = self
        change.header.revision = nil
        return change
    }
}

extension [Change] {
    /// Whether headers and bodies are equal byte by byte.
    func isSame(as other: Self) -> Bool {
        count == other.count
            && zip(self, other).allSatisfy { lhs, rhs in
                lhs == rhs && lhs.header.entity.utf8.elementsEqual(rhs.header.entity.utf8)
            }
    }
}

extension FieldTimestamps {
    /// All JSON texts in the header: values of other edits and elements of sets.
    fileprivate var jsonTexts: [String] {
        let values = units.values.joined().compactMap { sibling in
            if case .value(.json(let text)) = sibling.value { text } else { nil }
        }
        return values + elements.values.flatMap { $0.keys.map(\.text) }
    }
}
