import EntitySync
import Foundation
import Testing

/// Counts, sums and extremes are exact, and follow what a model shows.
@Suite struct AggregateTests {
    typealias Fields = Book.Fields

    let library: Library

    init() throws { library = try Library() }

    private func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? .nan }

    @Test func sumsOfDecimalsAndLargeIntegersAreExact() throws {
        #expect(try library.books.sum(of: Fields.price) == 0)
        #expect(try library.books.average(of: Fields.price) == nil)
        for (id, price) in [("a", "0.1"), ("b", "0.2"), ("c", "12345678901234567890.12345678")] {
            try library.add(id, price: price)
        }
        #expect(try library.books.sum(of: Fields.price) == decimal("12345678901234567890.42345678"))
        let small = SyncQuery<Book>().filter(Fields.id.isOne(of: ["a", "b"]))
        #expect(try library.books.sum(of: Fields.price, in: small) == decimal("0.3"))
        #expect(try library.books.average(of: Fields.price, in: small) == decimal("0.15"))
        #expect(try library.books.minimum(of: Fields.price) == decimal("0.1"))
        #expect(try library.books.maximum(of: Fields.price) == decimal("12345678901234567890.12345678"))
        try library.add("d", pages: .max)
        try library.add("e", pages: .max - 1)
        try library.add("f", pages: .min)
        #expect(try library.books.sum(of: Fields.pages) == Int.max - 2)
        #expect(try library.books.maximum(of: Fields.pages) == .max)
        let both = SyncQuery<Book>().filter(Fields.id.isOne(of: ["d", "e"]))
        let error = try #require(throws: SyncError.self) { try library.books.sum(of: Fields.pages, in: both) }
        #expect(error.message.contains("does not fit"))
    }

    @Test func aSumThatFitsIsGivenWhateverItsParts() throws {
        for (id, pages) in [("a", Int.min), ("b", -1), ("c", 1)] { try library.add(id, pages: pages) }
        #expect(try library.books.sum(of: Fields.pages) == .min)
        let below = SyncQuery<Book>().filter(Fields.id.isOne(of: ["a", "b"]))
        #expect(throws: SyncError.sumOutOfRange(entity: "book", field: "pages")) {
            try library.books.sum(of: Fields.pages, in: below)
        }
    }

    @Test func aDecimalSumOfTooManyDigitsNamesItsField() throws {
        let nines = String(repeating: "9", count: 38)
        for (first, second) in [(nines, nines), ("3", "0.45796439624816748913935381257469575985")] {
            let library = try Library()
            try library.add("a", price: first)
            try library.add("b", price: second)
            #expect(throws: SyncError.sumOutOfRange(entity: "book", field: "price")) {
                try library.books.sum(of: Fields.price)
            }
            try library.add("c", price: "-\(first)")
            try library.books.delete("b")
            #expect(throws: Never.self) { try library.books.sum(of: Fields.price) }
        }
    }

    @Test func aDecimalSumThatCannotBeExactIsAnError() throws {
        try library.add("a", price: "10000000000000000000000000000000000000")
        try library.add("b", price: "0.00000000001")
        #expect(throws: SyncError.self) { try library.books.sum(of: Fields.price) }
    }

    @Test func recordsAreCountedByAField() throws {
        try library.add("a", on: "s1", price: "2.5")
        try library.add("b", on: "s1", price: "2.5")
        try library.add("c", on: "s2", price: "4")
        try library.add("d", price: "8")
        try library.books.delete(library.add("e", on: "s2").id)
        let counts = try library.books.counts(by: Fields.shelfId)
        #expect(counts.map(\.value) == [nil, "s1", "s2"] && counts.map(\.count) == [1, 2, 1])
        let sums = try library.books.sums(of: Fields.price, by: Fields.shelfId)
        #expect(sums.map(\.result) == [8, 5, 4])
        #expect(try library.books.counts(by: Fields.copies).map(\.value) == [1])
        #expect(try library.books.count(SyncQuery().filter(Fields.shelfId == "s1")) == 2)
        let study = SyncQuery<Book>().filter(Fields.shelfId.refers(to: Shelf.Fields.room == "Study"))
        #expect(try library.books.count(study) == 1)
        #expect(throws: SyncError.self) { try library.books.count(SyncQuery().filter(Fields.note == "x")) }
    }

    @Test func whatIsComputedIsToldAgainOnlyWhenItChanges() async throws {
        try library.add("a", on: "s1", price: "2")
        var sums = library.books.observe { books, query in try books.sum(of: Fields.price, in: query) }
            .makeAsyncIterator()
        #expect(try await sums.next() == 2)
        var book = try #require(try await library.books.find("a"))
        book.title = "Another"
        try await library.books.update(book)
        try library.add("b", price: "0.5")
        #expect(try await sums.next() == decimal("2.5"))
    }

    @Test func aJoinIsToldAgainWhenTheOtherEntityChanges() async throws {
        try library.add("a", on: "s1")
        try library.add("b", on: "s2")
        let study = SyncQuery<Book>().filter(Fields.shelfId.refers(to: Shelf.Fields.room == "Study"))
        var books = library.books.observe(study).makeAsyncIterator()
        #expect(try await books.next()?.map(\.id) == ["b"])
        try await library.shelves.update(Shelf(id: "s1", room: "Study"))
        #expect(try await books.next()?.map(\.id) == ["a", "b"])
        try await library.shelves.update(Shelf(id: "s2", room: "Hall"))
        #expect(try await books.next()?.map(\.id) == ["a"])
        try library.add("c", on: "s3")
        #expect(try await books.next()?.map(\.id) == ["a", "c"])
    }
}
