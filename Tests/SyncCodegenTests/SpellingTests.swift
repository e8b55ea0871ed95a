import SyncSchema
import Testing

@testable import SyncCodegen

@Suite struct SpellingTests {
    @Test func stringLiteralsCannotBeLeftOrInterpolated() {
        #expect(Swift.string("a\"b") == #""a\"b""#)
        #expect(Swift.string(#"\(x)"#) == #""\\(x)""#)
        #expect(Swift.string("a\nb\r\tc\u{0}") == #""a\nb\r\tc\u{0}""#)
        #expect(Swift.string("\u{2028}\u{202e}\u{feff}") == #""\u{2028}\u{202e}\u{feff}""#)
    }

    @Test func stringLiteralsKeepTheSpellingOfLetters() {
        #expect(Swift.string("é").unicodeScalars.count == 3)
        #expect(Swift.string("e\u{301}") == #""e\u{301}""#)
        #expect(Swift.string("\u{301}") == #""\u{301}""#)
    }

    @Test func longLiteralsAreCutBetweenSpellings() {
        let chunks = Swift.chunks(text: String(repeating: "\u{202e}", count: 9), width: 20)
        #expect(chunks.count == 5)
        #expect(chunks.dropLast().allSatisfy { $0.hasSuffix("}\\") })
        #expect(chunks.last?.hasSuffix("}") == true)
    }

    @Test func commentsCannotBeLeft() {
        #expect(Swift.lines(text: "a\nb\r\nc\u{2028}d\u{85}e") == ["a", "b", "c", "d", "e"])
        #expect(Swift.lines(text: "*/ let x = 1 /*") == ["*/ let x = 1 /*"])
        #expect(Swift.lines(text: "\u{202e}a\u{0}") == ["\\u{202e}a\\u{0}"])
        #expect(Swift.lines(text: "  many \t spaces  ") == ["many spaces"])
    }

    @Test func commentsAreWrappedAtWordsWhetherTheirLettersAreASCIIOrNot() {
        func lines(text: String) -> [String] {
            var code = CodeWriter()
            code.document(paragraphs: [text])
            return code.text.split(separator: "\n").map(String.init)
        }
        for length in 1...40 {
            let words = (0..<60).map { String(repeating: "a", count: 1 + $0 * length % (length * 3)) }
            let text = words.joined(separator: length % 2 == 0 ? " " : "  ")
            let wrapped = lines(text: text)
            // One letter of another script takes the way that counts characters.
            #expect(
                lines(text: text.replacing("a", with: "é")) == wrapped.map { $0.replacing("a", with: "é") }
            )
            #expect(wrapped.allSatisfy { $0.count <= Swift.lineLength })
        }
    }

    @Test func longWordsInCommentsAreCutToTheWidthOfALine() {
        var code = CodeWriter()
        code.document(paragraphs: [String(repeating: "x", count: 300)])
        let lines = code.text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.hasPrefix("/// x") && $0.count <= Swift.lineLength })
    }

    @Test func keywordsStandInBackquotes() {
        #expect(Swift.name("class") == "`class`")
        #expect(Swift.name("surahNumber") == "surahNumber")
    }

    @Test func callsThatDoNotFitHaveOneArgumentPerLine() {
        let long = Code.string(String(repeating: "x", count: 60))
        let call = Code.call("f", [.init(label: "a", long), .init(label: nil, .list([long]))])
        let lines = call.lines(prefix: "let y = ", level: 0)
        #expect(lines.map { String($0.prefix(8)) } == ["let y = ", "    a: \"", "    [\"xx", ")"])
    }

    /// An entity of such a name would hide what generated code uses.
    @Test func noEntityCanHideWhatGeneratedCodeUses() {
        let missing = Runtime.typeNames.filter { !SwiftNames.reservedTypes.contains($0) }
        #expect(missing.isEmpty)
    }
}
