import EntitySync
import SyncChecks
import SyncCore
import Testing

/// Full-text search as an app uses it.
@Suite struct SearchTests {
    typealias Fields = Article.Fields

    let scratch: Scratch
    let space: SyncSpace
    var articles: SyncCollection<Article> { space.collection(Article.self) }

    init() throws {
        scratch = try Scratch()
        space = try SyncSpace.open(
            SpaceConfiguration(folder: scratch.path + "/articles", entities: [Article.self])
        )
    }

    private func add(
        _ id: String,
        _ title: String,
        rank: String? = nil,
        content: String = "",
        year: Int? = nil
    ) throws {
        try articles.insert(Article(id: id, title: title, rank: rank, content: content, year: year))
    }

    private func ids(_ text: String) throws -> [String] {
        try articles.search(text).map(\.record.id).sorted()
    }

    @Test func allWordsMustBeThereInAnyOrderAndLetterCase() throws {
        try add("a", "Mercy and Grace")
        try add("b", "Grace")
        try add("c", "Merciful", content: "grace upon GRACE")
        #expect(try ids("grace mercy") == ["a"])
        #expect(try ids("grace") == ["a", "b", "c"])
        #expect(try ids("merc*") == ["a", "c"])
        #expect(try ids("merc* grace") == ["a", "c"])
        #expect(try ids("mercy OR merciful") == ["a", "c"])
        #expect(try ids("grace -merc*") == ["b"])
        #expect(try ids("\"and grace\"") == ["a"])
        #expect(try ids("\"grace and\"") == [])
        #expect(try ids("and*grace") == ["a"])
        #expect(try ids("\"grace up\"*") == ["c"])
    }

    @Test func accentsAndVowelSignsMakeNoDifference() throws {
        try add("cafe", "Café crème")
        try add("decomposed", "Cafe\u{301}")
        try add("verse", "بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ")
        try add("hebrew", "בְּרֵאשִׁית")
        try add("persian", "کتاب ۱۲")
        #expect(try ids("cafe") == ["cafe", "decomposed"])
        #expect(try ids("CAFÉ") == ["cafe", "decomposed"])
        #expect(try ids("الله") == ["verse"])
        #expect(try ids("الرحمن الرحيم") == ["verse"])
        #expect(try ids("الرح*") == ["verse"])
        #expect(try ids("ٱلرَّحِيمِ") == ["verse"])
        #expect(try ids("בראשית") == ["hebrew"])
        #expect(try ids("كتاب 12") == ["persian"])
    }

    @Test func scriptsWithoutSpacesAreFoundByAnyPart() throws {
        try add("zh", "中华人民共和国")
        try add("ja", "東京スカイツリーに行く")
        try add("ko", "대한민국의 수도")
        try add("th", "กรุงเทพมหานคร")
        try add("mixed", "Swift语言5.9版")
        #expect(try ids("人民") == ["zh"])
        #expect(try ids("民人") == [])
        #expect(try ids("スカイ") == ["ja"])
        #expect(try ids("民국") == [])
        #expect(try ids("민국") == ["ko"])
        #expect(try ids("มหา") == ["th"])
        #expect(try ids("swift 语言") == ["mixed"])
        #expect(try ids("语*") == ["mixed"])
    }

    @Test func noTextIsAnError() throws {
        try add("a", "rock & roll")
        try add("b", "C++ \"quoted\" NEAR(x) AND col:umn")
        #expect(try ids("rock & roll") == ["a"])
        #expect(try ids("") == [])
        #expect(try ids("-rock") == [])
        for hostile in [
            "\"", "*", "-", "--", "OR", "OR OR", "NOT", "AND", "(", "a AND", "NEAR(x", "title:",
            "{title} : x", "'; DROP",
            "^a", "a\u{0}b", "\"unclosed", "\u{10fffc}", "+", "a\"b\"c", "“",
            "x\"\u{301}", "\"\u{301} OR x", "\"a\"\u{301} b\"",
            String(repeating: "x ", count: 500),
        ] {
            #expect(throws: Never.self) { try articles.search(hostile) }
        }
        #expect(try ids("NEAR(x") == ["b"])
        #expect(try ids("col:umn") == ["b"])
    }

