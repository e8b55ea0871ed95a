/// Generates texts that match a schema's `pattern`, from a seed. It supports the syntax that `SyncSchema`
/// accepts except lookaround, so the caller checks each text.
struct PatternText {
    private indirect enum Node {
        case scalars([ClosedRange<UInt32>], isNegated: Bool)
        case sequence([Node])
        case either([Node])
        case repeated(Node, Int, Int?)
    }

    private let root: Node?

    /// Parses a pattern. An unsupported one gives no texts.
    init(_ pattern: String) {
        var reader = Reader(scalars: Array(pattern.unicodeScalars))
        let node = reader.alternatives()
        root = reader.isAtEnd ? node : nil
    }

    /// Generates a text. A part may occur up to `slack` times more than its minimum. Nil if no text can be
    /// generated.
    func text(slack: Int, seed: inout Seed) -> String? {
        guard let root else { return nil }
        var text = String.UnicodeScalarView()
        Self.append(root, slack: slack, text: &text, seed: &seed)
        return String(text)
    }

    private static func append(
        _ node: Node,
        slack: Int,
        text: inout String.UnicodeScalarView,
        seed: inout Seed
    ) {
        switch node {
        case .sequence(let parts): for part in parts { append(part, slack: slack, text: &text, seed: &seed) }
        case .either(let parts):
            if let part = parts.randomElement(using: &seed) {
                append(part, slack: slack, text: &text, seed: &seed)
            }
        case .repeated(let part, let least, let most):
            let upper = max(least, min(most ?? .max, least + slack))
            for _ in 0..<Int.random(in: least...upper, using: &seed) {
                append(part, slack: slack, text: &text, seed: &seed)
            }
        case .scalars(let ranges, let isNegated):
            if let scalar = scalar(ranges: ranges, isNegated: isNegated, seed: &seed) { text.append(scalar) }
        }
    }

    private static func scalar(ranges: [ClosedRange<UInt32>], isNegated: Bool, seed: inout Seed)
        -> Unicode.Scalar?
    {
        if isNegated {
            let free = (UInt32(0x21)...0x7e).filter { value in !ranges.contains { $0.contains(value) } }
            return free.randomElement(using: &seed).flatMap(Unicode.Scalar.init)
        }
        guard let range = ranges.randomElement(using: &seed) else { return nil }
        // NB: a range may include surrogates, which are not scalars.
        return Unicode.Scalar(UInt32.random(in: range, using: &seed)) ?? Unicode.Scalar(range.lowerBound)
    }
}

extension PatternText {
    private static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
    private static let word: [ClosedRange<UInt32>] = [0x61...0x7a, 0x30...0x39, 0x41...0x5a, 0x5f...0x5f]
    private static let space: [ClosedRange<UInt32>] = [0x20...0x20, 0x09...0x0a, 0x0d...0x0d]
    /// Some characters of a general category.
    private static let properties: [Character: [ClosedRange<UInt32>]] = [
        "L": [0x61...0x7a, 0x41...0x5a], "N": digits, "P": [0x21...0x21, 0x2e...0x2e], "S": [0x2b...0x2b],
        "Z": [0x20...0x20], "M": [0x301...0x301],
    ]
    private static let named: [String: [ClosedRange<UInt32>]] = ["Lu": [0x41...0x5a], "Ll": [0x61...0x7a]]

    /// Reads a pattern from left to right.
    private struct Reader {
        let scalars: [Unicode.Scalar]
        var index = 0

        var isAtEnd: Bool { index == scalars.count }
        private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

        private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            guard next == scalar else { return false }
            index += 1
            return true
        }

        mutating func alternatives() -> Node {
            var all: [Node] = []
            var parts: [Node] = []
            while let scalar = next, scalar != ")" {
                if take("|") {
                    all.append(.sequence(parts))
                    parts = []
                } else if take("^") || take("$") {
                    continue
                } else {
                    parts.append(quantified(node: atom()))
                }
            }
            all.append(.sequence(parts))
            return all.count == 1 ? all[0] : .either(all)
        }

