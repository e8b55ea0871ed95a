import Foundation
import SyncFuzzing
import Testing

/// Runs the inputs in `Tests/Fuzz/Corpus`, with one folder per reader. File names start with the expected
/// result: `accepted-` or `refused-`.
@Suite struct CorpusTests {
    private static let corpus = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/Corpus")

    private func inputs(reader: FuzzReader) throws -> [(name: String, bytes: [UInt8])] {
        let folder = Self.corpus.appendingPathComponent(reader.rawValue)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            (name, [UInt8](try Data(contentsOf: folder.appendingPathComponent(name))))
        }
    }

    @Test(arguments: FuzzReader.allCases)
    func everyInputOfTheCorpusKeepsEveryPromise(reader: FuzzReader) throws {
        for (name, bytes) in try inputs(reader: reader) {
            let isAccepted = try reader.check(bytes)
            #expect(isAccepted == name.hasPrefix("accepted-"), "\(reader) \(name)")
        }
    }

    @Test(arguments: FuzzReader.allCases)
    func theCorpusHoldsInputsOfBothKindsAndStaysSmall(reader: FuzzReader) throws {
        let inputs = try inputs(reader: reader)
        #expect(inputs.contains { $0.name.hasPrefix("accepted-") })
        #expect(inputs.contains { $0.name.hasPrefix("refused-") })
        #expect(inputs.allSatisfy { $0.name.hasPrefix("accepted-") || $0.name.hasPrefix("refused-") })
        #expect(inputs.count <= 60)
        #expect(inputs.allSatisfy { $0.bytes.count < 4096 })
    }

    /// Every prefix of every input, and every input with one bit flipped: many more texts, and the same ones
    /// each time.
    @Test(arguments: FuzzReader.allCases)
    func whatIsNearTheCorpusKeepsEveryPromise(reader: FuzzReader) throws {
        for (_, bytes) in try inputs(reader: reader) {
            let step = max(1, bytes.count / 24)
            for place in stride(from: 0, to: bytes.count, by: step) {
                try reader.check(Array(bytes[..<place]))
                var changed = bytes
                changed[place] ^= UInt8(1) << UInt8(place % 8)
                try reader.check(changed)
            }
        }
    }
}
