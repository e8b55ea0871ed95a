import Foundation
import Testing

/// What people copy from the pages is code that this target compiles, and runs where it can.
@Suite struct SnippetTests {
    /// Swift of the pages, without manifests.
    private func blocks() throws -> [Article.Block] {
        try Article.all().flatMap(\.blocks).filter { $0.language == "swift" && !isManifest($0) }
    }

    private func isManifest(_ block: Article.Block) -> Bool { block.lines.first == "// Package.swift" }

    /// A block's code without the imports at its top, and the modules that they name.
    private func parts(block: Article.Block) -> (imports: [String], code: String) {
        let imports = block.lines.prefix { $0.hasPrefix("import ") }
        let code = block.lines.dropFirst(imports.count).drop { $0.isEmpty }
        return (imports.map { String($0.dropFirst(7)) }, code.joined(separator: "\n"))
    }

    @Test func everySwiftBlockIsCompiled() throws {
        let snippets = try Snippet.all()
        let blocks = try blocks()
        #expect(blocks.count > 20)
        for block in blocks {
            let (imports, code) = parts(block: block)
            let found = snippets.first { $0.text == code }
            #expect(found != nil, "\(block.place): no snippet has this code")
            for module in imports {
                #expect(found?.imports.contains(module) != false, "\(block.place): \(module) is not imported")
            }
        }
    }

    /// What people copy needs no module that no page names.
    @Test func aSnippetNeedsOnlyWhatAnAppImports() throws {
        let products: Set = [
            "EntitySync", "EntitySyncFolder", "EntitySyncServer", "EntitySyncSupabase", "SyncUI", "SyncGRDB",
        ]
        // The app's own modules, and what a test sets up.
        let others: Set = [
            "Foundation", "Testing", "SwiftUI", "UIKit", "OSLog", "GRDB", "Waits", "SyncEntities",
            "SyncChecks", "SyncServer",
        ]
        for snippet in try Snippet.all() {
            let more = snippet.imports.subtracting(products).subtracting(others)
            let isBackend = snippet.path.hasSuffix("/BackendSnippets.swift")
            #expect(more == (isBackend ? ["SyncCore"] : []), "\(snippet.place)")
        }
    }

    @Test func everySnippetIsShown() throws {
        let shown = Set(try blocks().map { parts(block: $0).code })
        let snippets = try Snippet.all()
        for snippet in snippets {
            #expect(shown.contains(snippet.text), "\(snippet.place): no page shows '\(snippet.name)'")
        }
        #expect(Set(snippets.map(\.name)).count == snippets.count)
    }

    /// Such code is not compiled on Linux, so a page must not look as if it were.
    @Test func codeForApplePlatformsIsCalledSo() throws {
        let snippets = try Snippet.all()
        for block in try blocks() {
            let snippet = snippets.first { $0.text == parts(block: block).code }
            guard snippet?.condition != nil else { continue }
            #expect(block.introduction.contains("Apple platforms"), "\(block.place)")
        }
    }

    /// The consumer is a package that another test builds.
    @Test func manifestsSayWhatTheConsumerSays() throws {
        let consumer = Set(
            try Article.text(path: "Tests/Consumer/Package.swift").components(separatedBy: "\n").map(
                \.trimmed
            )
        )
        let manifests = try Article.all().flatMap(\.blocks).filter(isManifest)
        #expect(!manifests.isEmpty)
        for block in manifests {
            let lines = block.lines.map(\.trimmed).filter { !$0.hasPrefix("//") }
            let starts = ["dependencies:", "plugins:", ".product("]
            let declarations = lines.filter { line in starts.contains { line.hasPrefix($0) } }
            #expect(declarations.count == 4, "\(block.place)")
            for line in declarations { #expect(consumer.contains(line), "\(block.place): \(line)") }
            for line in lines where line.hasPrefix(".package(") {
                #expect(
                    try line.matches(#"^\.package\(url: "https://[^"]+/(EntitySync)", from: "[0-9.]+"\),$"#)
                        .count == 1
                )
            }
        }
    }
}
