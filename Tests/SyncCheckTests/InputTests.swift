import EntitySync
import Foundation
import SyncHTTPClient
import SyncInspector
import Testing

@testable import synccheck

@Suite struct InputTests {
    private func lines(text: Data) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("lines-\(UUID().uuidString)")
        try text.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var lines: [String] = []
        try LineReader(ByteSource(path: file.path)).forEach { line in
            lines.append("\(line.number)|" + String(decoding: line.bytes, as: UTF8.self))
        }
        return lines
    }

    @Test func cutsLinesWhereverThePiecesEnd() throws {
        #expect(try lines(text: Data()) == [])
        #expect(try lines(text: Data("\u{FEFF}".utf8)) == [])
        #expect(try lines(text: Data("a\n\n b\r\nc".utf8)) == ["1|a", "3| b\r", "4|c"])
        let long = String(repeating: "x", count: (1 << 20) - 3)
        #expect(
            try lines(text: Data("\u{FEFF}\(long)yz\n\(long)\nend\n".utf8)) == [
                "1|\(long)yz", "2|\(long)", "3|end",
            ]
        )
    }

    @Test(arguments: [
        ("snyc", "sync"), ("expo", "export"), ("Bookmark", "bookmark"), ("bookmarks", "bookmark"),
        ("zebra", nil),
        ("", nil),
    ])
    func findsTheNameThatWasMeant(name: String, meant: String?) {
        #expect(DidYouMean.nearest(to: name, among: ["sync", "export", "bookmark"]) == meant)
    }

    @Test func readsRemotesAsAbsolutePaths() throws {
        #expect(try path(text: "/a/b//") == "/a/b")
        #expect(try path(text: "file:///a%20b/c") == "/a b/c")
        #expect(try path(text: "file://localhost/a") == "/a")
        #expect(try path(text: ".") == FileManager.default.currentDirectoryPath)
        #expect(try path(text: "x") == FileManager.default.currentDirectoryPath + "/x")
        #expect(try path(text: "/") == "/")
        for other in ["file://elsewhere/a", "s3://a", "http://example.org", "https://", "https://u:p@a/"] {
            #expect(throws: SyncError.self) { try RemoteArgument(other) }
        }
    }

    @Test(arguments: [
        ("sync.example.org", "https://sync.example.org"), ("192.168.1.20:8080", "https://192.168.1.20:8080"),
        ("localhost:8080", "https://localhost:8080"), ("[::1]:8080", "https://[::1]:8080"),
        ("abc.supabase.co", "supabase+https://abc.supabase.co"),
        ("sync.example.org/team", "https://sync.example.org/team"), ("notes.sync", "./notes.sync"),
    ])
    func aNameThatMayBeAServerIsNotMadeAFolder(text: String, spelling: String) throws {
        let error = #expect(throws: SyncError.self) { try RemoteArgument(text) }
        #expect(error?.kind == .usage)
        #expect(error?.help.contains("'\(spelling)'") == true, "\(error?.help ?? "")")
        #expect(error?.help.contains("'./\(text)'") == true)
    }

    @Test func aPathWithADotIsAFolder() throws {
        for text in ["./sync.example.org", "../a.b", "/a.b", "shared/data.v2", ".remote", "a:b", "~a.b"] {
            #expect(try path(text: text) != nil, "\(text)")
        }
        let folder = "remote-\(UUID().uuidString).test"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try path(text: folder)?.hasSuffix("/" + folder) == true)
    }

    @Test func plainHTTPToAnotherMachineIsAnExplicitChoice() throws {
        let text = "http://192.168.1.20:8080"
        #expect(throws: SyncError.self) { try RemoteArgument(text) }
        guard case .server(let url) = try RemoteArgument(text, allowsPlainHTTP: true) else {
            Issue.record("it is no server")
            return
        }
        #expect(url.description == text)
    }

    @Test(arguments: ["http://127.0.0.1:8080", "HTTPS://a", "https://a/sync/"])
    func readsServersAsSuch(_ text: String) throws {
        guard case .server = try RemoteArgument(text) else {
            Issue.record("\(text) is read as a folder")
            return
        }
    }

    private func path(text: String) throws -> String? {
        guard case .folder(let path) = try RemoteArgument(text) else { return nil }
        return path
    }

    @Test func quotesForTheShell() {
        #expect("a-b/c:1.txt".shellQuoted == "a-b/c:1.txt")
        #expect("it's".shellQuoted == "'it'\\''s'")
        #expect("".shellQuoted == "''")
        #expect("a b\"$(x)".shellQuoted == "'a b\"$(x)'")
    }

    private static let exitCodes: [SyncError.Kind: Int32] = [
        .notFound: 1, .usage: 64, .invalidInput: 65, .wrongRemote: 65, .unreadableStore: 65, .unreachable: 69,
        .inputOutput: 74, .busy: 74, .notPermitted: 77,
    ]

    @Test(arguments: SyncError.Kind.allCases)
    func mapsEveryKindOfErrorToItsExitCode(kind: SyncError.Kind) {
        let failure = CommandExit(SyncError(kind: kind, message: "One\nsentence.", help: "Help."))
        #expect(failure.exitCode == Self.exitCodes[kind])
        #expect(failure.message == "error: One sentence.\nhelp: Help.\n")
    }
}
