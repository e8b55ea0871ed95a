import EntitySync
import Foundation
import SyncSchema
import Testing

/// What the pages of the catalog name exists.
@Suite struct PageTests {
    /// Names that `EntitySync` declares in public or passes on, the only ones that links of its catalog can lead to.
    private func symbols() throws -> Set<String> {
        let folder = Article.root.appendingPathComponent("Sources/EntitySync")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        var names: Set<String> = ["EntitySync"]
        for path in paths where path.hasSuffix(".swift") {
            let text = try Article.text(path: "Sources/EntitySync/" + path)
            let words = "struct|class|enum|protocol|actor|func|var|let|typealias"
            names.formUnion(try text.matches("public [a-z() ]*?(?:\(words)) ([A-Za-z]+)"))
            names.formUnion(try text.matches("@_exported public import [a-z]+ [A-Za-z]+\\.([A-Za-z]+)"))
            if text.contains("public init") { names.insert("init") }
        }
        return names
    }

    @Test func everyLinkLeadsSomewhere() throws {
        let articles = try Article.inCatalog()
        let (names, symbols) = (Set(articles.map(\.name)), try symbols())
        #expect(symbols.isSuperset(of: ["SyncSpace", "run", "SyncBatch"]))
        for article in articles {
            for (number, line) in article.prose {
                for name in try line.matches("<doc:([^>]*)>") {
                    #expect(names.contains(name), "\(article.path):\(number): no article '\(name)'")
                }
                for link in try line.matches("``([^`]+)``") {
                    for part in link.split(separator: "/") {
                        let name = String(part.prefix { $0 != "(" })
                        #expect(symbols.contains(name), "\(article.path):\(number): no symbol '\(link)'")
                    }
                }
            }
        }
    }

    @Test func everyArticleIsListedOnTheLandingPage() throws {
        let listed = Set(
            try Article.text(path: Article.catalog + "/EntitySync.md").matches("(?m)^- <doc:([^>]*)>$")
        )
        #expect(listed == Set(try Article.inCatalog().map(\.name)).subtracting(["EntitySync"]))
    }

    @Test func everyPictureExistsAndIsShown() throws {
        let shown = try Article.inCatalog().flatMap {
            try $0.lines.joined(separator: "\n").matches(#"!\[[^\]]+\]\(([^)]+)\)"#)
        }
        let files = try Article.names(folder: Article.catalog + "/Resources", suffix: ".svg")
        #expect(shown.map { $0 + ".svg" }.sorted() == files)
        for file in files {
            let text = try Article.text(path: Article.catalog + "/Resources/" + file)
            #expect(text.contains("<title>") && text.contains("prefers-color-scheme: dark"), "\(file)")
            #expect(try Self.isBalanced(text), "\(file): an element is not closed")
        }
    }

    /// Whether each element is closed, as far as tags tell; enough to find a slip of the hand.
    private static func isBalanced(_ text: String) throws -> Bool {
        var open: [String] = []
        for tag in try text.matches("<(/?[A-Za-z][^>]*)>") where !tag.hasSuffix("/") {
            let name = String(tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber })
            if !tag.hasPrefix("/") { open.append(name) } else if open.popLast() != name { return false }
        }
        return open.isEmpty
    }

    @Test func everySchemaOfAPageIsValid() throws {
        var count = 0
        for block in try Article.all().flatMap(\.blocks) where block.language == "json" {
            guard block.text.contains("\"$schema\"") else { continue }
            count += 1
            let report = SchemaLoader.load([source(block: block)])
            #expect(report.isValid, "\(block.place): \(report.rendered(format: .text))")
        }
        #expect(count >= 2)
    }

    /// The page shows a schema and what became of it a release later.
    @Test func theEvolutionOfThePageBreaksNothing() throws {
        let schemas = try Article(Article.catalog + "/AddingASchema.md").blocks
            .filter { $0.language == "json" && $0.text.contains("\"$schema\"") }
            .map { SchemaLoader.load([source(block: $0)]).schemas }
        try #require(schemas.count == 2)
        let changes = SchemaDiff.compare(old: schemas[0], new: schemas[1])
        #expect(Set(changes.map(\.rule)).isSuperset(of: ["field-added", "field-renamed"]))
        #expect(ChangeReport(changes: changes).isCompatible)
    }

    @Test func theIgnoredChangeOfThePageIsOneThatCanBeIgnored() throws {
        let block = try #require(
            try Article(Article.catalog + "/AddingASchema.md").blocks.first { $0.text.contains("\"ignore\"") }
        )
        let file = SchemaSource(path: ChangeIgnores.fileName, bytes: Array(block.text.utf8))
        #expect(ChangeIgnores.read(file).diagnostics.isEmpty)
    }

    private func source(block: Article.Block) -> SchemaSource {
        let name = (try? block.text.matches(#""\$id": "([a-z-]+)""#).first) ?? "unnamed"
        return SchemaSource(path: "\(name).schema.json", bytes: Array(block.text.utf8))
    }

    @Test func theStrategiesAreThoseOfTheREADME() throws {
        func table(article: Article) throws -> [String] {
            let start = try #require(article.lines.firstIndex { $0.hasPrefix("| local | remote |") })
            return article.lines[start...].prefix { $0.hasPrefix("|") }.map(\.self)
        }
        #expect(
            try table(article: Article(Article.catalog + "/Strategies.md"))
                == table(article: Article("README.md"))
        )
    }

    @Test func everyDefaultOfThePolicyIsAsThePageSays() throws {
        let text = try Article.text(path: Article.catalog + "/SyncingByItself.md")
        let told = Dictionary(
            uniqueKeysWithValues: zip(
                try text.matches(#"(?m)^\| `([A-Za-z]+)` \| (?:[0-9.]+|none) \|"#),
                try text.matches(#"(?m)^\| `[A-Za-z]+` \| ([0-9.]+|none) \|"#)
            )
        )
        let policy = Mirror(reflecting: SchedulePolicy()).children
        #expect(told.count == policy.count)
        for (name, value) in policy {
            #expect(told[name ?? ""].flatMap(Double.init) == value as? Double, "\(name ?? "")")
        }
    }
}
