import Foundation

/// The pages that people read: the articles of the catalog, and the README.
struct Article: Sendable {
    /// The path below the repository's root.
    let path: String
    let lines: [String]

    /// The name that links use.
    var name: String { path.split(separator: "/").last.map { String($0.dropLast(3)) } ?? path }

    /// A fenced block of code.
    struct Block: Sendable {
        let path: String
        /// The number of the line that opens it.
        let line: Int
        let language: String
        let lines: [String]
        /// The nearest text before it.
        let introduction: String

        /// Where it stands, as an editor opens it.
        var place: String { "\(path):\(line)" }

        var text: String { lines.joined(separator: "\n") }
    }

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static let catalog = "Sources/EntitySync/EntitySync.docc"

    /// A file of the repository.
    static func text(path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Names in a folder, sorted.
    static func names(folder: String, suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
            .filter { $0.hasSuffix(suffix) }.sorted()
    }

    /// The articles of the catalog.
    static func inCatalog() throws -> [Article] {
        try names(folder: catalog, suffix: ".md").map { try Article("\(catalog)/\($0)") }
    }

    static func all() throws -> [Article] { try inCatalog() + [Article("README.md")] }

    init(_ path: String) throws {
        self.path = path
        lines = try Self.text(path: path).components(separatedBy: "\n")
    }

    var blocks: [Block] {
        var blocks: [Block] = []
        var open: (line: Int, language: String, lines: [String])?
        var introduction = ""
        for (index, line) in lines.enumerated() {
            if let block = open, line == "```" {
                blocks.append(
                    Block(
                        path: path,
                        line: block.line,
                        language: block.language,
                        lines: block.lines,
                        introduction: introduction
                    )
                )
                open = nil
            } else if open != nil {
                open?.lines.append(line)
            } else if line.hasPrefix("```") {
                open = (index + 1, String(line.dropFirst(3)), [])
            } else if !line.isEmpty {
                let isNewParagraph = index == 0 || lines[index - 1].isEmpty
                introduction = isNewParagraph ? line : introduction + " " + line
            }
        }
        return blocks
    }

    /// The text without its blocks, with line numbers from 1.
    var prose: [(number: Int, line: String)] {
        var isCode = false
        return lines.enumerated().compactMap { index, line in
            if line.hasPrefix("```") {
                isCode.toggle()
                return nil
            }
            return isCode ? nil : (index + 1, line)
        }
    }
}

/// Code of this target between `// snippet: name` and `// snippet end`.
struct Snippet: Sendable {
    let name: String
    let path: String
    let line: Int
    let text: String
    /// The modules that its file imports.
    let imports: Set<String>
    /// The `#if` that it stands in; nil for code that is compiled everywhere.
    let condition: String?

    var place: String { "\(path):\(line)" }

    static func all() throws -> [Snippet] {
        // Those of the second folder use entities of their own, and those of the third a package that needs a trait.
        try [
            "Tests/DocumentationTests/Snippets", "Tests/EntitySyncTests/Snippets",
            "Tests/GRDB/Tests/SyncGRDBTests/Snippets",
        ].flatMap { folder in
            try Article.names(folder: folder, suffix: ".swift").flatMap {
                try inFile(path: "\(folder)/\($0)")
            }
        }
    }

    private static func inFile(path: String) throws -> [Snippet] {
        let lines = try Article.text(path: path).components(separatedBy: "\n")
        let imports = Set(
            lines.filter { $0.trimmed.hasPrefix("import ") }.map { String($0.trimmed.dropFirst(7)) }
        )
        var snippets: [Snippet] = []
        var condition: String?
        var open: (name: String, line: Int, lines: [String])?
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("#if ") { condition = line }
            if line.hasPrefix("#endif") { condition = nil }
            if line.trimmed.hasPrefix("// snippet: ") {
                open = (String(line.trimmed.dropFirst(12)), index + 1, [])
            } else if let snippet = open, line.trimmed == "// snippet end" {
                snippets.append(
                    Snippet(
                        name: snippet.name,
                        path: path,
                        line: snippet.line,
                        text: dedented(lines: snippet.lines),
                        imports: imports,
                        condition: condition
                    )
                )
                open = nil
            } else {
                open?.lines.append(line)
            }
        }
        return snippets
    }

    private static func dedented(lines: [String]) -> String {
        let indents = lines.filter { !$0.trimmed.isEmpty }.map { $0.prefix { $0 == " " }.count }
        return lines.map { String($0.dropFirst(indents.min() ?? 0)) }.joined(separator: "\n")
    }
}

extension String {
    var trimmed: String { trimmingCharacters(in: .whitespaces) }

    /// The first groups of all matches of a pattern.
    func matches(_ pattern: String) throws -> [String] {
        let expression = try NSRegularExpression(pattern: pattern)
        return expression.matches(in: self, range: NSRange(startIndex..., in: self)).compactMap {
            Range($0.range(at: 1), in: self).map { String(self[$0]) }
        }
    }
}
