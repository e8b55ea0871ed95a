import ProgramRuns
import Testing

@Suite struct JournalTests {
    /// Two devices that raced for one task; the laptop was later and decided.
    private func race(_ phone: ScratchDevice, _ laptop: ScratchDevice) throws {
        try phone.must("put", "task", #"{"id":"t","state":"base"}"#)
        try phone.sync()
        try laptop.sync()
        try phone.must("put", "task", #"{"id":"t","state":"early"}"#)
        try laptop.must("put", "task", #"{"id":"t","state":"late"}"#)
        try phone.sync()
        try laptop.sync()
        try phone.sync()
    }

    @Test func keepsTheLoserWhereItWasDecided() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device("phone"), scratch.device("laptop"))
        try race(phone, laptop)
        #expect(try phone.must("export", "task") == laptop.must("export", "task"))
        let entries = try objects(laptop.must("journal", "--json"))
        try #require(entries.count == 1)
        #expect(Set(entries[0].keys) == ["id", "entity", "key", "at", "rule", "kept", "lost"])
        #expect(entries[0]["rule"] as? String == "last-write-wins")
        #expect(entries[0]["key"] as? String == "t")
        #expect((entries[0]["kept"] as? [String: Any])?["state"] as? String == "late")
        #expect((entries[0]["lost"] as? [String: Any])?["state"] as? String == "early")
        #expect(try laptop.must("journal").contains("  state\n    kept  \"late\"\n    lost  \"early\"\n"))
        #expect(try laptop.must("explain", "task", "t").contains("\njournal\n"))
    }

    @Test func bringsTheLoserBack() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device("phone"), scratch.device("laptop"))
        try race(phone, laptop)
        let id = try #require(try objects(laptop.must("journal", "--json"))[0]["id"] as? String)
        #expect(try laptop.must("restore", id) == "t\n")
        try laptop.sync()
        try phone.sync()
        #expect(try phone.must("get", "task", "t") == #"{"id":"t","state":"early"}"# + "\n")
        #expect(try laptop.run("restore", "nothing").exitCode == 1)
    }
}
