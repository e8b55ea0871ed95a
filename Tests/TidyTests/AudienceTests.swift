import Foundation
import Testing

/// Messages have two audiences: people who use an app, and people at a command line.
@Suite struct AudienceTests {
    /// The modules that an app imports.
    static let rooms = [
        "EntitySync", "SyncModel", "SyncCore", "SyncRuntime", "SyncSchedule", "SyncAccounts", "SyncStore",
        "SyncWire", "SyncFiles",
        "SyncFileBackend", "SyncHTTPClient", "SyncServerBackend", "EntitySyncServer", "SyncUI",
    ]
    /// Arguments whose text only the command line shows.
    static let commandLineLabels: Set<String> = ["commandLineHelp", "commandLineMessage"]

    @Test func wordingForAppsNamesNoCommandsAndNoOptions() throws {
        let names = try commands()
        #expect(names.isSuperset(of: ["sync", "status", "export", "resolve"]))
        let pattern = try NSRegularExpression(
            pattern: "(^|[ '(])--[a-z]{2}|'(synccheck |(\(names.sorted().joined(separator: "|")))[ '])"
        )
        var shown = 0
        for room in Self.rooms {
            for file in try Repository.swiftFiles(folders: "Sources/\(room)") {
                for literal in Self.literals(lines: file.lines) {
                    let range = NSRange(literal.text.startIndex..., in: literal.text)
                    guard pattern.firstMatch(in: literal.text, range: range) != nil else { continue }
                    if Self.commandLineLabels.contains(literal.label) {
                        shown += 1
                    } else {
                        Issue.record("\(file.path):\(literal.line): \(literal.text)")
                    }
                }
            }
        }
        #expect(shown >= 10, "the command line has lost its own wording")
    }

    /// The names of all commands of `synccheck`.
    private func commands() throws -> Set<String> {
        let files = try Repository.swiftFiles(folders: "Sources/synccheck/Commands")
        return Set(
            files.compactMap { file in
                let name = file.path.split(separator: "/").last.map { $0.dropLast("Command.swift".count) }
                return name?.lowercased()
            }
        )
    }

    /// A text in source code, and the label of the argument that it belongs to.
    struct Literal {
        var line: Int
        var label: String
        var text: String
    }

    /// The string literals of a file, without those in comments and those of several lines.
    static func literals(lines: [String]) -> [Literal] {
        var found: [Literal] = []
        var label = ""
        for (number, line) in lines.enumerated() where !line.drop(while: { $0 == " " }).hasPrefix("//") {
            for (index, part) in parts(line: line).enumerated() {
                if index.isMultiple(of: 2) {
                    label = lastLabel(code: part) ?? label
                } else {
                    found.append(Literal(line: number + 1, label: label, text: part))
                }
            }
        }
        return found
    }

    /// Code and literals in turn, code first. An escaped character stays in its literal.
    private static func parts(line: String) -> [String] {
        var parts = [""]
        var isEscaped = false
        for character in line {
            if character == "\"", !isEscaped {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
            isEscaped = character == "\\" && !isEscaped
        }
        return parts
    }

    /// The name before the last colon.
    private static func lastLabel(code: String) -> String? {
        guard let colon = code.lastIndex(of: ":") else { return nil }
        let name = code[..<colon].reversed().prefix { $0.isLetter || $0.isNumber }
        return name.isEmpty ? nil : String(name.reversed())
    }
}