    @Test func theBestHitComesFirstAndWeightsDecide() throws {
        try add("text", "Other", content: "mercy mercy mercy and mercy")
        try add("title", "Mercy", content: "something else that is quite a bit longer than the other one is")
        let search = SyncSearch<Article>("mercy")
        for weight in [0.00001, 1e9, -2.5] {
            #expect(throws: Never.self) { try articles.search(search.weight(of: Fields.title, weight)) }
        }
        for weight in [1e16, .infinity, .nan] {
            let error = try #require(throws: SyncError.self) {
                try articles.search(search.weight(of: Fields.title, weight))
            }
            #expect(error.kind == .usage)
        }
        let weighted = try articles.search(search.weight(of: Fields.title, 50))
        #expect(weighted.map(\.record.id) == ["title", "text"])
        #expect(weighted[0].score > weighted[1].score)
        let other = try articles.search(search.weight(of: Fields.title, 0.01).weight(of: Fields.content, 10))
        #expect(other.map(\.record.id) == ["text", "title"])
    }

    @Test func excerptsMarkWhatWasFound() throws {
        let text = (1...200).map { $0 == 150 ? "the quality of mercy" : "word\($0)" }.joined(separator: " ")
        try add("a", "Portia & <b>", content: text)
        let hit = try #require(try articles.search(SyncSearch("merc* quality").excerpts(words: 8)).first)
        let excerpt = try #require(hit.excerpt)
        #expect(excerpt.pieces.filter(\.isMatch).map(\.text) == ["quality", "mercy"])
        #expect(excerpt.marked(before: "[", after: "]").contains("the [quality] of [mercy]"))
        #expect(excerpt.text.count < 90)
        #expect(hit.excerpt(of: Fields.title)?.text == "Portia & <b>")
        #expect(hit.excerpt(of: Fields.rank) == nil)
        let none = try #require(try articles.search(SyncSearch("mercy").excerpts(words: 0)).first)
        #expect(none.excerpt == nil)
    }

    @Test func filtersAndPagesNarrowTheHits() throws {
        for number in 0..<50 { try add("a\(number)", "mercy", year: number % 2) }
        let search = SyncSearch<Article>("mercy").limit(20)
        var seen: [String] = []
        for page in 0..<4 { seen += try articles.search(search.offset(page * 20)).map(\.record.id) }
        #expect(seen.count == 50)
        #expect(Set(seen).count == 50)
        #expect(try articles.search(search.filter(Fields.year == 1).limit(100)).count == 25)
        #expect(try articles.count(SyncQuery().filter(.matches("merc*") && Fields.year == 0)) == 25)
        #expect(
            try articles.query { $0.filter(.matches("mercy")).sort(by: Fields.id).limit(2) }.map(\.id) == [
                "a0", "a1",
            ]
        )
        #expect(try articles.search(search.limit(0)).isEmpty)
    }

    @Test func someFieldsCanBeSearchedAlone() throws {
        try add("a", "mercy")
        try add("b", "x", rank: "mercy")
        try add("c", "x", content: "mercy")
        let search = SyncSearch<Article>("mercy")
        #expect(
            try articles.search(search.fields(Fields.title, Fields.rank)).map(\.record.id).sorted() == [
                "a", "b",
            ]
        )
        #expect(try articles.query { $0.filter(.matches("mercy", in: Fields.content)) }.map(\.id) == ["c"])
        #expect(throws: SyncError.self) { try articles.search(search.fields(Fields.year)) }
        #expect(throws: SyncError.self) { try articles.search(search.weight(of: Fields.id, 2)) }
    }

    @Test func editsAndDeletesChangeWhatIsFound() throws {
        try add("a", "first")
        try articles.update(Article(id: "a", title: "second", rank: nil, content: "", year: nil))
        #expect(try ids("first") == [])
        #expect(try ids("second") == ["a"])
        try articles.delete("a")
        #expect(try ids("second") == [])
        try add("a", "third")
        #expect(try ids("third") == ["a"])
        #expect(try ids("second") == [])
    }

    @Test func observersHearOfNewHitsOnly() async throws {
        try add("a", "mercy")
        var hits = articles.observe(SyncSearch("mercy")).makeAsyncIterator()
        #expect(try await hits.next()?.map(\.record.id) == ["a"])
        try add("b", "other")
        try add("c", "mercy")
        #expect(try await Set(hits.next()?.map(\.record.id) ?? []) == ["a", "c"])
    }

    @Test func anEntityWithoutSearchSaysSo() throws {
        let library = try Library()
        #expect(throws: SyncError.noSearch(entity: "book")) { try library.books.search("x") }
        #expect(throws: SyncError.noSearch(entity: "book")) {
            try library.books.query { $0.filter(.matches("x")) }
        }
    }
}
