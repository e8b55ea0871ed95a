import EntitySync
import Foundation
import SyncCore
import Testing

/// Conditions of any form, and what no index serves.
@Suite struct QueryConditionTests {
    typealias Fields = Book.Fields

    let library: Library

    init() throws { library = try Library() }

    @Test func conditionsCombineByAndOrAndNot() throws {
        try library.add("a", title: "Alpha", note: "good", pages: 10)
        try library.add("b", title: "Beta", pages: 20)
        try library.add("c", title: "Gamma", note: "bad")
        #expect(try library.ids(Fields.title == "Alpha" || Fields.title == "Gamma") == ["a", "c"])
        #expect(try library.ids(Fields.title == "Alpha" && Fields.note == "bad" || Fields.id == "b") == ["b"])
        #expect(try library.idsByScan(Fields.title != "Alpha") == ["b", "c"])
        #expect(try library.idsByScan(!(Fields.pages < 15)) == ["b", "c"], "a missing value meets no test")
        #expect(try library.idsByScan(Fields.note != "good") == ["b", "c"], "null differs from every value")
        #expect(try library.idsByScan(Fields.note != nil) == ["a", "c"])
        #expect(try library.idsByScan(!Fields.pages.hasValue && Fields.note.hasValue) == ["c"])
        #expect(try library.idsByScan(Fields.copies != 1) == [], "a missing field shows its default")
    }

    /// As an app combines the values of a filter one after another.
    @Test(.timeLimit(.minutes(5))) func manyConditionsCombineAsFewDo() throws {
        for number in 0..<50 { try library.add("b\(number)", title: "T\(number)", note: "N\(number)") }
        let titles = (0..<40).map { Fields.title == "T\($0)" }.reduce(Fields.title == "none") { $0 || $1 }
        #expect(try library.ids(titles).count == 40, "an index serves each of them")
        let notes = (0..<40).map { Fields.note == "N\($0)" }.reduce(Fields.note == "none") { $1 || $0 }
        #expect(try library.idsByScan(notes).count == 40)
        let mixed = (0..<40).map { Fields.title == "T\($0)" || Fields.note == "N\($0)" }
        #expect(try library.idsByScan(mixed.reduce(Fields.id == "none") { $0 || $1 }).count == 40)
        let none = (0..<40).map { Fields.note != "N\($0)" }.reduce(Fields.id != "none") { $0 && $1 }
        #expect(try library.idsByScan(none).count == 10)
    }

    /// Deleted records meet a condition as live ones do, whether an index finds them or not.
    @Test func deletedRecordsMeetEachConditionThatTheyMet() throws {
        for (id, title, pages) in [("a", "Alpha", 1), ("b", "Beta", 2), ("c", "Gamma", 3)] {
            try library.add(id, title: title, note: title, pages: pages)
        }
        for id in ["b", "c"] { try library.books.delete(id) }
        func ids(_ condition: FieldCondition<Book>) throws -> [String] {
            let found = try library.books.query { $0.filter(condition).includingDeleted().allowingScan() }
            return found.map(\.id).sorted()
        }
        #expect(try ids(Fields.title == "Beta" || Fields.title.hasPrefix("Al")) == ["a", "b"])
        #expect(try ids(Fields.note == "Beta" || Fields.note == "Alpha") == ["a", "b"])
        #expect(try ids(!(Fields.title == "Beta" || Fields.title.hasPrefix("Al"))) == ["c"])
        #expect(try ids(Fields.title == "Beta" || Fields.id == "c" || Fields.pages == 1) == ["a", "b", "c"])
        #expect(try ids(Fields.copies >= 0 && Fields.title == "Gamma") == ["c"])
    }

