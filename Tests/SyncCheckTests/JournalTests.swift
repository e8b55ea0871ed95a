import ProgramRuns
import Testing

@Suite struct JournalTests {
    /// Two devices that edited one task concurrently; the laptop's later edit won.
    private func race(phone: ScratchDevice, laptop: ScratchDevice) throws {
        try phone.must(arguments: "put", "task", #"{"id":"t","state":"base"}"#)
        try phone.sync()
        try laptop.sync()
        try phone.must(arguments: "put", "task", #"{"id":"t","state":"early"}"#)
        try laptop.must(arguments: "put", "task", #"{"id":"t","state":"late"}"#)
        try phone.sync()
        try laptop.sync()
        try phone.sync()
    }

    @Test func keepsTheLoserWhereItWasDecided() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        try race(phone: phone, laptop: laptop)
        #expect(try phone.must(arguments: "export", "task") == laptop.must(arguments: "export", "task"))
        let entries = try objects(text: laptop.must(arguments: "journal", "--json"))
        try #require(entries.count == 1)
        #expect(Set(entries[0].keys) == ["id", "entity", "key", "at", "rule", "kept", "lost"])
        #expect(entries[0]["rule"] as? String == "last-write-wins")
        #expect(entries[0]["key"] as? String == "t")
        #expect((entries[0]["kept"] as? [String: Any])?["state"] as? String == "late")
        #expect((entries[0]["lost"] as? [String: Any])?["state"] as? String == "early")
        #expect(
            try laptop.must(arguments: "journal").contains(
                "  state\n    kept  \"late\"\n    lost  \"early\"\n"
            )
        )
        #expect(try laptop.must(arguments: "explain", "task", "t").contains("\njournal\n"))
    }

    @Test func bringsTheLoserBack() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        try race(phone: phone, laptop: laptop)
        let id = try #require(
            try objects(text: laptop.must(arguments: "journal", "--json"))[0]["id"] as? String
        )
        #expect(try laptop.must(arguments: "restore", id) == "t\n")
        try laptop.sync()
        try phone.sync()
        #expect(try phone.must(arguments: "get", "task", "t") == #"{"id":"t","state":"early"}"# + "\n")
        #expect(try laptop.run(arguments: "restore", "nothing").exitCode == 1)
    }
}
