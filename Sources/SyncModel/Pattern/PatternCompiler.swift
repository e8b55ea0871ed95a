/// Makes the program of a pattern.
struct PatternCompiler {
    private var program: [PatternInstruction] = []

    /// The program of a pattern whose size is bounded.
    static func program(of root: PatternNode) -> [PatternInstruction] {
        var compiler = PatternCompiler()
        compiler.append(root)
        compiler.program.append(.found)
        return compiler.program
    }

    private mutating func append(_ node: PatternNode) {
        switch node {
        case .scalar(let set): program.append(.scalar(set))
        case .assertion(let assertion): program.append(.assertion(assertion))
        case .sequence(let parts): for part in parts { append(part) }
        case .either(let parts): append(either: parts)
        case .repeated(let part, let least, let most):
            guard part.size(most: 1) > 0 else { return }
            for _ in 0..<least { append(part) }
            guard let most else { return append(anyNumberOf: part) }
            append(optional: part, times: most - least)
        }
    }

    private mutating func append(either parts: [PatternNode]) {
        var ends: [Int] = []
        for (index, part) in parts.enumerated() {
            let start = program.count
            let isLast = index == parts.count - 1
            if !isLast { program.append(.jump(start)) }
            append(part)
            guard !isLast else { continue }
            ends.append(program.count)
            program.append(.jump(program.count))
            program[start] = .split(start + 1, program.count)
        }
        for end in ends { program[end] = .jump(program.count) }
    }

    private mutating func append(anyNumberOf part: PatternNode) {
        let start = program.count
        program.append(.jump(start))
        append(part)
        program.append(.jump(start))
        program[start] = .split(start + 1, program.count)
    }

    /// Each further one is optional, and only if the one before it was there.
    private mutating func append(optional part: PatternNode, times: Int) {
        var starts: [Int] = []
        for _ in 0..<times {
            starts.append(program.count)
            program.append(.jump(program.count))
            append(part)
        }
        for start in starts { program[start] = .split(start + 1, program.count) }
    }
}
