import SyncSchema
import TestSeeds
import Testing

/// Broken files: reading always ends, and returns a schema only if there was no error.
@Suite struct MutationTests {
    private static let fragments = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\uD800", "null", "true", "1e999", "-0", "\u{FEFF}",
        "\0", "\n", "//",
        "/*", "é", "e\u{301}", "\u{212A}", "\"$ref\":\"#/$defs/Share\"", "\"type\":\"object\"",
        "\"enum\":[\"\",\"1\",null]",
        "\"pattern\":\"(a+)+$\"", "\"sync\":{\"merge\":\"union\"}", "\"default\":{}", "\"items\":{}",
        "\"properties\":{}",
    ]

    @Test(arguments: TestSeeds.cases(0..<6))
    func neverCrashesOnAMutatedSchema(seeds: TestSeeds) throws {
        for seed in seeds { try loadMutated(seed: seed) }
    }

    private func loadMutated(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let shipped = try ShippedSchemas.sources()
        for _ in 0..<12 {
            var sources = shipped
            let index = Int.random(in: sources.indices, using: &random)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                mutate(bytes: &sources[index].bytes, using: &random)
            }
            let report = SchemaLoader.load(sources)
            #expect(report == SchemaLoader.load(sources.reversed()), "seed \(seed)")
            #expect(report.isValid == (report.schemas.count == sources.count), "seed \(seed)")
            #expect(report.diagnostics.allSatisfy { $0.line >= 1 && $0.column >= 1 }, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<4)
    func neverCrashesOnASwappedValue(seed: UInt64) throws {
        var random = SeededRandom(seed: 1_000 + seed)
        let values = [
            "null", "true", "-1", "1.5", "1e999", "\"\"", "\"id\"", "[]", "{}", "[\"id\"]", "[[\"id\"]]",
            "[null]",
        ]
        for source in try ShippedSchemas.sources() {
            let text = String(decoding: source.bytes, as: UTF8.self)
            for match in text.matches(of: /: ?("[^"]*"|[0-9.]+|\[\]|true)/).shuffled(using: &random).prefix(
                20
            ) {
                let changed = text.replacingCharacters(
                    of: match.range,
                    by: ":" + values.randomElement(using: &random)!
                )
                let report = SchemaLoader.load([SchemaSource(path: source.path, bytes: Array(changed.utf8))])
                #expect(report.isValid == (report.schemas.count == 1), "seed \(seed)")
            }
        }
    }

    private func mutate(bytes: inout [UInt8], using random: inout SeededRandom) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...40, using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes.removeSubrange(start..<end)
        case 1:
            bytes.insert(contentsOf: bytes[start..<end], at: Int.random(in: 0...bytes.count, using: &random))
        case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: start)
        case 3: if start < bytes.count { bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
        case 4: bytes.removeLast(bytes.count - start)
        default:
            let fragment = Self.fragments[Int.random(in: Self.fragments.indices, using: &random)]
            bytes.replaceSubrange(
                start..<(Bool.random(using: &random) ? end : start),
                with: Array(fragment.utf8)
            )
        }
    }
}

extension String {
    fileprivate func replacingCharacters(of range: Range<String.Index>, by text: String) -> String {
        String(self[..<range.lowerBound]) + text + self[range.upperBound...]
    }
}
