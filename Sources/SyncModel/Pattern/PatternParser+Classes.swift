/// Character classes and escapes.
extension PatternParser {
    /// What a backslash and what follows it stand for.
    enum Escape {
        /// A scalar value, which may be a surrogate.
        case scalar(UInt32)
        /// A set such as `\d`.
        case set(ScalarSet)
        /// `\b` or `\B`.
        case boundary(PatternAssertion)
    }

    /// Reads a class behind its bracket.
    mutating func characterClass(at start: Int) throws(PatternError) -> ScalarSet {
        let isNegated = take("^")
        var set = ScalarSet()
        var isEmpty = true
        while let scalar = next, scalar != "]" {
            isEmpty = false
            let place = index
            let low = try classMember(at: start)
            guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else {
                switch low {
                case .scalar(let value): set = set.union(ScalarSet([value...value]))
                case .set(let other): set = set.union(other)
                case .boundary: break
                }
                continue
            }
            index += 1
            let high = try classMember(at: start)
            guard case .scalar(let from) = low, case .scalar(let through) = high else {
                throw PatternError("a range in a character class needs a character on both sides", at: place)
            }
            if from > through { throw PatternError("a range in a character class runs backwards", at: place) }
            set = set.union(ScalarSet([from...through]))
        }
        guard take("]") else { throw PatternError("a character class is not closed", at: start) }
        if isEmpty { throw PatternError("a character class is empty", at: start, kind: .unsupported) }
        return isNegated ? set.inverted : set
    }

    private mutating func classMember(at start: Int) throws(PatternError) -> Escape {
        if take("\\") { return try escape(inClass: true) }
        guard let scalar = next else { throw PatternError("a character class is not closed", at: start) }
        index += 1
        return .scalar(scalar.value)
    }

    /// Reads an escape behind its backslash.
    mutating func escape(inClass: Bool) throws(PatternError) -> Escape {
        let start = index - 1
        guard let scalar = next else { throw PatternError("it ends in a '\\\\'", at: start) }
        index += 1
        switch scalar {
        case "d": return .set(.digits)
        case "D": return .set(.digits.complement)
        case "w": return .set(.word)
        case "W": return .set(.word.complement)
        case "s": return .set(.space)
        case "S": return .set(.space.complement)
        case "b": return inClass ? .scalar(0x08) : .boundary(.boundary)
        case "B" where !inClass: return .boundary(.noBoundary)
        case "t": return .scalar(0x09)
        case "n": return .scalar(0x0A)
        case "v": return .scalar(0x0B)
        case "f": return .scalar(0x0C)
        case "r": return .scalar(0x0D)
        case "c": return .scalar(try control(at: start))
        case "x": return .scalar(try hexadecimal(digits: 2, at: start))
        case "u": return .scalar(try codePoint(at: start))
        case "p", "P": return .set(try property(isNegated: scalar == "P", at: start))
        case "0" where !(next.map { ("0"..."9").contains($0) } ?? false): return .scalar(0)
        case "1"..."9", "k":
            throw PatternError("a back-reference is not supported", at: start, kind: .unsupported)
        case _ where scalar.isASCII && !scalar.properties.isAlphabetic && scalar != "0":
            return .scalar(scalar.value)
        default:
            throw PatternError("the escape '\\\\\(Self.visible(scalar))' is not supported", at: start)
        }
    }

    /// Reads the letter of `\cJ`.
    private mutating func control(at start: Int) throws(PatternError) -> UInt32 {
        guard let letter = next, letter.isASCII, letter.properties.isAlphabetic else {
            throw PatternError("a control character is written \\\\cJ", at: start)
        }
        index += 1
        return letter.value & 0x1F
    }

    /// Reads the digits of `\u{1F600}`, `\u0041`, or two surrogates that stand for one scalar.
    private mutating func codePoint(at start: Int) throws(PatternError) -> UInt32 {
        if take("{") {
            let digits = scalars[index...].prefix { $0 != "}" }
            index += digits.count
            let text = String(String.UnicodeScalarView(digits))
            guard take("}"), text.utf8.count <= 12, text.allSatisfy(\.isHexDigit),
                let value = UInt32(text, radix: 16), value <= 0x10FFFF
            else { throw PatternError("a hexadecimal escape is not complete", at: start) }
            return value
        }
        let high = try hexadecimal(digits: 4, at: start)
        let place = index
        guard (0xD800...0xDBFF).contains(high), take(all: "\\u"),
            let low = try? hexadecimal(digits: 4, at: place), (0xDC00...0xDFFF).contains(low)
        else {
            index = place
            return high
        }
        return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
    }

    private mutating func hexadecimal(digits: Int, at start: Int) throws(PatternError) -> UInt32 {
        let text = String(String.UnicodeScalarView(scalars[index...].prefix(digits)))
        guard text.utf8.count == digits, text.allSatisfy(\.isHexDigit), let value = UInt32(text, radix: 16)
        else { throw PatternError("a hexadecimal escape is not complete", at: start) }
        index += digits
        return value
    }

    /// Reads a property such as `\p{L}`, `\p{Uppercase_Letter}` or `\p{ASCII}`.
    private mutating func property(isNegated: Bool, at start: Int) throws(PatternError) -> ScalarSet {
        guard take("{"), let end = scalars[index...].firstIndex(of: "}") else {
            throw PatternError("a property is written \\\\p{L}", at: start)
        }
        let name = String(String.UnicodeScalarView(scalars[index..<end]))
        index = end + 1
        let set: ScalarSet
        switch name {
        case "Any": set = ScalarSet([0...0x10FFFF])
        case "ASCII": set = ScalarSet([0...0x7F])
        default:
            guard let categories = CategorySet(named: name) else {
                throw PatternError(
                    "the property '\(name.unicodeScalars.map(Self.visible).joined())' is not supported",
                    at: start,
                    kind: .unsupported
                )
            }
            return ScalarSet(categories: isNegated ? categories.inverted : categories)
        }
        return isNegated ? set.complement : set
    }

    /// A scalar as a message shows it.
    private static func visible(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
            "U+" + String(scalar.value, radix: 16, uppercase: true)
        default: String(scalar)
        }
    }
}

extension ScalarSet {
    /// All scalars outside of the set's ranges, as ranges, so that it can be united with others.
    fileprivate var complement: ScalarSet {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { gaps.append(next...(range.lowerBound - 1)) }
            next = max(next, range.upperBound + 1)
        }
        if next <= 0x10FFFF { gaps.append(next...0x10FFFF) }
        return ScalarSet(gaps)
    }
}
