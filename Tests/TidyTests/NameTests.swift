import Foundation
import Testing

/// Checks names: parameter labels, file names, and words.
@Suite struct NameTests {
    /// The largest percentage of parameters without a label.
    static let maxUnlabelledPercent = 20

    @Test func noFunctionHasThreeParametersWithoutALabel() throws {
        for file in try Repository.swiftFiles(folders: "Sources", "Plugins", "Tests") {
            for declaration in try Declaration.all(in: file) where !Self.isGolden(file.path) {
                let place = "\(declaration.file):\(declaration.line) \(declaration.name)"
                #expect(declaration.unlabelled < 3, "\(place)")
            }
        }
    }

    @Test func mostParametersHaveALabel() throws {
        let declarations = try Repository.swiftFiles(folders: "Sources", "Plugins").flatMap {
            try Declaration.all(in: $0)
        }
        let all = declarations.reduce(0) { $0 + $1.labels.count }
        let unlabelled = declarations.reduce(0) { $0 + $1.unlabelled }
        #expect(all > 3000)
        #expect(unlabelled * 100 < all * Self.maxUnlabelledPercent, "\(unlabelled) of \(all)")
    }

    @Test func aFileIsNamedAfterWhatItDeclares() throws {
        let words = "struct|class|enum|actor|protocol|extension|typealias|func|let|var"
        let pattern =
            #"(?m)^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:[a-z]+(?:\([a-z]+\))? )*?(?:"# + words + #")\s+([\w.]+)"#
        let expression = try NSRegularExpression(pattern: pattern)
        for file in try Repository.swiftFiles(folders: "Sources") {
            let text = file.lines.joined(separator: "\n")
            var names: Set<String> = []
            for match in expression.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
                guard let range = Range(match.range(at: 1), in: text) else { continue }
                for part in text[range].split(separator: ".") { names.insert(part.lowercased()) }
            }
            let name = file.path.split(separator: "/").last?.split(separator: ".").first ?? ""
            let subject = name.split(separator: "+").first.map(String.init) ?? ""
            let isEntry = ["main", "Exports"].contains(subject)
            #expect(isEntry || names.contains(subject.lowercased()), "\(file.path)")
        }
    }

    /// Type names that the glossary replaces.
    @Test func noNameUsesAWordThatTheGlossaryReplaces() throws {
        let replaced = [
            "Trees", "EditMark", "StampDetail", "Surroundings", "Misfit", "BreakerBox", "TokenKeeper",
            "Conversation",
            "ChangeJudge", "Housekeeper", "OwnPart", "WholeFile", "EntryPool", "Yardstick", "Neighbour",
            "Narrator",
            "Interlude", "Puller", "Pusher", "Acknowledger", "UnlookedRows", "HeldRows", "Planner",
            "AccountBook", "BadInput", "Lack", "Ledger", "OwnerOnly", "Settlement", "Settler", "Stranger",
            "Strangers", "Tally", "Teller", "Trouble", "Verdict",
        ]
        let pattern =
            #"\b(?:struct|class|enum|actor|protocol|typealias)\s+("# + replaced.joined(separator: "|")
            + #")\b"#
        let expression = try NSRegularExpression(pattern: pattern)
        for file in try Repository.swiftFiles(folders: "Sources", "Tests") {
            let text = file.lines.joined(separator: "\n")
            for match in expression.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
                let name = Range(match.range(at: 1), in: text).map { String(text[$0]) } ?? ""
                Issue.record("\(file.path) declares \(name)")
            }
        }
    }

    /// So that a name means one thing, whichever modules a file imports.
    @Test func noTypeNameIsDeclaredTwice() throws {
        let expression = try NSRegularExpression(
            pattern: #"(?m)^(?:@\w+ )*(?:[a-z]+ )*?(?:struct|class|enum|actor|protocol|typealias) (\w+)"#
        )
        var files: [String: Set<String>] = [:]
        for file in try Repository.swiftFiles(folders: "Sources") {
            let text = file.lines.joined(separator: "\n")
            for match in expression.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
                guard let all = Range(match.range, in: text), let range = Range(match.range(at: 1), in: text),
                    !text[all].contains("private "), !text[all].contains("import ")
                else { continue }
                files[String(text[range]), default: []].insert(file.module)
            }
        }
        #expect(files.count > 800)
        for (name, modules) in files { #expect(modules.count == 1, "\(name) in \(modules.sorted())") }
    }

    /// The same words where they name a value or a function.
    @Test func noValueUsesAWordThatTheGlossaryReplaces() throws {
        let pattern =
            /\b(?:func|var|let|case) (?<name>planners?|patience|remarking)\b/
        for file in try Repository.swiftFiles(folders: "Sources", "Tests") {
            for line in file.lines {
                guard let match = line.firstMatch(of: pattern) else { continue }
                Issue.record("\(file.path) declares \(match.output.name)")
            }
        }
    }

    /// Generated code has its own rules.
    private static func isGolden(_ path: String) -> Bool {
        path.contains("/Golden/") || path.contains("/KitchenSink/") || path.contains("Tests/Sample")
    }
}
