import Testing

@testable import SyncInspector
@testable import SyncPages

@Suite struct MarkupTests {
    @Test func aTextCannotLeaveItsElementOrItsAttribute() {
        let text = #"</script><img src=x onerror="alert(1)">' & more"#
        let markup: Markup = "<p title=\"\(text)\">\(text)</p>"
        #expect(!markup.html.contains("<img"))
        #expect(!markup.html.contains("</script>"))
        #expect(
            markup.html.hasPrefix(
                "<p title=\"&lt;/script&gt;&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39; &amp; more\">"
            )
        )
    }

    @Test func whatCannotBeSeenIsWrittenOut() {
        let markup: Markup = "\("a\u{202E}b\u{0}c\u{9B}d\u{FFFE}e\u{2028}f\rg")"
        #expect(markup.html == #"a\u{202e}b\u{0}c\u{9b}d\u{fffe}e\u{2028}f\u{d}g"#)
    }

    @Test func writingOfAnyScriptStaysAsItIs() {
        let text = "שלום 👨‍👩‍👧 été\n\tक्षि"
        let markup: Markup = "\(text)"
        #expect(markup.html == text)
    }
}
