import Foundation
import SyncChecks
import SyncCore
import Testing

/// The keyword `pattern`: ECMA-262 in Unicode mode, in linear time.
@Suite struct PatternTests {
    // MARK: Meaning

    /// Patterns with texts that have them, and texts that have not.
    private static let meanings: [(pattern: String, has: [String], hasNot: [String])] = [
        ("b", ["b", "abc"], ["", "a"]),
        ("^b", ["b", "bc"], ["ab"]),
        ("b$", ["b", "ab"], ["bc", "b\n", "ab\r\n"]),
        ("^a|b$", ["ax", "xb"], ["xa", "bx"]),
        ("^(?:a|b)$", ["a", "b"], ["ab", ""]),
        ("^.$", ["a", "é", "😀", "\u{85}"], ["", "ab", "\n", "\r", "\u{2028}", "\u{2029}", "e\u{301}"]),
        (#"^\d$"#, ["0", "9"], ["٣", "a", "²"]),
        (#"^\D$"#, ["٣", "a"], ["0"]),
        (#"^\w+$"#, ["aZ09_"], ["é", "-", "\u{17F}", "\u{212A}"]),
        (#"^\W$"#, ["é", "-", " "], ["a", "_"]),
        (
            #"^\s$"#,
            [
                "\t", "\n", "\u{0B}", "\u{0C}", "\r", " ", "\u{A0}", "\u{1680}", "\u{2003}", "\u{2028}",
                "\u{FEFF}",
            ],
            ["a", "\u{85}", "\u{180E}", "\u{200B}"]
        ),
        (#"^\S$"#, ["a", "\u{200B}"], [" ", "\u{3000}"]),
        (#"\bcat\b"#, ["cat", "a cat.", "écaté"], ["cats", "_cat"]),
        (#"a\Bb"#, ["ab"], ["a b"]),
        ("^[a-cx]$", ["a", "b", "c", "x"], ["d", "-"]),
        ("^[^a-c]$", ["d", "\n", "é"], ["a"]),
        ("^[-a]$", ["-", "a"], ["b"]),
        (#"^[a\-z]$"#, ["a", "-", "z"], ["b"]),
        (#"^[\d\sx]$"#, ["1", " ", "x"], ["y"]),
        (#"^[^\D]$"#, ["1"], ["a"]),
        (#"^[\b]$"#, ["\u{08}"], ["b"]),
        ("^[[&~]$", ["[", "&", "~"], ["]"]),
        ("^a{2}$", ["aa"], ["a", "aaa"]),
        ("^a{2,}$", ["aa", "aaaa"], ["a"]),
        ("^a{1,3}?$", ["a", "aaa"], ["", "aaaa"]),
        ("^(ab?){2}$", ["aa", "abab", "aba"], ["a", "abb"]),
        ("^(a*)*$", ["", "aaa"], ["b"]),
        ("^(|a)+b$", ["b", "aab"], ["ba"]),
        ("^a{0}$", [""], ["a"]),
        ("^(?<year>[0-9]{4})-(?<month>[0-9]{2})$", ["2025-12"], ["2025-1"]),
        (#"^\u0041\x42\u{43}\cJ$"#, ["ABC\n"], ["ABC"]),
        (#"^\uD83D\uDE00$"#, ["😀"], ["😁"]),
        (#"^[\uD83D\uDE00-\uD83D\uDE02]$"#, ["😁"], ["😅"]),
        (#"^[^\uD800-\uDFFF]*$"#, ["a😀"], []),
        (#"^\p{L}+$"#, ["aéжع"], ["1", "_"]),
        (#"^\p{Lu}\p{Ll}$"#, ["Éa"], ["aÉ"]),
        (#"^\p{Letter}cole$"#, ["École"], ["1cole"]),
        (#"^\p{digit}+$"#, ["42", "٣"], ["-"]),
        (#"^\p{General_Category=Decimal_Number}$"#, ["٣"], ["a"]),
        (#"^\P{L}$"#, ["1", " "], ["a"]),
        (#"^[^\p{L}\d]$"#, ["-"], ["é", "1"]),
        (#"^[\P{Lu}]$"#, ["a", "1"], ["A"]),
        (#"^\p{ASCII}$"#, ["a"], ["é"]),
        (#"^[\p{L}\p{M}']{2,}$"#, ["e\u{301}", "O'"], ["e"]),
        (#"^\+?[0-9 ()\-]{5,20}$"#, ["+49 (0)30-1"], ["1"]),
        ("a||b", ["", "x"], []),
        (#"\."#, ["."], ["a"]),
    ]

    @Test func aPatternMeansWhatECMA262Says() throws {
        for (text, has, hasNot) in Self.meanings {
            let pattern = try Pattern(text)
            for sample in has { #expect(pattern.matches(sample), "\(text) on \(sample.debugDescription)") }
            for sample in hasNot {
                #expect(!pattern.matches(sample), "\(text) not on \(sample.debugDescription)")
            }
        }
    }

    @Test(arguments: [
        ("", PatternError.Kind.invalid, 1), ("(", .invalid, 1), ("a)", .invalid, 2), ("ab[c", .invalid, 3),
        ("[b-a]", .invalid, 2), (#"[\d-a]"#, .invalid, 2), ("*", .invalid, 1), ("a**", .invalid, 3),
        ("^*", .invalid, 2), (#"\b+"#, .invalid, 3), ("a{", .invalid, 2), ("a{2,1}", .invalid, 2),
        ("a}", .invalid, 2), ("a]", .invalid, 2), (#"\q"#, .invalid, 1), (#"a\"#, .invalid, 2),
        (#"\u12"#, .invalid, 1), (#"\u{110000}"#, .invalid, 1), (#"\c1"#, .invalid, 1),
        (#"\pL"#, .invalid, 1),
        ("(?<1>a)", .invalid, 4), ("(?<a>b)(?<a>c)", .invalid, 8),
        ("x(?=a)", .unsupported, 2), ("(?!a)", .unsupported, 1), ("(?<=a)", .unsupported, 1),
        ("(?<!a)", .unsupported, 1), ("(?i:a)", .unsupported, 1), (#"(a)\1"#, .unsupported, 4),
        (#"(?<a>b)\k<a>"#, .unsupported, 8), ("a{1001}", .unsupported, 2),
        ("((a{99}){99}){99}", .unsupported, 1),
        (#"\p{Script=Greek}"#, .unsupported, 1), ("[]", .unsupported, 1), ("[^]", .unsupported, 1),
    ])
    func whatCannotBeMatchedIsRefusedWithItsPlace(text: String, kind: PatternError.Kind, character: Int) {
        let error = #expect(throws: PatternError.self) { _ = try Pattern(text) }
        #expect(error?.kind == kind, "\(text): \(error?.reason ?? "")")
        #expect(error?.character == character, "\(text): \(error?.reason ?? "")")
    }

    // MARK: Time

    private static let slow = [
        "(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*)*x", "(a?){50}a{50}$", #"^(\w+\s?)*$"#, "(x+x+)+y",
        #"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$"#,
    ]

    @Test(arguments: slow)
    func aTextTakesStepsInProportionToItsLength(text: String) throws {
        let pattern = try Pattern(text)
        for length in [1, 42, 400, 4000] {
            for letter in ["a", "x"] {
                let sample = String(repeating: letter, count: length) + "!"
                #expect(!pattern.matches(sample) || text.contains(#"\w"#) == false)
                #expect(pattern.steps(on: sample) <= 2 * pattern.size * (length + 2), "\(text) at \(length)")
            }
        }
    }

    @Test func theWellKnownPatternOfMailAddressesEndsSoon() throws {
        let pattern = try Pattern(Self.slow[Self.slow.count - 1])
        #expect(pattern.matches("first.last@example.org"))
        let text = String(repeating: "a", count: 42)
        #expect(!pattern.matches(text))
        #expect(pattern.steps(on: text) < 5_000)
    }

    @Test func programsAreBounded() throws {
        #expect(try Pattern("a{1000}").size == 1_001)
        #expect(try Pattern("(a{0,99}){0,45}b").size < Pattern.maxInstructions)
        // Nothing, however often, is nothing.
        #expect(try Pattern("((((){1000}){1000}){1000})*a").size == 2)
        let large = ["(a{1000}){10}", "((((((a|b){9}){9}){9}){9}){9})", "(a{0,1000}b{0,1000}){3}"]
        for text in large + ["((a?){1000}){5}"] {
            #expect(throws: PatternError.self, "\(text)") { _ = try Pattern(text) }
        }
        let open = String(repeating: "(", count: 400) + String(repeating: ")", count: 400)
        #expect(throws: PatternError.self) { _ = try Pattern(open) }
    }

    // MARK: Another engine

    @Test func itAgreesWithAnotherEngineWhereBothMeanTheSame() throws {
        var compared = 0
        for number in UInt64(0)..<500 {
            var seed = Seed(number)
            let text = Self.drawn(depth: 2, seed: &seed)
            guard let pattern = try? Pattern(text) else { continue }
            let other = try NSRegularExpression(pattern: text)
            for _ in 0..<8 {
                let letters = (0..<Int.random(in: 0...7, using: &seed)).map { _ in
                    ["a", "b", "1", "_", " "].randomElement(using: &seed) ?? "a"
                }
                let sample = letters.joined()
                let range = NSRange(sample.startIndex..., in: sample)
                let found = other.firstMatch(in: sample, range: range) != nil
                #expect(pattern.matches(sample) == found, "\(text) on '\(sample)', seed \(number)")
                compared += 1
            }
        }
        #expect(compared > 3_000)
    }

    /// A pattern of the parts that both engines have.
    private static func drawn(depth: Int, seed: inout Seed) -> String {
        let atoms = ["a", "b", "1", ".", "[ab]", "[^a]", #"\d"#, #"\w"#, #"\S"#, "[a-b1]"]
        let places = ["^", "$", #"\b"#, #"\B"#]
        // Not on groups: the other engine finds no match where a lazy part can match nothing.
        let lazy = ["*?", "+?", "??"]
        let greedy = ["", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,1}"]
        return (0..<Int.random(in: 1...3, using: &seed)).map { _ in
            let kind = Int.random(in: 0..<10, using: &seed)
            if kind == 0 { return places.randomElement(using: &seed) ?? "" }
            if kind == 1 { return "|" }
            if kind < 5, depth > 0 {
                let group = "(?:" + drawn(depth: depth - 1, seed: &seed) + ")"
                return group + (greedy.randomElement(using: &seed) ?? "")
            }
            let atom = atoms.randomElement(using: &seed) ?? "a"
            return atom + ((greedy + lazy).randomElement(using: &seed) ?? "")
        }.joined()
    }

    // MARK: Patterns that are not matched

    @Test func aPatternThatCannotBeMatchedRefusesNoRecordAndIsNamed() throws {
        let note = EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: [
                FieldDescriptor(name: "id", type: .string(pattern: "^[a-z]+$"), isRequired: true),
                FieldDescriptor(name: "code", type: .string(pattern: "^(?=a)b")),
                FieldDescriptor(
                    name: "home",
                    type: .object([FieldDescriptor(name: "zip", type: .string(pattern: #"(a)\1"#))])
                ),
            ],
            key: ["id"],
            strategy: .lastWriteWins
        )
        var decoder = RecordDecoder(descriptor: note, form: .plain)
        _ = try decoder.record(Array(#"{"id":"a","code":"x","home":{"zip":"ab"}}"#.utf8))
        #expect(throws: FieldError.self) { _ = try decoder.record(Array(#"{"id":"A"}"#.utf8)) }
        #expect(note.layout.patterns.unchecked.map(\.field) == ["code", "home.zip"])
    }
}
