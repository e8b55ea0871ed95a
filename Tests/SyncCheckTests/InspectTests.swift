import Foundation
import ProgramRuns
import Testing

@Suite struct InspectTests {
    /// A laptop with a conflict, a lost value and a waiting edit. Returns the key of the note in conflict.
    private func prepare(phone: ScratchDevice, laptop: ScratchDevice) throws -> String {
        let key = try phone.must(arguments: "put", "note", #"{"title":"a","body":"base"}"#).trimmed
        try phone.must(arguments: "put", "task", #"{"id":"t","state":"open"}"#)
        try phone.sync()
        try laptop.sync()
        for (device, text) in [(phone, "phone"), (laptop, "laptop")] {
            try device.must(arguments: "put", "note", #"{"id":"\#(key)","body":"\#(text)"}"#)
            try device.must(arguments: "put", "task", #"{"id":"t","state":"\#(text)"}"#)
        }
        try phone.sync()
        try laptop.sync()
        try laptop.must(arguments: "put", "reading", #"{"link":"later"}"#)
        return key
    }

    /// The commands on a page that hold a word, as a shell would see them.
    private func commands(on page: String, with word: String) -> [String] {
        page.matches(of: /<pre class="command"><code>([^<]*)</).map { String($0.output.1) }
            .map {
                $0.replacing("&lt;", with: "<").replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
                    .replacing("&amp;", with: "&")
            }
            .filter { $0.contains(word) }
    }

    /// Runs a command of a page in the scratch folder with the built program.
    private func run(_ command: String, in scratch: Scratch) throws -> Run {
        try Child(
            program: URL(fileURLWithPath: "/bin/bash"),
            arguments: ["-c", "synccheck() { \"$0\" \"$@\"; }; \(command)", Tool.program.path],
            in: scratch.folder
        ).wait()
    }

    @Test func theCommandsOfThePageDoWhatTheySay() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "lap top"))
        let key = try prepare(phone: phone, laptop: laptop)
        try laptop.must(arguments: "inspect", "--output", "page.html")
        let file = scratch.folder.appendingPathComponent("page.html")
        let page = try String(contentsOf: file, encoding: .utf8)
        let keep = try #require(commands(on: page, with: "--keep local").first)
        let resolved = try run(keep, in: scratch)
        #expect(resolved.exitCode == 0, "\(resolved.error)")
        let restored = try run(try #require(commands(on: page, with: " restore ").first), in: scratch)
        #expect(restored.exitCode == 0, "\(restored.error)")
        let synced = try run(try #require(commands(on: page, with: " sync ").first), in: scratch)
        #expect(synced.exitCode == 0, "\(synced.error)")
        try phone.sync()
        #expect(try object(text: phone.must(arguments: "get", "note", key))["body"] as? String == "laptop")
        #expect(try object(text: phone.must(arguments: "get", "task", "t"))["state"] as? String == "phone")
        let after = try laptop.must(arguments: "inspect")
        #expect(after.contains("<h2 id=\"verdict-title\">All is well.</h2>"))
    }

    @Test func aDraftOfAnOwnValueCanBeUsedAsItIs() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try prepare(phone: phone, laptop: laptop)
        let page = try laptop.must(arguments: "inspect")
        let draft = try #require(commands(on: page, with: "--with").first)
        let both = draft.replacing("\"laptop\"", with: "\"both\"")
        #expect(both != draft)
        let run = try run(both, in: scratch)
        #expect(run.exitCode == 0, "\(run.error)")
        #expect(try object(text: laptop.must(arguments: "get", "note", key))["body"] as? String == "both")
    }

    @Test func aCommandOfAnOldPageIsRefusedOnceTheRemoteHasMovedOn() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try prepare(phone: phone, laptop: laptop)
        let page = try laptop.must(arguments: "inspect")
        try phone.must(arguments: "put", "note", #"{"id":"\#(key)","body":"later"}"#)
        try phone.sync()
        try laptop.sync()
        let run = try run(try #require(commands(on: page, with: "--keep local").first), in: scratch)
        #expect(run.exitCode == 65)
    }

    @Test func withoutAFileThePageGoesToStandardOutput() throws {
        let scratch = try Scratch()
        let phone = scratch.device(name: "phone")
        try phone.must(arguments: "put", "task", #"{"id":"t","state":"open"}"#)
        let run = try phone.run(arguments: "inspect")
        #expect(run.exitCode == 0 && run.error == "")
        #expect(run.output.hasPrefix("<!DOCTYPE html>\n") && run.output.hasSuffix("</html>\n"))
        let quiet = try phone.must(arguments: "inspect", "--output", "page.html")
        #expect(quiet == "")
    }

    @Test func aRecordThatIsNamedComesFirst() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        _ = try prepare(phone: phone, laptop: laptop)
        let page = try laptop.must(arguments: "inspect", "task", "t")
        let history = try #require(page.range(of: "id=\"history-0\""))
        #expect(page[history.upperBound...].prefix(200).contains("<bdi class=\"key\">t</bdi>"))
        #expect(page.contains("<details open>"))
        let unknown = try laptop.run(arguments: "inspect", "task", "nobody", "--output", "x.html")
        #expect(unknown.exitCode == 1)
        #expect(unknown.errorLines.first == "error: There is no task record with that key.")
        #expect(!scratch.exists(path: "x.html"))
    }

    @Test func readingChangesNoByteOfTheStore() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        _ = try prepare(phone: phone, laptop: laptop)
        let file = scratch.folder.appendingPathComponent(laptop.store)
        let before = try Data(contentsOf: file)
        try laptop.must(arguments: "inspect", "--output", "page.html")
        #expect(try Data(contentsOf: file) == before)
        // What 'conflicts' showed last stays what 'resolve' answers.
        #expect(try laptop.must(arguments: "conflicts").contains("laptop"))
        let shown = try Data(contentsOf: file)
        try laptop.must(arguments: "inspect", "--output", "page.html")
        #expect(try Data(contentsOf: file) == shown)
    }

    @Test(arguments: [
        ["inspect", "task"], ["inspect", "nothing", "k"], ["inspect", "--limit", "0"], ["inspect", "--json"],
        ["inspect", "--limit", "100001"], ["inspect", "--output", ""],
    ])
    func refusesWrongUsage(arguments: [String]) throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "task", #"{"id":"t"}"#)
        let run = try Tool.run(in: scratch.folder, arguments: arguments)
        #expect(run.exitCode == 64)
        #expect(run.output == "" && run.errorLines.count == 2)
    }

    @Test func aPageThatCannotBeWrittenIsRefused() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "task", #"{"id":"t"}"#)
        #expect(try scratch.run(arguments: "inspect", "--output", "nowhere/page.html").exitCode == 74)
        #expect(try scratch.run(arguments: "inspect", "--output", "Schemas").exitCode == 74)
    }

    @Test(arguments: [
        ["inspect", "--store", "store.sqlite", "--output"], ["simulate", "--runs", "1", "--report"],
    ])
    func aPageReplacesOnlyAnEarlierPage(arguments: [String]) throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "task", #"{"id":"t"}"#, "--store", "store.sqlite")
        try scratch.must(arguments: "backup", "saved", "--store", "store.sqlite")
        try scratch.write("notes.txt", text: "mine")
        try scratch.write("other.sqlite-wal", text: "")
        for path in ["store.sqlite", "saved", "Schemas/note.schema.json", "notes.txt", "other.sqlite-wal"] {
            let file = scratch.folder.appendingPathComponent(path)
            let before = try Data(contentsOf: file)
            let run = try Tool.run(in: scratch.folder, arguments: arguments + [path])
            #expect(run.exitCode == 64, "\(path)")
            #expect(run.output == "" && run.errorLines.map { $0.prefix(6) } == ["error:", "help: "])
            #expect(try Data(contentsOf: file) == before)
        }
        try scratch.write("page.html", text: "")
        for _ in 0..<2 {
            let run = try Tool.run(in: scratch.folder, arguments: arguments + ["page.html"])
            #expect(run.exitCode == 0, "\(run.error)")
        }
    }