        private mutating func atom() -> Node {
            if take("(") {
                var looksAround = false
                if take("?") { looksAround = !take(":") && (take("=") || take("!")) }
                let inner = alternatives()
                _ = take(")")
                return looksAround ? .sequence([]) : inner
            }
            if take("[") { return characterClass() }
            if take("\\") { return escape() }
            if take(".") { return .scalars(PatternText.word, isNegated: false) }
            guard let scalar = next else { return .sequence([]) }
            index += 1
            return .scalars([scalar.value...scalar.value], isNegated: false)
        }

        private mutating func quantified(node: Node) -> Node {
            var (least, most): (Int, Int?) = (1, 1)
            if take("*") {
                (least, most) = (0, nil)
            } else if take("+") {
                (least, most) = (1, nil)
            } else if take("?") {
                (least, most) = (0, 1)
            } else if take("{") {
                least = number() ?? 0
                most = take(",") ? number() : least
                _ = take("}")
            } else {
                return node
            }
            _ = take("?")
            return .repeated(node, least, most)
        }

        private mutating func number() -> Int? {
            var value: Int?
            while let digit = next.flatMap({ $0.isASCII ? Int(String($0)) : nil }) {
                value = min((value ?? 0) * 10 + digit, 1_000)
                index += 1
            }
            return value
        }

        private mutating func characterClass() -> Node {
            let isNegated = take("^")
            var ranges: [ClosedRange<UInt32>] = []
            while let scalar = next, scalar != "]" {
                let low = member()
                if next == "-", index + 1 < scalars.count, scalars[index + 1] != "]",
                    let from = low.first?.lowerBound
                {
                    index += 1
                    let through = member().first?.lowerBound ?? from
                    ranges.append(from...max(from, through))
                } else {
                    ranges += low
                }
            }
            _ = take("]")
            return .scalars(ranges, isNegated: isNegated)
        }

        private mutating func member() -> [ClosedRange<UInt32>] {
            if take("\\") {
                guard case .scalars(let ranges, false) = escape() else { return [] }
                return ranges
            }
            guard let scalar = next else { return [] }
            index += 1
            return [scalar.value...scalar.value]
        }

        private mutating func escape() -> Node {
            guard let scalar = next else { return .sequence([]) }
            index += 1
            switch scalar {
            case "d": return .scalars(PatternText.digits, isNegated: false)
            case "D": return .scalars(PatternText.digits, isNegated: true)
            case "w": return .scalars(PatternText.word, isNegated: false)
            case "W": return .scalars(PatternText.word, isNegated: true)
            case "s": return .scalars(PatternText.space, isNegated: false)
            case "S": return .scalars(PatternText.space, isNegated: true)
            case "b", "B": return .sequence([])
            case "t": return single(value: 0x09)
            case "n": return single(value: 0x0a)
            case "r": return single(value: 0x0d)
            case "f": return single(value: 0x0c)
            case "v": return single(value: 0x0b)
            case "x": return single(value: hexadecimal(digits: 2))
            case "u": return single(value: hexadecimal(digits: 4))
            case "p", "P": return property(isNegated: scalar == "P")
            default: return single(value: scalar.value)
            }
        }

        private func single(value: UInt32) -> Node { .scalars([value...value], isNegated: false) }

        private mutating func hexadecimal(digits: Int) -> UInt32 {
            let end = min(index + digits, scalars.count)
            let text = scalars[index..<end].map { String($0) }.joined()
            index = end
            return UInt32(text, radix: 16) ?? 0x78
        }

        private mutating func property(isNegated: Bool) -> Node {
            guard take("{"), let end = scalars[index...].firstIndex(of: "}") else { return .sequence([]) }
            let name = scalars[index..<end].map { String($0) }.joined()
            index = end + 1
            let ranges = PatternText.named[name] ?? name.first.flatMap { PatternText.properties[$0] } ?? []
            return .scalars(ranges, isNegated: isNegated)
        }
    }
}
