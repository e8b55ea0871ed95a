import EntitySync
import Foundation
import SyncChecks

/// Books on shelves, for queries of any form.
struct Library {
    let scratch: Scratch
    let space: SyncSpace

    var books: SyncCollection<Book> { space.collection(Book.self) }
    var shelves: SyncCollection<Shelf> { space.collection(Shelf.self) }

    init() throws {
        scratch = try Scratch()
        space = try SyncSpace.open(
            SpaceConfiguration(folder: scratch.path + "/library", entities: [Shelf.self, Book.self])
        )
        for (shelf, room) in [("s1", "Hall"), ("s2", "Study"), ("s3", "Study")] {
            try shelves.insert(Shelf(id: shelf, room: room))
        }
    }

    @discardableResult
    func add(
        _ id: String,
        on shelf: String? = nil,
        title: String = "Title",
        note: String? = nil,
        price: String = "1",
        pages: Int? = nil,
        tags: [String] = []
    ) throws -> Book {
        try books.insert(
            Book(
                id: id,
                shelfId: shelf,
                title: title,
                note: note,
                price: Decimal(string: price) ?? 0,
                pages: pages,
                tags: tags
            )
        )
    }

    /// The keys of the books that meet a condition, with an index or not at all.
    func ids(_ condition: FieldCondition<Book>) throws -> [String] {
        try books.query { $0.filter(condition) }.map(\.id)
    }

    /// The same, with leave to read all of them.
    func idsByScan(_ condition: FieldCondition<Book>) throws -> [String] {
        try books.query { $0.filter(condition).allowingScan() }.map(\.id)
    }
}