    @Test func textIsFoundByItsBeginningAndByWhatItHolds() throws {
        try library.add("a", title: "Émile", note: "ÜBER alles")
        try library.add("b", title: "Emil", note: "uber")
        try library.add("c", title: "E", note: "ٱللَّهُ نور")
        #expect(try library.ids(Fields.title.hasPrefix("Emi")) == ["b"])
        #expect(try library.ids(Fields.title.hasPrefix("É")) == ["a"])
        #expect(try library.ids(Fields.title.hasPrefix("")) == ["a", "b", "c"])
        #expect(try library.idsByScan(Fields.note.contains("ber")) == ["b"])
        #expect(try library.idsByScan(Fields.note.contains("über", ignoring: .letterCase)) == ["a"])
        let both: StoreQuery.TextFolding = [.letterCase, .diacritics]
        #expect(try library.idsByScan(Fields.note.contains("Uber", ignoring: both)) == ["a", "b"])
        #expect(
            try library.idsByScan(Fields.note.contains("الله", ignoring: both)) == [],
            "alef wasla is a letter"
        )
        #expect(try library.idsByScan(Fields.note.contains("لله", ignoring: .diacritics)) == ["c"])
        #expect(try library.idsByScan(Fields.title.contains("%")) == [])
    }

    @Test func prefixesEndWhereTheNextTextBegins() throws {
        for (id, title) in [("a", "x\u{d7ff}y"), ("b", "x\u{e000}"), ("c", "x\u{10ffff}z"), ("d", "y")] {
            try library.add(id, title: title)
        }
        #expect(try library.ids(Fields.title.hasPrefix("x\u{d7ff}")) == ["a"])
        #expect(try library.ids(Fields.title.hasPrefix("x\u{10ffff}")) == ["c"])
        #expect(try library.ids(Fields.title.hasPrefix("x")) == ["a", "b", "c"])
        #expect(try library.ids(Fields.title.hasPrefix("\u{10ffff}")) == [])
    }

    @Test func decimalsAreComparedByTheirValue() throws {
        for (id, price) in [("a", "9.5"), ("b", "10"), ("c", "-3"), ("d", "10.50"), ("e", "0.001")] {
            try library.add(id, price: price)
        }
        let query = SyncQuery<Book>().sort(by: Fields.price).allowingScan()
        #expect(try library.books.query(query).map(\.id) == ["c", "e", "a", "b", "d"])
        #expect(try library.idsByScan(Fields.price > 9) == ["a", "b", "d"])
        #expect(try library.idsByScan(Fields.price.isIn(-3...10)) == ["a", "b", "c", "e"])
        #expect(try library.ids(Fields.price == Decimal(string: "10.5") ?? 0) == ["d"], "equal ones by index")
        let pages = try library.books.query(query.limit(2))
        #expect(try library.books.query(query.after(pages[1]).limit(2)).map(\.id) == ["a", "b"])
    }

    @Test func pagesAreReadInBothDirections() throws {
        for number in 1...7 { try library.add("k\(number)", title: "t\(number / 2)") }
        let query = SyncQuery<Book>().sort(by: Fields.title, order: .descending).limit(3)
        let all = try library.books.query(SyncQuery<Book>().sort(by: Fields.title, order: .descending))
        let second = try library.books.query(query.after(all[2]))
        #expect(second == Array(all[3...5]))
        #expect(try library.books.query(query.before(second[0])) == Array(all[0...2]))
        #expect(try library.books.query(query.before(all[1])) == [all[0]])
        #expect(try library.books.query(query.before(all[0])) == [])
    }

    @Test func elementsOfListsAreFoundByTheirIndex() throws {
        try library.add("a", tags: ["red", "old"])
        try library.add("b", tags: ["red"])
        try library.add("c")
        #expect(try library.ids(Fields.tags.contains("red")) == ["a", "b"])
        #expect(try library.ids(Fields.tags.containsAny(of: ["old", "new"])) == ["a"])
        #expect(try library.ids(Fields.tags.containsAll(of: ["old", "red"])) == ["a"])
        #expect(try library.ids(Fields.tags.containsAny(of: [])) == [])
        #expect(try library.idsByScan(Fields.tags.containsAll(of: [])) == ["a", "b", "c"])
        #expect(try library.idsByScan(!Fields.tags.contains("old")) == ["b", "c"])
        var book = try #require(try library.books.find("a"))
        book.tags = ["blue", "old"]
        try library.books.update(book)
        try library.books.delete("b")
        #expect(try library.ids(Fields.tags.contains("red")) == [])
        #expect(try library.ids(Fields.tags.contains("blue") || Fields.title == "none") == ["a"])
    }

    @Test func conditionsFollowReferencesInBothDirections() throws {
        try library.add("a", on: "s1", title: "One")
        try library.add("b", on: "s2", title: "Two")
        try library.add("c", title: "Three")
        #expect(try library.ids(Fields.shelfId.refers(to: Shelf.Fields.room == "Study")) == ["b"])
        #expect(
            try library.idsByScan(Fields.shelfId.refers(to: Shelf.Fields.room != "Study")) == ["a"],
            "a condition without index is tested where it stands"
        )
        func shelves(_ condition: FieldCondition<Shelf>) throws -> [String] {
            try library.shelves.query { $0.filter(condition).allowingScan() }.map(\.id)
        }
        #expect(try shelves(Fields.shelfId.isReference(where: Fields.title == "Two")) == ["s2"])
        #expect(try shelves(Fields.shelfId.isReference(to: Shelf.self)) == ["s1", "s2"])
        #expect(try shelves(!Fields.shelfId.isReference(to: Shelf.self)) == ["s3"])
        try library.books.delete("b")
        #expect(
            try shelves(Fields.shelfId.isReference(to: Shelf.self)) == ["s1"],
            "deleted records refer to nothing"
        )
    }

    @Test func aQueryThatNoIndexServesIsAnErrorThatNamesTheField() throws {
        for (condition, field) in [
            (Fields.note.contains("x"), "note"), (!(Fields.title == "a"), "title"),
            (Fields.title == "a" || Fields.note == "b", "title"), (Fields.price > 3, "price"),
            (Fields.shelfId.refers(to: Shelf.Fields.room != "Hall"), "shelfId"),
            (Fields.note == "b" || Fields.pages == 3, "note"),
        ] {
            let error = try #require(throws: SyncError.self) { try library.ids(condition) }
            #expect(
                error.message.contains("'\(field)'") && error.message.contains("ndex"),
                "\(error.message)"
            )
            #expect(try library.idsByScan(condition) == [])
        }
        let error = try #require(throws: SyncError.self) {
            try library.shelves.query { $0.filter(Fields.shelfId.isReference(to: Shelf.self)) }
        }
        #expect(error.help.contains("allowingScan"))
    }
}
