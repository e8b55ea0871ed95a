import SyncCore

/// What the reader of entries promises, whoever sends them: header and body come out of a writing as they went in.
enum EntryPromises {
    static func check(_ bytes: [UInt8]) throws -> Bool {
        try RoundTrip(
            form: "an entry",
            read: Entry.init,
            write: { $0.header.entry(bytes: $0.bytes) },
            isSame: { [$0.header].isSame(in: $0.bytes, as: [$1.header], in: $1.bytes) }
        ).check(bytes)
    }

    /// Finer marks alone. What stands for JSON in them becomes part of a record, so it must be JSON.
    static func checkDetail(_ bytes: [UInt8]) throws -> Bool {
        let form = RoundTrip(
            text: "finer marks",
            read: { try? FieldTimestampsCodec.decode($0) },
            write: FieldTimestampsCodec.text
        )
        guard try form.check(bytes) else { return false }
        let detail = try FieldTimestampsCodec.decode(String(decoding: bytes, as: UTF8.self))
        for text in detail.jsonTexts {
            try promise((try? ReadValue(Array(text.utf8))) != nil, kind: .notJSON, of: "finer marks")
        }
        return true
    }

    private struct Entry {
        var header: EntryCodec.Header
        var bytes: [UInt8]

        init(_ bytes: [UInt8]) throws {
            self.bytes = bytes
            header = try bytes.withUnsafeBufferPointer { buffer in
                var reader = try JSONReader(buffer)
                let header = try EntryCodec.header(reader: &reader)
                try reader.end()
                return header
            }
        }
    }
}

extension EntryCodec.Header {
    /// The header with its body, as a change to be sent.
    func outgoing(bytes: [UInt8]) -> OutgoingChange {
        OutgoingChange(
            entity: entity,
            key: key,
            isDeleted: isDeleted,
            mergedInto: mergedInto,
            metadata: metadata,
            replaces: replaces,
            base: base,
            body: Array(bytes[body])
        )
    }

    /// The entry as text, with its revision.
    func entry(bytes: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        EntryCodec.append(outgoing(bytes: bytes), to: &writer)
        guard let revision else { return writer.bytes }
        var head = JSONWriter()
        head.beginObject()
        head.name("revision")
        head.string(revision.text)
        return head.bytes + [UInt8(ascii: ",")] + writer.bytes.dropFirst()
    }
}

extension EntryCodec.Header {
    /// The header without the server's name for it, which only an answer carries.
    var unrevised: Self {
        var header = self
        header.revision = nil
        return header
    }
}

extension [EntryCodec.Header] {
    func outgoing(bytes: [UInt8]) -> [OutgoingChange] { map { $0.outgoing(bytes: bytes) } }

    /// Whether headers and bodies are the same, wherever the bodies stand.
    func isSame(in bytes: [UInt8], as other: Self, in otherBytes: [UInt8]) -> Bool {
        count == other.count
            && zip(self, other).allSatisfy { lhs, rhs in
                var moved = rhs
                moved.body = lhs.body
                return lhs == moved && lhs.entity.utf8.elementsEqual(rhs.entity.utf8)
                    && bytes[lhs.body] == otherBytes[rhs.body]
            }
    }
}

extension FieldTimestamps {
    /// Every text that stands for JSON: lists and objects that other edits gave, and the elements of sets.
    fileprivate var jsonTexts: [String] {
        let values = units.values.joined().compactMap { sibling in
            if case .value(.json(let text)) = sibling.value { text } else { nil }
        }
        return values + elements.values.flatMap { $0.keys.map(\.text) }
    }
}
