import Foundation
import ProgramRuns
import Testing

/// The shell whose completions are tried.
private enum Bash {
    static let path = "/bin/bash"
    static let isThere = FileManager.default.isExecutableFile(atPath: path)
}

/// What bash offers for files and folders, by the script that the program makes for it.
@Suite(.enabled(if: Bash.isThere)) struct FileCompletionTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.write("book.ndjson", text: "")
        try scratch.write(
            "completions",
            text: scratch.must(arguments: "--generate-completion-script", "bash")
        )
    }

    /// What is offered for the last of the words.
    private func offered(_ words: [String]) throws -> [String] {
        let script = """
            source completions
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
            _synccheck "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        return try Child(
            program: URL(fileURLWithPath: Bash.path),
            arguments: ["-c", script, "bash", "synccheck"] + words,
            in: scratch.folder
        ).wait().lines
    }

    @Test(arguments: [
        ["import", "reading"], ["validate"], ["validate", "--entity", "reading", "--records"], ["generate"],
        ["generate", "--from"], ["diff", "--baseline"], ["diff", "--write-baseline"],
        ["inspect", "--output"],
        ["simulate", "--report"],
        ["sync", "--token-file"], ["sync", "--ca-file"], ["backup"], ["restore"],
        ["status", "--store"],
    ])
    func filesAreOffered(words: [String]) throws {
        #expect(try offered(words + ["boo"]) == ["book.ndjson"])
    }

    @Test(arguments: [
        ["sync", "--remote"], ["conformance", "--remote"], ["retire", "phone", "--remote"],
        ["generate", "--output"], ["demo", "--output"], ["diff"], ["diff", "Schemas"],
        ["status", "--schemas"],
        ["validate"],
    ])
    func foldersAreOffered(words: [String]) throws {
        #expect(try offered(words + ["Sch"]) == ["Schemas"])
    }
}
