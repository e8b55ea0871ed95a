import SyncCore
import Testing

/// Texts that break programs go through ours as they are, byte by byte.
@Suite struct NaughtyStringTests {
    static let thing = EntityDescriptor(
        name: "thing",
        typeName: "Thing",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "text", type: .string()),
            FieldDescriptor(name: "list", type: .array(element: .string())),
        ],
        key: ["id"],
        strategy: .lastWriteWins
    )

    private func strings() throws -> [String] {
        try JSONSuite.naughtyStrings().withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            var strings: [String] = []
            guard try reader.beginArray() else { return [] }
            repeat { strings.append(try reader.string().decode()) } while try reader.nextElement()
            try reader.end()
            return strings
        }
    }

    @Test func whatIsWrittenReadsBackAsTheSameBytes() throws {
        let strings = try strings()
        #expect(strings.count == 515)
        for string in strings {
            var writer = JSONWriter()
            writer.string(string)
            try writer.bytes.withUnsafeBufferPointer { buffer in
                var reader = try JSONReader(buffer)
                let text = try reader.string()
                try reader.end()
                #expect(Array(try text.decode().utf8) == Array(string.utf8))
                #expect(text.equals(Array(string.utf8)))
            }
        }
    }

    @Test func aRecordKeepsThemAsKeyValueElementAndUnknownMember() throws {
        for string in try strings() {
            var list = JSONWriter()
            list.beginArray()
            list.string(string)
            list.endArray()
            var record = Record(empty: Self.thing)
            record.values = [.text(string), .text(string), .json(list.text)]
            // NB: a member's name is a path, which a slash at its beginning would change.
            let name = "x" + string
            var value = JSONWriter()
            value.string(string)
            record.unknown = [UnknownField(path: name, json: value.text)]
            for form in [RecordForm.plain, .wire] {
                var decoder = RecordDecoder(descriptor: Self.thing, form: form)
                let back = try decoder.record(
                    RecordEncoder(descriptor: Self.thing, form: form).bytes(record)
                )
                #expect(bytes(back) == bytes(record))
                #expect(Self.thing.key(of: back)?.text.utf8.elementsEqual(string.utf8) == true)
            }
        }
    }

    /// Compared as bytes: `==` takes two texts that differ in Unicode form for one.
    private func bytes(_ record: Record) -> [[UInt8]] {
        record.values.map { value in
            switch value {
            case .text(let text), .json(let text): Array(text.utf8)
            default: []
            }
        } + record.unknown.flatMap { [Array($0.path.utf8), Array($0.json.utf8)] }
    }
}
