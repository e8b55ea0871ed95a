import Foundation
import SyncChecks
import SyncCore
import Testing

/// Readers and writers of small texts, against the plain way to say what they read and write.
@Suite struct TextFormTests {
    @Test(arguments: 1...20)
    func vectorsAreReadAsTheirPlainReadingSays(number: UInt64) {
        var seed = Seed(number)
        for _ in 0..<500 {
            let text = Self.vectorText(seed: &seed)
            let vector = VersionVector(text)
            #expect(
                vector?.description == Self.plainVector(text: text),
                "seed \(number): \(text.debugDescription)"
            )
            if let vector { #expect(VersionVector(vector.description) == vector, "seed \(number)") }
        }
    }

    @Test func vectorsAreRefusedForAnythingBesidePairs() {
        let device = "00f1e2d3c4b5a697"
        for text in [
            "x", ":", "\(device)", "\(device):", "\(device):0", "\(device):-1", "\(device):1:2",
            "\(device):1 ", " \(device):1", "\(device):1;\(device):2", "\(device.uppercased()):1",
            "\(device)0:1", "\(device):9223372036854775808", "\(device):1,\u{301}", "\(device):\u{661}",
            "\(device):+", "\(device):+-1", "\(device):1\r\n",
        ] {
            #expect(VersionVector(text) == nil, "\(text.debugDescription)")
        }
        #expect(VersionVector("")?.entries.isEmpty == true)
        #expect(VersionVector(",,")?.entries.isEmpty == true)
        #expect(
            VersionVector(",\(device):9223372036854775807,")?.description == "\(device):9223372036854775807"
        )
    }

    @Test func marksAndDevicesAreWrittenAsTheyAreRead() {
        for (bits, device) in [
            (0, "0000000000000000"), (UInt64.max, "ffffffffffffffff"), (0x1f, "000000000000001f"),
        ] {
            #expect(DeviceID(bits: bits).description == device)
            #expect(DeviceID(device)?.bits == bits)
            for time in [Int64.min, -1, 0, 7, .max] {
                let text = "\(time).\(device).\(Int64.max)"
                #expect(EditTimestamp(text)?.description == text)
            }
        }
    }

    @Test(arguments: 1...5)
    func identifiersAreReadAndWrittenAsFoundationDoes(number: UInt64) throws {
        var seed = Seed(number)
        for _ in 0..<500 {
            let bytes = (seed.next(), seed.next())
            let uuid = UUID(uuid: unsafeBitCast(bytes, to: uuid_t.self))
            #expect(UUID(wireText: uuid.uuidString) == uuid, "seed \(number)")
            #expect(UUID(wireText: uuid.uuidString.lowercased()) == uuid, "seed \(number)")
            #expect(try uuid.wireText() == uuid.uuidString.lowercased(), "seed \(number)")
        }
    }

    @Test func identifiersWithASingleOtherByteAreRefused() {
        let text = "379066e4-6dd5-4050-8470-004e08da28bd"
        for place in 0..<36 {
            for other in "g-/:@G`+ \u{0}" {
                var bytes = Array(text.utf8)
                guard bytes[place] != other.utf8.first else { continue }
                bytes[place] = other.utf8.first ?? 0
                #expect(UUID(wireText: String(decoding: bytes, as: UTF8.self)) == nil)
            }
        }
        for other in ["", String(text.dropLast()), text + "0", " " + text.dropFirst(), "{\(text)}"] {
            #expect(UUID(wireText: other) == nil)
        }
    }

    @Test(arguments: 1...10)
    func decimalsAreReadAsFoundationReadsThem(number: UInt64) throws {
        var seed = Seed(number)
        for _ in 0..<500 {
            let text = Self.decimalText(seed: &seed)
            let canonical = DecimalText.canonical(text)
            let expected = canonical.flatMap {
                Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX"))
            }
            let value = Decimal(wireText: text)
            #expect(value == expected, "seed \(number): \(text)")
            #expect(value?.description == expected?.description, "seed \(number): \(text)")
        }
    }

    @Test func integersAreWrittenInAllTheirLengths() {
        for value in [0, 9, 10, 99, 100, 4711, 999_999, 1_000_000] as [Int64] {
            for width in 1...8 {
                var text: [UInt8] = []
                text.appendPadded(value, width: width)
                let plain = String(value)
                let zeros = String(repeating: "0", count: max(0, width - plain.count))
                #expect(String(decoding: text, as: UTF8.self) == zeros + plain)
            }
        }
    }

    /// What a vector's text means, said with the standard library's own tools.
    private static func plainVector(text: String) -> String? {
        var highest: [DeviceID: Int64] = [:]
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].count == 16,
                parts[0].allSatisfy({ "0123456789abcdef".contains($0) }),
                let bits = UInt64(parts[0], radix: 16), let sequence = Int64(parts[1]), sequence > 0
            else { return nil }
            highest[DeviceID(bits: bits), default: 0] = max(
                highest[DeviceID(bits: bits), default: 0],
                sequence
            )
        }
        return highest.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
    }

    /// A vector's text, sometimes with a fault.
    private static func vectorText(seed: inout Seed) -> String {
        let devices = (0..<3).map { _ in
            DeviceID(bits: seed.next() >> UInt64.random(in: 0..<64, using: &seed))
        }
        var pairs: [String] = []
        for _ in 0..<Int.random(in: 0..<5, using: &seed) {
            let sequence = Int64(truncatingIfNeeded: seed.next() >> UInt64.random(in: 1..<64, using: &seed))
            let sign = ["", "", "", "+", "-", "00"].randomElement(using: &seed) ?? ""
            pairs.append("\(devices.randomElement(using: &seed) ?? devices[0]):\(sign)\(sequence)")
        }
        var bytes = Array(pairs.joined(separator: Bool.random(using: &seed) ? "," : ",,").utf8)
        if Int.random(in: 0..<4, using: &seed) == 0, let place = bytes.indices.randomElement(using: &seed) {
            bytes[place] = Array(",:+-0gA ".utf8).randomElement(using: &seed) ?? 0
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A decimal number of any length, sometimes with more digits than are kept.
    private static func decimalText(seed: inout Seed) -> String {
        func digits(count: Int) -> String {
            let kinds = ["0", "9", "0123456789", "0000000001"]
            let kind = kinds.randomElement(using: &seed) ?? "0"
            return String((0..<count).map { _ in kind.randomElement(using: &seed) ?? "0" })
        }
        let whole = digits(count: Int.random(in: 1..<41, using: &seed))
        let sign = Bool.random(using: &seed) ? "-" : ""
        guard Bool.random(using: &seed) else { return sign + whole }
        let length = Int.random(in: 1..<(Bool.random(using: &seed) ? 20 : 129), using: &seed)
        return "\(sign)\(Bool.random(using: &seed) ? whole : "0").\(digits(count: length))"
    }
}
