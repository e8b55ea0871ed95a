import Foundation

/// Parses regular expressions of the subset that JSON Schema recommends. It reports invalid ones with a clear
/// reason, and keeps unusual syntax away from the regular expression engine, which checks records.
struct PatternCheck {
    /// The most UTF-8 bytes of a pattern.
    static let maxBytes = 1_000
    static let maxGroups = 20
    static let maxRepeat = 1_000

    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var unboundedRepeats = 0
    private var hasRepeatedGroups = false

    private struct Invalid: Error {
        var reason: String
    }

    private init(_ pattern: String) {
        scalars = Array(pattern.unicodeScalars)
    }

    /// The reason why a pattern is invalid; nil if it is valid.
    static func reason(against pattern: String) -> String? {
        guard !pattern.isEmpty else { return "it is empty" }
        guard pattern.utf8.count <= maxBytes else { return "it is longer than \(maxBytes) bytes" }
        var check = PatternCheck(pattern)
        do {
            try check.alternatives(depth: 0)
            if check.index < check.scalars.count { return "a ')' closes no group" }
            _ = try NSRegularExpression(pattern: pattern)
            return nil
        } catch let invalid as Invalid {
            return invalid.reason
        } catch {
            return "the regular expression engine refuses it"
        }
    }

    /// Whether matching a valid pattern against a text always ends soon: the text is short, and repeats are
    /// few and not nested. A pattern such as `(a+)+$` may otherwise take for ever.
    static func isQuick(pattern: String, text: String) -> Bool {
        guard reason(against: pattern) == nil, text.utf8.count <= maxBytes else { return false }
        var check = PatternCheck(pattern)
        guard (try? check.alternatives(depth: 0)) != nil else { return false }
        return check.unboundedRepeats <= 2 && !check.hasRepeatedGroups
    }

