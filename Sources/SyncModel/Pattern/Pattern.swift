/// A regular expression of ECMA-262 in Unicode mode, the language of JSON Schema's `pattern`. It matches a text that
/// has it anywhere, in time that grows with the text's length alone, whatever text and pattern are.
///
/// All positions of the pattern that the text so far may stand at are followed at once (Thompson's construction), so
/// nothing is tried twice. Back-references and looking around cannot be matched so, and are refused.
package struct Pattern: Sendable {
    /// The most UTF-8 bytes of a pattern.
    package static let maxBytes = 1_000
    /// The deepest nesting of groups.
    static let maxDepth = 20
    /// The greatest repeat count.
    static let maxRepeat = 1_000
    /// The most instructions of a program.
    package static let maxInstructions = 10_000

    /// The pattern as a tree.
    package let root: PatternNode
    private let program: [PatternInstruction]

    /// Reads a pattern.
    package init(_ text: String) throws(PatternError) {
        guard !text.isEmpty else { throw PatternError("it is empty", at: 0) }
        guard text.utf8.count <= Self.maxBytes else {
            throw PatternError("it is longer than \(Self.maxBytes) bytes", at: 0)
        }
        var parser = PatternParser(text)
        root = try parser.pattern()
        guard root.size(most: Self.maxInstructions) < Self.maxInstructions else {
            throw PatternError("its repeats are too large together", at: 0, kind: .unsupported)
        }
        program = PatternCompiler.program(of: root)
    }

    /// How many instructions it has.
    package var size: Int { program.count }

    /// Whether a text has the pattern anywhere.
    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches(utf8: $0) }
    }

    /// The same for valid UTF-8.
    package func matches(utf8 text: UnsafeBufferPointer<UInt8>) -> Bool {
        var run = PatternRun(program)
        return run.matches(text)
    }

    /// How many instructions a text takes.
    package func steps(on text: String) -> Int {
        var run = PatternRun(program)
        var text = text
        _ = text.withUTF8 { run.matches($0) }
        return run.steps
    }
}

/// A step of a pattern's program. Without a jump, the next one follows.
enum PatternInstruction: Sendable {
    /// Takes a scalar of a set.
    case scalar(ScalarSet)
    /// Goes on only if the condition holds.
    case assertion(PatternAssertion)
    /// Goes on at both places.
    case split(Int, Int)
    /// Goes on at another place.
    case jump(Int)
    /// The pattern is found.
    case found
}
