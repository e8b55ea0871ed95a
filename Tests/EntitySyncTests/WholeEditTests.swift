import EntitySync
import Foundation
import SyncChecks
import Testing

/// An edit is written whole or refused, whatever it changes, and takes nothing away that its author has not seen.
@Suite struct WholeEditTests {
    let kitchen: Kitchen

    init() throws { kitchen = try Kitchen() }

    /// Two spellings that look alike, and are equal in Swift.
    private static let spellings = (apart: "cafe\u{301}", joined: "caf\u{e9}")

    private func bytes(_ text: String?) -> [UInt8] { Array((text ?? "").utf8) }

    @Test func aTextInAnotherUnicodeFormIsAChangeWhereverItStands() throws {
        let (apart, joined) = Self.spellings
        try kitchen.add(
            "a",
            tags: ["x", apart],
            source: Recipe.Source(name: apart, words: [apart])
        )
        try kitchen.recipes.update("a") { $0.title = apart }
        var recipe = try #require(try kitchen.recipes.find("a"))
        recipe.title = joined
        recipe.tags = ["x", joined]
        recipe.source = Recipe.Source(name: joined, words: [joined])
        try kitchen.recipes.update(recipe)
        let stored = try #require(try kitchen.recipes.find("a"))
        for text in [stored.title, stored.tags?.last, stored.source?.name, stored.source?.words?.first] {
            #expect(bytes(text) == bytes(joined))
        }
        let count = try kitchen.recipes.update(SyncQuery()) {
            $0.title = $0.title.decomposedStringWithCanonicalMapping
        }
        #expect(try count == 1 && bytes(kitchen.recipes.find("a")?.title) == bytes(apart))
    }

    @Test func whatEqualsTheFormerTextIsNoChange() throws {
        try kitchen.add("a", source: Recipe.Source(name: "book", words: ["one"]))
        let read = try #require(try kitchen.recipes.find("a"))
        try kitchen.recipes.update("a") { recipe in
            recipe.source?.page = 7
            recipe.tags = ["later"]
        }
        var form = read
        (form.title, form.tags, form.source) = (read.title, read.tags, read.source)
        try kitchen.recipes.update(form)
        let stored = try #require(try kitchen.recipes.find("a"))
        #expect(stored.tags == ["later"] && stored.source?.page == 7)
    }

    @Test func aBulkEditThatIsBrokenOffIsGivenUpAlsoIfTheAppCatchesItsError() throws {
        struct GivenUp: Error {}
        for name in ["a", "b", "c"] { try kitchen.add(name) }
        let error = #expect(throws: SyncError.self) {
            try kitchen.space.write { batch in
                try batch.insert(Recipe(id: "d", title: "d", level: .easy, cookMinutes: 1))
                _ = try? batch.update(SyncQuery<Recipe>()) { recipe in
                    recipe.cookMinutes = recipe.id == "b" ? -1 : 99
                }
            }
        }
        #expect(error?.record?.text == "b")
        #expect(throws: GivenUp.self) {
            try kitchen.space.write { batch in
                try? batch.update(SyncQuery<Recipe>()) { recipe in
                    if recipe.id == "b" { throw GivenUp() }
                    recipe.cookMinutes = 99
                }
            }
        }
        #expect(try kitchen.recipes.all().map(\.cookMinutes) == [10, 10, 10])
        // An edit of one record that is refused changes nothing, and the others go on.
        try kitchen.space.write { batch in
            #expect(throws: SyncError.self) { try batch.delete(Recipe.self, key: "none") }
            try batch.insert(Recipe(id: "d", title: "d", level: .easy, cookMinutes: 1))
        }
        #expect(try kitchen.recipes.count == 4)
    }

    @Test func whatATransactionFindsDeletedIsWrittenAnewWhenItIsSaved() throws {
        try kitchen.add("a")
        try kitchen.recipes.delete("a")
        try kitchen.recipes.moveIn([], as: .edited, deletes: ["only a key"])
        try kitchen.space.write { batch in
            let trash = try batch.query(SyncQuery<Recipe>().includingDeleted())
            #expect(trash.map(\.id) == ["a"], "what has no values is no recipe")
            for recipe in trash { try batch.save(recipe) }
        }
        #expect(try kitchen.recipes.find("a")?.title == "a")
    }

    @Test func aListWithStatesFollowsWhatItsConditionRefersTo() async throws {
        let library = try Library()
        try library.add("b", on: "s1")
        let query = SyncQuery<Book>().filter(Book.Fields.shelfId.refers(to: Shelf.Fields.room == "Hall"))
            .allowingScan()
        var lists = library.books.observeStated(query).makeAsyncIterator()
        #expect(try await lists.next()?.map(\.value.id) == ["b"])
        try await library.shelves.update("s1") { $0.room = "Attic" }
        #expect(try await lists.next()?.isEmpty == true)
    }

    @Test func whatCameSinceADeletedRecordWasReadIsInTheJournal() throws {
        try kitchen.add("a")
        let read = try #require(try kitchen.recipes.find("a"))
        try kitchen.recipes.delete(read)
        #expect(try kitchen.recipes.journal().isEmpty)
        try kitchen.add("b")
        let shown = try #require(try kitchen.recipes.find("b"))
        try kitchen.recipes.update("b") { $0.title = "WORD" }
        try kitchen.recipes.delete(shown)
        #expect(try kitchen.recipes.find("b") == nil)
        let entry = try #require(try kitchen.recipes.journal().first)
        #expect(entry.lost?.title == "WORD")
        try kitchen.recipes.restore(entry)
        #expect(try kitchen.recipes.find("b")?.title == "WORD")
    }
}
