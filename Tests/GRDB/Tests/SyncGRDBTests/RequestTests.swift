import EntitySync
import Foundation
import GRDB
import SyncGRDB
import Testing

/// GRDB's requests over the views.
@Suite struct RequestTests {
    let stage: Stage

    init() throws {
        stage = try Stage()
        try stage.bookmarks.insert(try .full())
        try stage.bookmarks.insert(.sample(surah: 3))
    }

    private func surahs(_ request: QueryInterfaceRequest<Bookmark>) throws -> [Int] {
        try stage.reader.read { try request.order { $0.surahNumber.column }.fetchAll($0) }.map(\.surahNumber)
    }

    @Test func plainColumnsFilterAndSort() throws {
        #expect(try surahs(Bookmark.filter(Column("surahNumber") == 2)) == [2])
        let newest = Bookmark.order(Column("surahNumber").desc).limit(1)
        #expect(try stage.reader.read { try newest.fetchOne($0)?.surahNumber } == 3)
        #expect(try stage.reader.read { try Bookmark.filter(Column("notes") == nil).fetchCount($0) } == 1)
    }

    @Test func aRecordIsFoundByItsKey() throws {
        let all = try stage.bookmarks.all()
        for bookmark in all {
            #expect(try stage.reader.read { try Bookmark.fetchOne($0, id: bookmark.id) } == bookmark)
        }
        #expect(try surahs(Bookmark.filter(ids: all.map(\.id))) == [2, 3])
        #expect(try stage.reader.read { try Bookmark.fetchOne($0, id: UUID()) } == nil)
        #expect(try stage.reader.read { try Reader.find($0, id: "ada").name } == "Ada")
        let day = try #require(CalendarDate("2026-01-31"))
        let status = try stage.space.collection(ReadStatus.self).insert(
            ReadStatus(day: day, surahNumber: 2, verses: 7)
        )
        let key = ["day": "2026-01-31", "surahNumber": 2] as [String: any DatabaseValueConvertible]
        #expect(try stage.reader.read { try ReadStatus.fetchOne($0, key: key) } == status)
    }

    @Test func fieldsCompareInTheFormOfTheView() throws {
        let full = try #require(try stage.bookmarks.all().first { $0.surahNumber == 2 })
        let created = try #require(full.createdAt)
        #expect(try surahs(Bookmark.filter { $0.id == full.id }) == [2])
        #expect(try surahs(Bookmark.filter { $0.id != full.id }) == [3])
        #expect(try surahs(Bookmark.filter { $0.createdAt == created }) == [2, 3])
        #expect(try surahs(Bookmark.filter { $0.createdAt > created.addingTimeInterval(-0.001) }) == [2, 3])
        #expect(try surahs(Bookmark.filter { $0.createdAt < created }) == [])
        #expect(try surahs(Bookmark.filter { $0.isRead == true && $0.surahNumber <= 2 }) == [2])
        #expect(try surahs(Bookmark.filter { $0.day >= CalendarDate("2026-01-01") }) == [2])
        #expect(try surahs(Bookmark.filter { $0.notes == nil }) == [3])
        #expect(try surahs(Bookmark.filter { $0.notes != nil }) == [2])
        #expect(try surahs(Bookmark.filter { $0.mood == .unknown("hungry") }) == [2])
        #expect(try surahs(Bookmark.filter { $0.mood != .unknown("hungry") }) == [3])
        #expect(try surahs(Bookmark.filter { $0.second == .glad }) == [2])
        #expect(try surahs(Bookmark.filter { $0.second == nil }) == [3])
        #expect(try surahs(Bookmark.filter { $0.second != nil }) == [2])
    }

    @Test func decimalsCompareByValue() throws {
        for (surah, price) in [(4, "9.5"), (5, "10"), (6, "-3")] {
            var bookmark = Bookmark.sample(surah: surah)
            bookmark.price = Decimal(string: price)
            try stage.bookmarks.insert(bookmark)
        }
        #expect(try surahs(Bookmark.filter { $0.price == Decimal(string: "10.0") }) == [5])
        #expect(try surahs(Bookmark.filter { $0.price > 9 && $0.price < 100 }) == [4, 5])
        #expect(try surahs(Bookmark.filter { $0.price <= -3 }) == [6])
    }

    @Test func aConditionOfACollectionStaysOne() throws {
        let condition = Bookmark.Fields.surahNumber == 2
        #expect(try stage.bookmarks.query { $0.filter(condition).allowingScan() }.count == 1)
    }

    @Test func associationsJoinViews() throws {
        let reader = Bookmark.belongsTo(Reader.self, using: ForeignKey(["readerId"], to: ["id"]))
        #expect(try surahs(Bookmark.joining(required: reader.filter { $0.name == "Ada" })) == [2, 3])
        #expect(try surahs(Bookmark.joining(required: reader.filter { $0.name == "Bob" })) == [])
    }
}
