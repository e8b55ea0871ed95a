/// Reads a pattern from left to right.
struct PatternParser {
    let scalars: [Unicode.Scalar]
    var index = 0
    private var groupNames: Set<String> = []

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// The next scalar; nil at the end.
    var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    /// Moves behind the next scalar if it is this one.
    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        index += 1
        return true
    }

    /// Moves behind these scalars if they are next.
    mutating func take(all text: String) -> Bool {
        guard scalars[index...].starts(with: text.unicodeScalars) else { return false }
        index += text.unicodeScalars.count
        return true
    }

    /// Reads the whole pattern.
    mutating func pattern() throws(PatternError) -> PatternNode {
        let node = try alternatives(depth: 0)
        if index < scalars.count { throw PatternError("a ')' closes no group", at: index) }
        return node
    }

    private mutating func alternatives(depth: Int) throws(PatternError) -> PatternNode {
        guard depth <= Pattern.maxDepth else { throw PatternError("its groups nest too deep", at: index) }
        var all: [PatternNode] = []
        var parts: [PatternNode] = []
        while let scalar = next, scalar != ")" {
            if take("|") {
                all.append(.sequence(parts))
                parts = []
            } else {
                parts.append(try term(depth: depth))
            }
        }
        all.append(.sequence(parts))
        return all.count == 1 ? all[0] : .either(all)
    }

    /// Reads an atom with its quantifier.
    private mutating func term(depth: Int) throws(PatternError) -> PatternNode {
        if let scalar = next, ["*", "+", "?", "{"].contains(scalar) {
            throw PatternError("'\(scalar)' repeats nothing", at: index)
        }
        let node = try atom(depth: depth)
        let start = index
        guard let count = try quantifier() else { return node }
        if case .assertion = node {
            throw PatternError("'^', '$' or a boundary cannot be repeated", at: start)
        }
        return .repeated(node, least: count.least, most: count.most)
    }

    private mutating func atom(depth: Int) throws(PatternError) -> PatternNode {
        let start = index
        if take("^") { return .assertion(.start) }
        if take("$") { return .assertion(.end) }
        if take(".") { return .scalar(.anyOfLine) }
        if take("(") {
            try groupKind(at: start)
            let node = try alternatives(depth: depth + 1)
            guard take(")") else { throw PatternError("a group is not closed", at: start) }
            return node
        }
        if take("[") { return .scalar(try characterClass(at: start)) }
        if take("\\") {
            switch try escape(inClass: false) {
            case .scalar(let value): return .scalar(ScalarSet([value...value]))
            case .set(let set): return .scalar(set)
            case .boundary(let assertion): return .assertion(assertion)
            }
        }
        guard let scalar = next, scalar != "]", scalar != "}" else {
            throw PatternError("a bracket closes nothing; write it with '\\\\' before it", at: index)
        }
        index += 1
        return .scalar(ScalarSet([scalar.value...scalar.value]))
    }

    /// Reads what follows an opening parenthesis, and refuses all groups that do not merely group.
    private mutating func groupKind(at start: Int) throws(PatternError) {
        guard take("?") else { return }
        if take(":") { return }
        if take("=") || take("!") || take(all: "<=") || take(all: "<!") {
            throw PatternError("looking around is not supported", at: start, kind: .unsupported)
        }
        guard take("<") else {
            throw PatternError(
                "only the groups (...), (?:...) and (?<name>...) are supported",
                at: start,
                kind: .unsupported
            )
        }
        var name = ""
        while let scalar = next, scalar != ">" {
            let isName =
                name.isEmpty ? scalar.properties.isIDStart : scalar.properties.isIDContinue
            guard isName || scalar == "_" || scalar == "$" else {
                throw PatternError("a group's name has other characters than letters and digits", at: index)
            }
            name.unicodeScalars.append(scalar)
            index += 1
        }
        guard take(">"), !name.isEmpty else {
            throw PatternError("a group's name is not complete", at: start)
        }
        if !groupNames.insert(name).inserted { throw PatternError("two groups have one name", at: start) }
    }

    /// Reads `*`, `+`, `?` or a count; nil if there is none.
    private mutating func quantifier() throws(PatternError) -> (least: Int, most: Int?)? {
        let start = index
        let count: (least: Int, most: Int?)
        if take("*") {
            count = (0, nil)
        } else if take("+") {
            count = (1, nil)
        } else if take("?") {
            count = (0, 1)
        } else if take("{") {
            count = try counts(at: start)
        } else {
            return nil
        }
        // A lazy quantifier finds another match, but not another answer.
        _ = take("?")
        if let scalar = next, ["*", "+", "?", "{"].contains(scalar) {
            throw PatternError("a repeat is repeated", at: index)
        }
        return count
    }

    private mutating func counts(at start: Int) throws(PatternError) -> (least: Int, most: Int?) {
        guard let low = number() else {
            throw PatternError("a repeat count is missing behind '{'", at: start)
        }
        var high: Int? = low
        if take(",") { high = number() }
        guard take("}") else { throw PatternError("a repeat count is not closed", at: start) }
        guard low <= high ?? low else {
            throw PatternError("a repeat count is greater than its limit", at: start)
        }
        guard max(low, high ?? 0) <= Pattern.maxRepeat else {
            throw PatternError(
                "a repeat count is greater than \(Pattern.maxRepeat)",
                at: start,
                kind: .unsupported
            )
        }
        return (low, high)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let digit = next.flatMap({ ("0"..."9").contains($0) ? Int($0.value - 0x30) : nil }) {
            value = min((value ?? 0) * 10 + digit, 1_000_000)
            index += 1
        }
        return value
    }
}
