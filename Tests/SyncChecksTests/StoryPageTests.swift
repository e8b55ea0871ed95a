import Foundation
import SyncEntities
import SyncPages
import SyncServer
import Testing

@testable import SyncChecks

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct StoryPageTests {
    private func pages(seeds: Range<UInt64>, place: World.Place) async -> [String] {
        let simulator = Simulator(
            entities: SyncRegistry.descriptors,
            generator: StoryGenerator(maxSteps: 25, places: [place])
        )
        var pages: [String] = []
        for seed in seeds {
            pages.append(StoryPage(outcome: await simulator.play(seed), replay: "replay --seed \(seed)").html)
        }
        return pages
    }

    @Test(arguments: [World.Place.server, .folders])
    func everyPageIsWellFormedAndNeedsNothingElse(place: World.Place) async throws {
        for page in await pages(seeds: 0..<6, place: place) {
            let body = page.replacing("<!DOCTYPE html>", with: "")
            let parser = XMLParser(data: Data(body.utf8))
            #expect(parser.parse(), "\(String(describing: parser.parserError))")
            for word in ["<script", "href=\"http", "src=\"", "url(", "@import"] {
                #expect(!page.contains(word))
            }
        }
    }

    @Test func oneWorldIsOnePageToTheByte() async {
        #expect(await pages(seeds: 7..<9, place: .server) == pages(seeds: 7..<9, place: .server))
    }

    @Test func aServerHasALineOfItsOwnAndCopiesOfAFolderDoNot() async throws {
        #expect(try #require(await pages(seeds: 3..<4, place: .server).first).contains(">server</text>"))
        #expect(!(try #require(await pages(seeds: 3..<4, place: .folders).first).contains(">server</text>")))
    }

    @Test func textsCannotBreakOutOfThePage() async throws {
        var simulator = Simulator(entities: SyncRegistry.descriptors, generator: StoryGenerator(maxSteps: 6))
        simulator.extraPromise = { _ in
            StoryViolation(
                rule: "<script>\"'&",
                description: "</pre><script>alert(1)</script>\u{0}\u{202e}]]>"
            )
        }
        let outcome = await simulator.play(1)
        let page = StoryPage(outcome: outcome, replay: "a & b < c").html
        #expect(outcome.violation != nil && !page.contains("<script"))
        #expect(page.contains("a &amp; b &lt; c"))
        #expect(XMLParser(data: Data(page.replacing("<!DOCTYPE html>", with: "").utf8)).parse())
    }

    @Test func aPageAllowsItsOwnStyleAndNothingElse() async throws {
        let page = try #require(await pages(seeds: 2..<3, place: .server).first)
        let digest = Data(SHA256.digest(bytes: Array(StoryStyle.shared.text.html.utf8))).base64EncodedString()
        #expect(StoryStyle.shared.hash == "sha256-\(digest)")
        #expect(page.contains("sha256-\(digest)") && !page.contains("script-src"))
    }

    @Test func whoCannotSeeThePictureReadsTheSameInWords() async throws {
        let simulator = Simulator(entities: SyncRegistry.descriptors, generator: StoryGenerator(maxSteps: 12))
        let outcome = await simulator.play(5)
        let page = StoryPage(outcome: outcome, replay: "again").html
        #expect(page.components(separatedBy: "<li>").count - 1 >= outcome.log.entries.count)
    }

    @Test func everyRuleThatAWorldIsHeldToHasASentence() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/SyncChecks")
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        let expression = try NSRegularExpression(pattern: #"StoryViolation\(\s*(?:\w+: )?"([a-z-]+)""#)
        var rules: Set<String> = []
        for case let url as URL in files where url.pathExtension == "swift" {
            let text = try String(contentsOf: url, encoding: .utf8)
            for match in expression.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
                if let range = Range(match.range(at: 1), in: text) { rules.insert(String(text[range])) }
            }
        }
        #expect(rules.count >= 10)
        let unknown = StoryPromise.sentence(rule: "?")
        for rule in rules { #expect(StoryPromise.sentence(rule: rule) != unknown, "\(rule)") }
    }
}
