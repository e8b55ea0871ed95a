import Foundation
import SyncSchema
import Testing

/// Files as saved by editors and tools of all systems.
@Suite struct EncodingTests {
    private let valid = Sample.entity(fields: #""a":{"type":"string"}"#)
    private let broken = Sample.entity(fields: #""a":{"type":"int"}"#)

    private func found(bytes: [UInt8]) -> [String] {
        SchemaLoader.load([SchemaSource(path: "item.schema.json", bytes: bytes)]).diagnostics.map {
            "\($0.line):\($0.column) \($0.rule)"
        }
    }

    @Test func acceptsAByteOrderMarkAndCountsColumnsBehindIt() {
        #expect(found(bytes: [0xEF, 0xBB, 0xBF] + Array(valid.utf8)) == [])
        #expect(found(bytes: [0xEF, 0xBB, 0xBF] + Array("x".utf8)) == ["1:1 json-word"])
        #expect(found(bytes: [0xEF, 0xBB, 0xBF] + Array(#"{"titel":1"#.utf8)) == ["1:11 json-syntax"])
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func countsLinesWithEveryLineEnding(ending: String) {
        #expect(found(bytes: Array(valid.replacing("\n", with: ending).utf8)) == [])
        #expect(found(bytes: Array(broken.replacing("\n", with: ending).utf8)) == ["3:13 unknown-type"])
    }

    @Test func countsColumnsInBytes() {
        let text = Sample.entity(fields: #""a":{"description":"é😀","type":"int"}"#)
        #expect(found(bytes: Array(text.utf8)) == ["3:36 unknown-type"])
    }

    @Test(arguments: [
        String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian,
        .utf32BigEndian,
    ])
    func namesOtherUnicodeEncodings(encoding: String.Encoding) throws {
        let bytes = Array(try #require(valid.data(using: encoding)))
        #expect(found(bytes: bytes) == ["1:1 not-utf8"])
        let report = SchemaLoader.load([SchemaSource(path: "item.schema.json", bytes: bytes)])
        let isWide = bytes.count > valid.utf8.count * 3
        #expect(report.diagnostics[0].message.contains(isWide ? "UTF-32" : "UTF-16"))
    }

    @Test(
        arguments: [
            [0xFF], [0xC3], [0xC3, 0x28], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF5, 0x80, 0x80, 0x80],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
        ] as [[UInt8]]
    )
    func saysWhereBytesAreNotUTF8(bad: [UInt8]) {
        let head = Array("{\n\"title\":\"".utf8)
        #expect(found(bytes: head + bad + Array("\"}".utf8)) == ["2:10 not-utf8"])
        #expect(found(bytes: head + bad) == ["2:10 not-utf8"])
    }

    @Test func acceptsEveryWellFormedSequence() {
        let text = "\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}"
        let schema = Sample.entity(fields: #""a":{"type":"string","description":"\#(text)"}"#)
        let report = SchemaLoader.load([SchemaSource(path: "item.schema.json", bytes: Array(schema.utf8))])
        #expect(report.diagnostics == [])
        #expect(report.schemas[0].properties[1].summary.unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test func refusesZeroBytes() {
        #expect(found(bytes: Array((valid + "\0").utf8)) == ["6:3 json-syntax"])
        #expect(found(bytes: [0, 0, 0, 0]) == ["1:1 not-utf8"])
        #expect(found(bytes: [0]) == ["1:1 json-syntax"])
    }
}
