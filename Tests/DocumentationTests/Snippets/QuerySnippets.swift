import EntitySync
import Foundation
import SyncEntities
import Testing

@Suite struct QuerySnippets {
    let desk: Desk
    let space: SyncSpace

    init() throws {
        desk = try Desk()
        space = try SyncSpace.open(
            SpaceConfiguration(folder: desk.path + "/phone", entities: [Bookmark.self, Transaction.self])
        )
    }

    @Test func conditionsOrdersAndPages() throws {
        let bookmarks = space.collection(Bookmark.self)
        for verse in 1...45 {
            var bookmark = Bookmark(userId: "ada", surahNumber: verse < 5 ? 2 : 112, verseNumber: verse)
            if verse.isMultiple(of: 2) { bookmark.notes = "Mercy" }
            try bookmarks.insert(bookmark)
        }
        // snippet: query-conditions
        typealias Fields = Bookmark.Fields
        let wanted =
            Fields.surahNumber == 2 && !(Fields.notes == nil)
            || Fields.surahNumber.isIn(110...114)
        let found = try bookmarks.query { $0.filter(wanted).allowingScan() }
        // snippet end
        #expect(found.count == 2 + 41)
        // snippet: query-scan
        let all = try bookmarks.query {
            $0.filter(Bookmark.Fields.notes.contains("mercy", ignoring: .letterCase)).allowingScan()
        }
        // snippet end
        #expect(all.count == 22)
        // snippet: query-pages
        let newest = SyncQuery<Bookmark>()
            .sort(by: Bookmark.Fields.createdAt, order: .descending)
            .limit(20)
        let first = try bookmarks.query(newest)
        let second = try first.last.map { try bookmarks.query(newest.after($0)) }
        let firstAgain = try second?.first.map { try bookmarks.query(newest.before($0)) }
        // snippet end
        #expect(firstAgain == first && second?.count == 20)
    }

    @Test func severalRecordsAtOnce() throws {
        let bookmarks = space.collection(Bookmark.self)
        for verse in 1...3 {
            try bookmarks.insert(Bookmark(userId: "ada", surahNumber: 2, verseNumber: verse, notes: "Mercy"))
        }
        let (one, other) = (try bookmarks.all()[0].id, try bookmarks.all()[2].id)
        // snippet: query-several
        let hers = SyncQuery<Bookmark>().filter(Bookmark.Fields.userId == "ada")
        let first = try bookmarks.first(hers.sort(by: Bookmark.Fields.verseNumber))
        let both = try bookmarks.find(keys: [one, other])
        try bookmarks.update(hers) { $0.notes = nil }
        try bookmarks.delete(hers)
        // snippet end
        #expect(first?.verseNumber == 1 && both.map(\.id) == [one, other])
        #expect(try bookmarks.all().isEmpty)
    }

    @Test func countsAndSums() async throws {
        let transactions = space.collection(Transaction.self)
        // snippet: query-sums
        let amount = Transaction.Fields.amount
        let total = try transactions.sum(of: amount)
        let byCurrency = try transactions.sums(of: amount, by: Transaction.Fields.currency)
        let greatest = try transactions.maximum(of: amount)
        let counts = try transactions.counts(by: Transaction.Fields.date)
        // snippet end
        #expect(total == 0 && byCurrency.isEmpty && greatest == nil && counts.isEmpty)
        // snippet: query-observe
        let sums = transactions.observe { transactions, query in
            try transactions.sum(of: Transaction.Fields.amount, in: query)
        }
        // snippet end
        var iterator = sums.makeAsyncIterator()
        #expect(try await iterator.next() == 0)
    }
}
