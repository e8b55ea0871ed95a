import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// Records are found by key and by indexed fields, with names and types that the compiler checks.
@Suite struct QueryTests {
    typealias Fields = Bookmark.Fields

    let scratch: Scratch
    let clock = ManualClock()
    let space: SyncSpace

    init() throws {
        scratch = try Scratch()
        space = try SyncSpace.open(scratch: scratch, clock: clock)
    }

    /// Verses 1 to 9 of chapters 2 and 3, a minute apart.
    private func fill() throws {
        for surah in [2, 3] {
            for verse in 1...9 {
                try space.bookmarks.insert(.verse(verse: verse, surah: surah))
                clock.advance(seconds: 60)
            }
        }
    }

    private func verses(build: (SyncQuery<Bookmark>) -> SyncQuery<Bookmark>) throws -> [Int] {
        try space.bookmarks.query(build).map { $0.surahNumber * 100 + $0.verseNumber }
    }

    @Test func recordsAreFoundByTheirKeys() throws {
        try fill()
        let keys = [9, 1, 42].map { Bookmark.verse(verse: $0).id }
        #expect(try verses { $0.filter(Fields.id == keys[0]) } == [209])
        #expect(try verses { $0.filter(Fields.id.isOne(of: keys)) } == [201, 209])
        #expect(try verses { $0.sort(by: Fields.id, order: .descending).limit(2) } == [309, 308])
        #expect(try verses { $0.limit(2) } == [201, 202])
    }

