import ProgramRuns
import Testing

@Suite struct ExportTests {
    @Test func sortsByTheBytesOfKeysAndKeepsLookAlikesApart() throws {
        let scratch = try Scratch()
        let keys = ["z", "A", "a", "e\u{301}", "\u{E9}", "\u{1F600}", "\u{FF5E}", "10", "9"]
        try scratch.must(
            arguments: "import",
            "reading",
            "-",
            input: keys.map { "{\"link\":\"\($0)\"}" }.joined(separator: "\n")
        )
        let sorted = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let lines = try scratch.must(arguments: "export", "reading").split(separator: "\n").map {
            Array($0.utf8)
        }
        #expect(lines == sorted.map { Array("{\"link\":\"\($0)\"}".utf8) })
    }

    @Test func printsFieldsInSchemaOrderThenUnknownOnesThenTheMarkOfDeletion() throws {
        let scratch = try Scratch()
        try scratch.must(
            arguments: "put",
            "task",
            "--unknown",
            #"{"zz":1,"deletedAt":null,"aa":{"y":1.50},"state":"s","id":"t"}"#
        )
        let live = #"{"id":"t","state":"s","deletedAt":null,"aa":{"y":1.50},"zz":1}"# + "\n"
        #expect(try scratch.must(arguments: "export", "task") == live)
        #expect(try scratch.must(arguments: "get", "task", "t") == live)
        try scratch.must(arguments: "delete", "task", "t")
        #expect(try scratch.must(arguments: "export", "task") == "")
        let deleted = try scratch.must(arguments: "export", "task", "--include-deleted")
        #expect(deleted.hasPrefix(#"{"id":"t","state":"s","deletedAt":"2"#))
        #expect(deleted.hasSuffix(#","aa":{"y":1.50},"zz":1,"$deleted":true}"# + "\n"))
    }

    @Test func exportsFieldsThatStayOnTheDevice() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try phone.must(arguments: "put", "note", #"{"title":"a","draft":"mine"}"#).trimmed
        try phone.sync()
        try laptop.sync()
        #expect(try object(text: phone.must(arguments: "get", "note", key))["draft"] as? String == "mine")
        #expect(try object(text: laptop.must(arguments: "get", "note", key))["draft"] == nil)
    }

    @Test func showsARecordThatWasMergedIntoAnotherAsDeleted() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let keys = try [
            phone.must(arguments: "put", "note", #"{"title":"same"}"#).trimmed,
            laptop.must(arguments: "put", "note", #"{"title":"same"}"#).trimmed,
        ].sorted()
        try phone.sync()
        try laptop.sync()
        try phone.sync()
        for device in [phone, laptop] {
            let lines = try device.must(arguments: "export", "note").split(separator: "\n")
            #expect(lines.count == 1)
            #expect(lines.first?.contains(keys[0]) == true)
            let all = try device.must(arguments: "export", "note", "--include-deleted").split(separator: "\n")
            #expect(all.count == 2)
            #expect(all.count { $0.contains(#""$deleted":true"#) } == 1)
            #expect(
                try object(text: device.must(arguments: "get", "note", keys[1]))["id"] as? String == keys[0]
            )
        }
    }
}

extension String {
    /// The text without the line feed at its end.
    var trimmed: String { trimmingSuffix(suffix: "\n") }

    private func trimmingSuffix(suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
