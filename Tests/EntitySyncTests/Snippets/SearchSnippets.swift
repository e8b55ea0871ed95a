import EntitySync
import Testing

@Suite struct SearchSnippets {
    let scratch: Scratch
    let space: SyncSpace

    init() throws {
        scratch = try Scratch()
        space = try SyncSpace.open(
            SpaceConfiguration(folder: scratch.path + "/phone", entities: [Letter.self])
        )
    }

    @Test func searching() async throws {
        try await space.collection(Letter.self).insert(
            Letter(id: "a", title: "Portia", content: "The quality of mercy", year: 2001)
        )
        var lines: [String?] = []
        func show(_ texts: String?...) { lines += texts }
        // snippet: search-words
        let letters = space.collection(Letter.self)
        for hit in try await letters.search("mercy*") {
            show(hit.record.title, hit.excerpt?.marked(before: "[", after: "]"))
        }
        // snippet end
        #expect(lines == ["Portia", "The quality of [mercy]"])
        // snippet: search-value
        let search = SyncSearch<Letter>("mercy*")
            .weight(of: Letter.Fields.title, 10)
            .filter(Letter.Fields.year >= 2000)
            .limit(20)
        let secondPage = try await letters.search(search.offset(20))
        // snippet end
        #expect(secondPage.isEmpty)
        #expect(try await letters.search(search).count == 1)
        // snippet: search-combined
        let count = try await letters.count(
            SyncQuery().filter(.matches("mercy") && Letter.Fields.year >= 2000)
        )
        let changes = letters.observe(SyncSearch("mercy*").limit(5))
        // snippet end
        #expect(count == 1)
        var iterator = changes.makeAsyncIterator()
        #expect(try await iterator.next()?.count == 1)
    }
}