    private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        index += 1
        return true
    }

    private mutating func alternatives(depth: Int) throws {
        guard depth <= Self.maxGroups else { throw Invalid(reason: "its groups nest too deep") }
        while let scalar = next, scalar != ")" {
            if take("|") || take("^") || take("$") { continue }
            if ["*", "+", "?", "{"].contains(scalar) { throw Invalid(reason: "'\(scalar)' repeats nothing") }
            let isGroup = scalar == "("
            let canRepeat = try atom(depth: depth)
            let start = index
            try quantifier()
            guard index > start else { continue }
            if !canRepeat { throw Invalid(reason: "a look-around or boundary cannot be repeated") }
            if isGroup { hasRepeatedGroups = true }
        }
    }

    /// Parses an atom. Returns false if it matches no text and so cannot be repeated.
    private mutating func atom(depth: Int) throws -> Bool {
        if take("(") {
            let isLookAround = try groupKind()
            try alternatives(depth: depth + 1)
            guard take(")") else { throw Invalid(reason: "a group is not closed") }
            return !isLookAround
        }
        if take("[") {
            try characterClass()
            return true
        }
        if take("\\") { return try escape(inClass: false) != .boundary }
        if next == "]" || next == "}" {
            throw Invalid(reason: "a bracket closes nothing; write it with '\\\\' before it")
        }
        index += 1
        return true
    }

    private mutating func groupKind() throws -> Bool {
        guard take("?") else { return false }
        if take(":") { return false }
        if take("=") || take("!") { return true }
        throw Invalid(reason: "only the groups (...), (?:...), (?=...) and (?!...) are supported")
    }

    private mutating func quantifier() throws {
        if take("*") || take("+") {
            unboundedRepeats += 1
        } else if take("{") {
            guard let low = number() else { throw Invalid(reason: "a repeat count is missing behind '{'") }
            var high: Int? = low
            if take(",") { high = number() }
            guard take("}") else { throw Invalid(reason: "a repeat count is not closed") }
            guard low <= high ?? low else {
                throw Invalid(reason: "a repeat count is greater than its limit")
            }
            guard max(low, high ?? 0) <= Self.maxRepeat else {
                throw Invalid(reason: "a repeat count is greater than \(Self.maxRepeat)")
            }
            if high == nil || high != low { unboundedRepeats += 1 }
        } else if !take("?") {
            return
        }
        _ = take("?")
        if let scalar = next, ["*", "+", "?", "{"].contains(scalar) {
            throw Invalid(reason: "a repeat is repeated")
        }
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let digit = next.flatMap({ $0.isASCII ? Int(String($0)) : nil }) {
            value = min((value ?? 0) * 10 + digit, 1_000_000)
            index += 1
        }
        return value
    }

    private mutating func characterClass() throws {
        _ = take("^")
        var isEmpty = true
        while let scalar = next, scalar != "]" {
            isEmpty = false
            let low = try classMember()
            guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else { continue }
            index += 1
            let high = try classMember()
            guard case .scalar(let from) = low, case .scalar(let through) = high else {
                throw Invalid(reason: "a range in a character class needs a character on both sides")
            }
            if from.value > through.value {
                throw Invalid(reason: "a range in a character class runs backwards")
            }
            _ = scalar
        }
        guard take("]") else { throw Invalid(reason: "a character class is not closed") }
        if isEmpty { throw Invalid(reason: "a character class is empty") }
    }

    private mutating func classMember() throws -> Escape {
        if take("\\") { return try escape(inClass: true) }
        guard let scalar = next else { throw Invalid(reason: "a character class is not closed") }
        if scalar == "[" { throw Invalid(reason: "write '[' inside of a character class as '\\\\['") }
        if scalar == "&" || scalar == "~" || scalar == "-", index + 1 < scalars.count,
            scalars[index + 1] == scalar
        {
            throw Invalid(
                reason: "a doubled '\(scalar)' in a character class has a special meaning; write it once"
            )
        }
        index += 1
        return .scalar(scalar)
    }

    private enum Escape: Equatable {
        case scalar(Unicode.Scalar), set, boundary
    }

    private mutating func escape(inClass: Bool) throws -> Escape {
        guard let scalar = next else { throw Invalid(reason: "it ends in a '\\\\'") }
        index += 1
        switch scalar {
        case "d", "D", "w", "W", "s", "S": return .set
        case "b" where !inClass, "B" where !inClass: return .boundary
        case "t": return .scalar("\t")
        case "n": return .scalar("\n")
        case "r": return .scalar("\r")
        case "f": return .scalar("\u{0C}")
        case "v": return .scalar("\u{0B}")
        case "x": return .scalar(try hexadecimal(digits: 2))
        case "u": return .scalar(try hexadecimal(digits: 4))
        case "p", "P": return try property()
        case _ where scalar.isASCII && !scalar.properties.isAlphabetic && Int(String(scalar)) == nil:
            return .scalar(scalar)
        default: throw Invalid(reason: "the escape '\\\\\(String(scalar).visible)' is not supported")
        }
    }

    private mutating func hexadecimal(digits: Int) throws -> Unicode.Scalar {
        let text = scalars[index..<min(index + digits, scalars.count)].map { String($0) }.joined()
        guard text.utf8.count == digits, text.allSatisfy(\.isHexDigit),
            let scalar = UInt32(text, radix: 16).flatMap(Unicode.Scalar.init)
        else { throw Invalid(reason: "a hexadecimal escape is not complete") }
        index += digits
        return scalar
    }

    /// Parses a general category such as `\p{L}` or `\p{Lu}`.
    private mutating func property() throws -> Escape {
        let known: Set<String> = [
            "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd",
            "Ps",
            "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp",
        ]
        guard take("{"), let end = scalars[index...].firstIndex(of: "}") else {
            throw Invalid(reason: "a property is written \\\\p{L}")
        }
        let name = scalars[index..<end].map { String($0) }.joined()
        guard known.contains(name) else {
            throw Invalid(reason: "the property \(name.quoted) is not supported")
        }
        index = end + 1
        return .set
    }
}
