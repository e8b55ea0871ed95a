import Testing

@testable import SyncInspector
@testable import SyncPages

@Suite struct ShownValueTests {
    private func shown(_ json: String, against other: String? = nil) -> String {
        ShownValue(json: json).markup(against: other.map { ShownValue(json: $0) }).html
    }

    @Test func textsAreShownAsTextAndOtherValuesAsCode() {
        #expect(shown(#""a \"b\" \u00e9""#) == #"<bdi class="text">a &quot;b&quot; é</bdi>"#)
        #expect(shown("12.50") == "<code>12.50</code>")
        #expect(shown("null") == "<code>null</code>")
        #expect(shown(#""null""#) == #"<bdi class="text">null</bdi>"#)
        #expect(shown(#""""#).contains("(empty text)"))
    }

    @Test func onlyWhatDiffersIsMarked() {
        #expect(shown(#""one two three""#, against: #""one 2 three""#).contains("one <mark>two</mark> three"))
        #expect(!shown(#""same""#, against: #""same""#).contains("<mark>"))
        #expect(shown(#""now lost""#, against: #""now kept""#).contains(">now <mark>lost</mark><"))
        #expect(shown(#""a b""#, against: #""a""#).contains(">a<mark> b</mark><"))
        #expect(shown(#""a""#, against: #""a b""#) == #"<bdi class="text">a</bdi>"#)
        #expect(shown(#""aa""#, against: #""a""#).contains("><mark>aa</mark><"))
    }

    @Test func aDifferenceFarInsideALongTextIsShown() {
        let (before, after) = (
            String(repeating: "b", count: 5000) + " ", " " + String(repeating: "a", count: 5000)
        )
        let text = shown("\"\(before)X\(after)\"", against: "\"\(before)Y\(after)\"")
        #expect(text.contains("<mark>X</mark>"))
        #expect(text.contains("4,961 characters before") && text.contains("4,961 more characters"))
        #expect(text.utf8.count < 400)
    }

    @Test func numbersAndSizesAreReadable() {
        #expect(
            [0, 999, 1000, 1_234_567, -4321].map(PageWords.number) == [
                "0", "999", "1,000", "1,234,567", "-4,321",
            ]
        )
        #expect(
            [0, 999, 1000, 1549, 1550, 99_949, 123_500, 5_000_000].map { PageWords.size(bytes: $0) } == [
                "0 bytes", "999 bytes", "1 kB", "1.5 kB", "1.6 kB", "99.9 kB", "124 kB", "5 MB",
            ]
        )
        #expect(
            PageWords.count(1, noun: "entry") == "1 entry" && PageWords.count(2, noun: "entry") == "2 entries"
        )
        #expect(PageWords.duration(microseconds: 1_234_567) == "1.2 s")
        #expect(PageWords.age(microseconds: -5) == "0 s")
    }
}