    @Test func conditionsHoldTogether() throws {
        try fill()
        #expect(
            try verses {
                $0.filter(Fields.userId == "u1", Fields.surahNumber == 3).filter(
                    Fields.verseNumber.isIn(4..<6)
                )
            } == [304, 305]
        )
        #expect(try verses { $0.filter(Fields.userId == "u2") } == [])
        #expect(try verses { $0.filter(Fields.userId == "u1", Fields.surahNumber > 3) } == [])
        #expect(
            try verses { $0.filter(Fields.userId == "u1", Fields.surahNumber.isOne(of: [])) } == []
        )
    }

    @Test func rangesHaveTheEndsThatTheirOperatorSays() throws {
        try fill()
        let third = try #require(try space.bookmarks.find(Bookmark.verse(verse: 3).id)?.createdAt)
        #expect(try verses { $0.filter(Fields.createdAt < third) } == [201, 202])
        #expect(try verses { $0.filter(Fields.createdAt <= third) } == [201, 202, 203])
        #expect(
            try verses { $0.filter(Fields.createdAt > third).limit(1).sort(by: Fields.createdAt) } == [204]
        )
        #expect(
            try verses { $0.filter(Fields.createdAt >= third).limit(1).sort(by: Fields.createdAt) } == [203]
        )
        #expect(try verses { $0.filter(Fields.createdAt.isIn(third...third)) } == [203])
    }

    @Test func nullIsFoundAndLiesInNoRange() throws {
        let day = Date(timeIntervalSince1970: 1_767_225_600)
        try space.projects.insert(.named(id: "without"))
        try space.projects.insert(.named(id: "with", start: day))
        typealias Fields = Project.Fields
        func names(condition: FieldCondition<Project>) throws -> [String] {
            try space.projects.query { $0.filter(condition) }.map(\.id)
        }
        #expect(try names(condition: Fields.startDate == nil) == ["without"])
        #expect(try names(condition: Fields.startDate == day) == ["with"])
        #expect(try names(condition: Fields.startDate.hasValue) == ["with"])
        #expect(try names(condition: Fields.startDate <= day) == ["with"])
        #expect(try names(condition: Fields.startDate.isOne(of: [nil, day])) == ["with", "without"])
        #expect(
            try space.projects.query { $0.sort(by: Fields.startDate) }.map(\.id) == ["without", "with"]
        )
    }

    @Test func enumsAndSeveralIndexesAreUsedTogether() throws {
        for (name, status) in [("p1", Project.Status.rfq), ("p2", .closed), ("p3", .unknown("paused"))] {
            try space.projects.insert(.named(id: name, status: status))
        }
        typealias Fields = Project.Fields
        func names(status: Project.Status) throws -> [String] {
            try space.projects.query {
                $0.filter(Fields.companyId == "c1", Fields.status == status).sort(by: Fields.startDate)
            }.map(\.id)
        }
        #expect(try names(status: .closed) == ["p2"])
        #expect(try names(status: .unknown("paused")) == ["p3"])
    }

    @Test func enumsOfIntegersAreAskedForByTheirCases() throws {
        let space = try SyncSpace.open(
            SpaceConfiguration(folder: scratch.path + "/pins", entities: [Pin.self])
        )
        let pins = space.collection(Pin.self)
        for (id, stars) in [("a", Pin.Stars.value3), ("b", .unknown(5)), ("c", nil)] {
            try pins.insert(Pin(id: id, label: id, stars: stars))
        }
        #expect(try pins.query { $0.filter(Pin.Fields.stars == .value3) }.map(\.id) == ["a"])
        #expect(try pins.query { $0.filter(Pin.Fields.stars == .unknown(5)) }.map(\.id) == ["b"])
        #expect(
            try pins.query { $0.filter(Pin.Fields.stars.isOne(of: [.value3, nil])) }.map(\.id) == ["a", "c"]
        )
        #expect(try pins.find("b")?.stars?.rawValue == 5)
    }

    @Test(arguments: [SyncQuery<Bookmark>.Order.ascending, .descending], [1, 4, 7])
    func pagesGiveEachRecordOnce(order: SyncQuery<Bookmark>.Order, size: Int) throws {
        for verse in 1...18 {
            // Two have the same time each, so that the key has to decide.
            if verse % 2 == 0 { clock.advance(seconds: 60) }
            try space.bookmarks.insert(.verse(verse: verse))
        }
        let query = SyncQuery<Bookmark>().sort(by: Fields.createdAt, order: order)
        var pages: [[Bookmark]] = []
        var page = try space.bookmarks.query(query.limit(size))
        while let last = page.last {
            pages.append(page)
            page = try space.bookmarks.query(query.limit(size).after(last))
        }
        let whole = try space.bookmarks.query(query)
        #expect(pages.flatMap { $0 } == whole)
        #expect(whole.map(\.verseNumber).sorted() == Array(1...18))
        #expect(pages.dropLast().allSatisfy { $0.count == size })
    }

    @Test(arguments: [SyncQuery<Project>.Order.ascending, .descending])
    func pagesPassOverNulls(order: SyncQuery<Project>.Order) throws {
        let day = Date(timeIntervalSince1970: 1_767_225_600)
        for (name, start) in [("a", nil), ("b", day), ("c", nil), ("d", day.addingTimeInterval(60))] {
            try space.projects.insert(.named(id: name, start: start))
        }
        let query = SyncQuery<Project>().sort(by: Project.Fields.startDate, order: order).limit(1)
        var names: [String] = []
        var page = try space.projects.query(query)
        while let last = page.last {
            names.append(last.id)
            page = try space.projects.query(query.after(last))
        }
        #expect(names == (order == .ascending ? ["a", "c", "b", "d"] : ["d", "b", "c", "a"]))
    }

    @Test func deletedRecordsAreAnsweredWhenAskedFor() throws {
        try fill()
        try space.bookmarks.delete(Bookmark.verse(verse: 1).id)
        let first = SyncQuery<Bookmark>().sort(by: Fields.createdAt).limit(1)
        #expect(try space.bookmarks.query(first).map(\.verseNumber) == [2])
        #expect(try space.bookmarks.query(first.includingDeleted()).map(\.verseNumber) == [1])
    }

    @Test func aFieldWithoutIndexIsAnErrorThatNamesIt() throws {
        let condition = try #require(throws: SyncError.self) { try verses { $0.filter(Fields.notes == "x") } }
        #expect(condition.message.contains("'notes', which has no index"))
        #expect(condition.help.contains(#"Add ["notes"] to 'indexes'"#))
        let order = try #require(throws: SyncError.self) { try verses { $0.sort(by: Fields.verseText) } }
        #expect(order.message.contains("'verseText'"))
    }

    @Test func aFieldThatNoIndexBeginsWithIsAnErrorThatNamesIt() throws {
        let error = try #require(throws: SyncError.self) {
            try verses { $0.filter(Fields.verseNumber == 1).sort(by: Fields.createdAt) }
        }
        #expect(error.message.contains("'verseNumber', which no index that fits the query begins with"))
    }

    @Test func whoAsksForADefaultAlsoGetsRecordsWithoutTheField() throws {
        // A model shows the default where an older app left the field out.
        func test(condition: FieldCondition<Project>) throws -> StoreQuery.Test? {
            try SyncQuery<Project>().filter(condition).storeQuery().conditions.first?.test
        }
        #expect(try test(condition: Project.Fields.allDay == false) == .oneOf([.boolean(false), .null]))
        #expect(try test(condition: Project.Fields.allDay == true) == .equals(.boolean(true)))
        #expect(try test(condition: Project.Fields.startDate == nil) == .equals(.null))
    }

    @Test func aBatchFindsWhatItWrote() throws {
        try fill()
        try space.write { batch in
            try batch.delete(Bookmark.self, key: Bookmark.verse(verse: 1).id)
            let left = try batch.query(SyncQuery<Bookmark>().sort(by: Fields.createdAt).limit(1))
            #expect(left.map(\.verseNumber) == [2])
        }
    }
}
