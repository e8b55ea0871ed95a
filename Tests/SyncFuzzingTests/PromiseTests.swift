import SyncFuzzing
import Testing

/// Tests of the promises: a reader or writer that breaks one is detected.
@Suite struct PromiseTests {
    private struct Refused: Error {}

    /// Decimal digits, with a reader that accepts the same texts as `Int`.
    private func form(write: @escaping (Int) -> String) -> RoundTrip<Int> {
        RoundTrip(
            form: "a number",
            read: { bytes in
                guard let value = Int(String(decoding: bytes, as: UTF8.self)) else { throw Refused() }
                return value
            },
            write: { Array(write($0).utf8) }
        )
    }

    private func broken(form: RoundTrip<Int>, text: String) -> PromiseViolation.Kind? {
        do {
            try form.check(Array(text.utf8))
            return nil
        } catch { return (error as? PromiseViolation)?.kind }
    }

    @Test func aFormThatReadsBackKeepsItsPromise() throws {
        let form = form { String($0) }
        #expect(try form.check(Array("+07".utf8)))
        #expect(try form.check(Array("seven".utf8)) == false)
    }

    @Test func aWriterThatWritesWhatItsReaderRefusesIsNoticed() {
        #expect(broken(form: form { "\($0)." }, text: "7") == .writtenIsRefused)
    }

    @Test func aWriterThatLosesSomethingIsNoticed() {
        #expect(broken(form: form { String($0 / 10) }, text: "70") == .writtenReadsOtherwise)
        #expect(broken(form: form { String($0 / 10) }, text: "0") == nil)
    }

    @Test func aWriterThatWritesOneValueInTwoWaysIsNoticed() {
        var count = 0
        #expect(
            broken(
                form: form { value in
                    count += 1
                    return String(repeating: "0", count: count) + String(value)
                },
                text: "7"
            ) == .writtenDiffers
        )
    }

    @Test func aPromiseThatIsBrokenWhileReadingIsNotTakenForARefusal() {
        let promise = PromiseViolation(kind: .nameRepeated, of: "a number")
        let form = RoundTrip<Int>(form: "a number", read: { _ in throw promise }, write: { _ in [] })
        #expect(broken(form: form, text: "7") == .nameRepeated)
    }

    @Test func aReplayNamesTheInputAndThePromiseThatItBreaks() {
        let replay = Replay { bytes in
            guard bytes != [2] else { throw PromiseViolation(kind: .cutIsAccepted, of: "a number") }
            return true
        }
        let findings = replay.findings(inputs: [("one", [1]), ("two", [2])])
        #expect(findings.map(\.name) == ["two"])
        #expect(findings.map(\.words) == ["a number: a cut-off text is accepted"])
    }
}