    @Test func aStoreWithAThousandConflictsHasAPageOfAUsableSize() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        func lines(body: String, minute: String) -> String {
            (1000..<2000).map {
                #"{"id":"0a0a0a0a-0000-4000-8000-00000000\#($0)","title":"n\#($0)","body":"\#(body) \#($0)","updatedAt":"2026-01-01T00:\#(minute):00Z"}"#
            }.joined(separator: "\n")
        }
        func add(_ body: String, minute: String, to device: ScratchDevice) throws {
            let run = try Tool.run(
                in: scratch.folder,
                arguments: ["import", "note", "-", "--store", device.store],
                input: lines(body: body, minute: minute)
            )
            #expect(run.exitCode == 0, "\(run.error)")
        }
        try add("base", minute: "01", to: phone)
        try phone.sync()
        try laptop.sync()
        try add("phone", minute: "02", to: phone)
        try add("laptop", minute: "03", to: laptop)
        try phone.sync()
        try laptop.sync()
        let page = try laptop.must(arguments: "inspect")
        #expect(page.components(separatedBy: "<article class=\"item\" id=\"conflict-").count - 1 == 1000)
        #expect(page.utf8.count < 8 << 20)
        let short = try laptop.must(arguments: "inspect", "--limit", "10")
        #expect(short.contains("10 conflicts of 1,000 are on this page."))
        #expect(short.utf8.count < 200_000)
    }
}
