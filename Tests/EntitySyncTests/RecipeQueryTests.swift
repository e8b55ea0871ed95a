import EntitySync
import Foundation
import SyncCore
import SyncEntities
import Testing

/// Conditions on fields that may be missing, on two fields, on members of objects, and in the order of enumerations.
@Suite struct RecipeQueryTests {
    typealias Fields = Recipe.Fields

    let kitchen: Kitchen

    init() throws { kitchen = try Kitchen() }

    @Test func rangesMayBeOpenAndTheFieldMayBeMissing() throws {
        for (id, rest) in [("a", 5), ("b", 10), ("c", 15)] {
            try kitchen.add(id, cook: rest, rest: rest)
        }
        try kitchen.add("d", cook: 0)
        #expect(try kitchen.ids(Fields.restMinutes.isIn(5...10)) == ["a", "b"])
        #expect(try kitchen.ids(Fields.restMinutes.isIn(5..<10)) == ["a"])
        #expect(try kitchen.ids(Fields.restMinutes.isIn(10...)) == ["b", "c"])
        #expect(try kitchen.ids(Fields.restMinutes.isIn(...10)) == ["a", "b"])
        #expect(try kitchen.ids(Fields.restMinutes.isIn(..<10)) == ["a"])
        #expect(try kitchen.ids(Fields.cookMinutes.isIn(10...)) == ["b", "c"])
        #expect(try kitchen.ids(Fields.cookMinutes.isIn(...10)) == ["a", "b", "d"])
        #expect(try kitchen.ids(Fields.cookMinutes.isIn(..<10)) == ["a", "d"])
        // The index serves them.
        #expect(
            try kitchen.recipes.query { $0.filter(Fields.restMinutes.isIn(10...)) }.map(\.id) == ["b", "c"]
        )
    }

    @Test func aListThatMayBeMissingIsAskedForItsElements() throws {
        try kitchen.add("a", tags: ["sweet", "quick"])
        try kitchen.add("b", tags: ["sweet"])
        try kitchen.add("c", tags: [])
        try kitchen.add("d")
        let recipes = kitchen.recipes
        #expect(try recipes.query { $0.filter(Fields.tags.contains("sweet")) }.map(\.id) == ["a", "b"])
        #expect(
            try recipes.query { $0.filter(Fields.tags.containsAny(of: ["quick", "x"])) }.map(\.id) == ["a"]
        )
        #expect(try kitchen.ids(Fields.tags.containsAll(of: ["quick", "sweet"])) == ["a"])
        #expect(try kitchen.ids(Fields.tags.containsAll(of: [String]())) == ["a", "b", "c"])
    }

    @Test func oneFieldIsComparedWithAnother() throws {
        try kitchen.add("a", cook: 10, rest: 5, soak: 5)
        try kitchen.add("b", cook: 10, rest: 7, soak: 9)
        try kitchen.add("c", cook: 10, rest: 9)
        try kitchen.add("d", cook: 10)
        #expect(
            try kitchen.ids(Fields.restMinutes == Fields.soakMinutes) == ["a", "d"],
            "both missing are the same"
        )
        #expect(try kitchen.ids(Fields.restMinutes != Fields.soakMinutes) == ["b", "c"])
        #expect(try kitchen.ids(Fields.restMinutes < Fields.soakMinutes) == ["b"])
        #expect(try kitchen.ids(Fields.restMinutes <= Fields.soakMinutes) == ["a", "b"])
        #expect(try kitchen.ids(Fields.soakMinutes > Fields.restMinutes) == ["b"])
        #expect(try kitchen.ids(Fields.soakMinutes >= Fields.restMinutes) == ["a", "b"])
        #expect(try kitchen.ids(Fields.id == Fields.title) == ["a", "b", "c", "d"])
        // One may be missing where the other is always there.
        #expect(try kitchen.ids(Fields.restMinutes < Fields.cookMinutes) == ["a", "b", "c"])
        #expect(try kitchen.ids(Fields.cookMinutes >= Fields.soakMinutes) == ["a", "b"])
        #expect(try kitchen.ids(Fields.cookMinutes == Fields.soakMinutes) == [])
        #expect(try kitchen.ids(Fields.soakMinutes != Fields.cookMinutes) == ["a", "b", "c", "d"])
        #expect(throws: SyncError.self) {
            try kitchen.recipes.query { $0.filter(Fields.restMinutes < Fields.soakMinutes) }
        }
    }

    @Test func membersOfAnObjectAreAskedForLikeFields() throws {
        let noon = Date(timeIntervalSince1970: 1_800_000_000)
        try kitchen.add(
            "a",
            source: .init(name: "Ma's book", page: 12, readAt: noon, words: ["stir", "wait"])
        )
        try kitchen.add("b", source: .init(name: "B\"ook", page: 7, readAt: noon.addingTimeInterval(0.5)))
        try kitchen.add("c", source: .init(name: "Book"))
        try kitchen.add("d")
        #expect(try kitchen.ids(Fields.source.name == "Ma's book") == ["a"])
        #expect(try kitchen.ids(Fields.source.name == "B\"ook") == ["b"])
        #expect(try kitchen.ids(Fields.source.name == nil) == ["d"])
        #expect(try kitchen.ids(Fields.source.name.hasPrefix("B")) == ["b", "c"])
        #expect(
            try kitchen.ids(Fields.source.name.contains("OOK", ignoring: .letterCase)) == ["a", "b", "c"]
        )
        #expect(try kitchen.ids(Fields.source.page > 7) == ["a"])
        #expect(try kitchen.ids(Fields.source.page.isIn(...12)) == ["a", "b"])
        #expect(try kitchen.ids(Fields.source.page.hasValue) == ["a", "b"])
        #expect(try kitchen.ids(Fields.source.page.isOne(of: [7, nil])) == ["b", "c", "d"])
        #expect(try kitchen.ids(Fields.source.readAt == noon) == ["a"])
        #expect(try kitchen.ids(Fields.source.readAt > noon) == ["b"], "half a second later is later")
        #expect(try kitchen.ids(Fields.source.readAt <= noon) == ["a"])
        #expect(try kitchen.ids(Fields.source.words.contains("wait")) == ["a"])
        #expect(
            try kitchen.ids(Fields.source.isOurs == false) == ["a", "b", "c"],
            "without a source there is no default"
        )
        #expect(try kitchen.ids(Fields.source.isOurs == true) == [])
        let error = try #require(throws: SyncError.self) {
            try kitchen.recipes.query { $0.filter(Fields.source.page == 7) }
        }
        #expect(error.message.contains("'source.page'"), "\(error)")
    }

    @Test func enumerationsComeInTheOrderOfTheSchema() throws {
        try kitchen.add("a", level: .hard, care: .much)
        try kitchen.add("b", level: .easy, care: Recipe.Care.low)
        try kitchen.add("c", level: .medium)
        try kitchen.add("d", level: .unknown("chef's"), care: .fair)
        let sorted = SyncQuery<Recipe>().sort(by: Fields.level).allowingScan()
        #expect(try kitchen.recipes.query(sorted).map(\.id) == ["b", "c", "a", "d"])
        let last = try #require(try kitchen.recipes.query(sorted.limit(2)).last)
        #expect(
            try kitchen.recipes.query(sorted.after(last)).map(\.id) == ["a", "d"],
            "pages keep the order"
        )
        let back = SyncQuery<Recipe>().sort(by: Fields.care, order: .descending).allowingScan()
        #expect(try kitchen.recipes.query(back).map(\.id) == ["a", "d", "b", "c"])
        #expect(try kitchen.ids(Fields.level < .hard) == ["b", "c"])
        #expect(try kitchen.ids(Fields.level >= .medium) == ["a", "c"])
        #expect(try kitchen.ids(Fields.level <= .unknown("chef's")) == [])
        #expect(try kitchen.ids(Fields.care > Recipe.Care.low) == ["a", "d"])
        #expect(
            try kitchen.recipes.query { $0.filter(Fields.level > .easy) }.map(\.id) == ["a", "c"],
            "by index"
        )
    }

    @Test func anObservedOrderOfAnEnumerationStaysRight() async throws {
        try kitchen.add("a", level: .hard)
        let recipes = kitchen.recipes
        var seen = recipes.observe(SyncQuery().sort(by: Fields.level).allowingScan()).makeAsyncIterator()
        #expect(try await seen.next()?.map(\.id) == ["a"])
        try kitchen.add("b", level: .medium)
        #expect(try await seen.next()?.map(\.id) == ["b", "a"])
        try kitchen.add("c", level: .unknown("a"))
        #expect(try await seen.next()?.map(\.id) == ["b", "a", "c"])
    }

    @Test func recordsComeWithTheirChildren() throws {
        for id in ["a", "b", "c"] { try kitchen.add(id) }
        for (id, recipe, place) in [("1", "a", 2), ("2", "a", 1), ("3", "b", 1)] {
            try kitchen.steps.insert(Step(id: id, recipeId: recipe, position: place, text: id))
        }
        let all = try kitchen.recipes.query(
            SyncQuery(),
            with: Step.Fields.recipeId,
            SyncQuery().sort(by: Step.Fields.position)
        )
        #expect(all.map(\.record.id) == ["a", "b", "c"])
        #expect(all.map { $0.children.map(\.id) } == [["2", "1"], ["3"], []])
    }
}

/// Several records in one call.
@Suite struct SeveralRecordsTests {
    typealias Fields = Recipe.Fields

    let kitchen: Kitchen

    init() throws { kitchen = try Kitchen() }

    @Test func recordsAreFoundByKeysAndTheFirstOfAQuery() throws {
        for id in ["a", "b", "c"] { try kitchen.add(id) }
        #expect(try kitchen.recipes.find(keys: ["c", "x", "a"]).map(\.id) == ["c", "a"])
        let last = SyncQuery<Recipe>().sort(by: Fields.title, order: .descending)
        #expect(try kitchen.recipes.first(last)?.id == "c")
        #expect(try kitchen.recipes.first(last.filter(Fields.title == "x")) == nil)
    }

    @Test func aRecordThatWasReadIsDeleted() throws {
        let recipe = try kitchen.add("a")
        try kitchen.recipes.delete(recipe)
        #expect(try kitchen.recipes.find("a") == nil)
        #expect(throws: SyncError.self) { try kitchen.recipes.delete(recipe) }
    }

    @Test func allRecordsOfAQueryAreChangedOrNone() throws {
        for (id, cook) in [("a", 10), ("b", 20), ("c", 30)] { try kitchen.add(id, cook: cook) }
        let long = SyncQuery<Recipe>().filter(Fields.cookMinutes >= 20)
        #expect(try kitchen.recipes.update(long) { $0.level = .hard } == 2)
        #expect(try kitchen.ids(Fields.level == .hard) == ["b", "c"])
        let error = try #require(throws: SyncError.self) {
            try kitchen.recipes.update(SyncQuery().sort(by: Fields.cookMinutes)) { $0.cookMinutes -= 15 }
        }
        #expect(error.record == RecordKey("a") && error.kind == .invalidInput, "\(error)")
        #expect(try kitchen.recipes.all().map(\.cookMinutes) == [10, 20, 30], "none is changed")
    }

    @Test func aWriteToAllRecordsOfAQueryRevivesNoDeletedOne() throws {
        for id in ["a", "b"] { try kitchen.add(id) }
        try kitchen.recipes.delete("b")
        let all = SyncQuery<Recipe>().includingDeleted()
        #expect(try kitchen.recipes.update(all) { $0.level = .hard } == 1)
        #expect(try kitchen.recipes.all().map(\.id) == ["a"])
        #expect(try kitchen.recipes.delete(all) == 1)
    }

    @Test func allRecordsOfAQueryAreDeletedWithTheirChildren() throws {
        for (id, cook) in [("a", 10), ("b", 20), ("c", 30)] {
            try kitchen.add(id, cook: cook)
            try kitchen.steps.insert(Step(id: id, recipeId: id, position: 1, text: "stir"))
        }
        #expect(try kitchen.recipes.delete(SyncQuery().filter(Fields.cookMinutes > 10)) == 2)
        #expect(try kitchen.recipes.all().map(\.id) == ["a"])
        #expect(try kitchen.steps.all().map(\.id) == ["a"])
    }

    @Test func recordsWithTheirChildrenAreSeenAgainWhenAChildChanges() async throws {
        try kitchen.add("a")
        let both = kitchen.recipes.observe(SyncQuery(), with: Step.Fields.recipeId)
        var seen = both.makeAsyncIterator()
        #expect(try await seen.next()?.map(\.children.count) == [0])
        try await kitchen.steps.insert(Step(id: "1", recipeId: "a", position: 1, text: "stir"))
        #expect(try await seen.next()?.map(\.children.count) == [1])
        try kitchen.add("b")
        #expect(try await seen.next()?.map(\.children.count) == [1, 0])
    }

    @Test func whereNoIndexCanHelpTheErrorProposesNone() throws {
        let order = try #require(throws: SyncError.self) {
            try kitchen.recipes.query { $0.sort(by: Fields.level) }
        }
        #expect(order.help.contains("allowingScan"), "\(order)")
        let member = try #require(throws: SyncError.self) {
            try kitchen.recipes.query { $0.sort(by: Fields.source.page).allowingScan() }
        }
        #expect(member.message.contains("member of an object"), "\(member)")
    }
}

/// What a record lacks counts as what its model shows: the default of the schema.
@Suite struct MissingFieldTests {
    typealias Fields = Recipe.Fields

    let kitchen: Kitchen

    /// One recipe of each effort, and `none`, as another version of the app has written it.
    init() throws {
        kitchen = try Kitchen()
        let rest = #""title": "t", "level": "easy", "cookMinutes": 4"#
        var lines = [(1, 5), (2, 2), (3, 9), (7, 1)].map { effort, portions in
            #"{"id": "e\#(effort)", "effort": \#(effort), "portions": \#(portions), \#(rest)}"#
        }
        lines.append(#"{"id": "none", \#(rest)}"#)
        let file = kitchen.scratch.file("recipes.jsonl")
        try lines.joined(separator: "\n").write(to: file)
        try kitchen.recipes.importRecords(from: file)
    }

    @Test func numbersOfAnEnumerationComeInTheOrderOfTheSchema() throws {
        let sorted = SyncQuery<Recipe>().sort(by: Fields.effort).allowingScan()
        let ids = ["e3", "e1", "none", "e2", "e7"]
        #expect(try kitchen.recipes.query(sorted).map(\.id) == ids)
        for (place, id) in ids.enumerated() {
            let record = try #require(try kitchen.recipes.find(id))
            #expect(try kitchen.recipes.query(sorted.after(record)).map(\.id) == Array(ids[(place + 1)...]))
            #expect(try kitchen.recipes.query(sorted.before(record)).map(\.id) == Array(ids[..<place]))
        }
    }

    @Test func anObservationSortsThemTheSame() async throws {
        let sorted = SyncQuery<Recipe>().sort(by: Fields.effort, order: .descending).allowingScan()
        var seen = kitchen.recipes.observe(sorted).makeAsyncIterator()
        #expect(try await seen.next()?.map(\.id) == ["e7", "e2", "none", "e1", "e3"])
        try await kitchen.recipes.update("e7") { $0.effort = .init(rawValue: 3) }
        #expect(try await seen.next()?.map(\.id) == ["e2", "none", "e1", "e7", "e3"])
    }

    @Test func rangesAndOtherFieldsMeetTheDefault() throws {
        #expect(try kitchen.ids(Fields.portions <= 4) == ["e2", "e7", "none"])
        #expect(try kitchen.ids(Fields.portions > 4) == ["e1", "e3"])
        #expect(try kitchen.ids(Fields.portions.isIn(4..<6)) == ["e1", "none"])
        #expect(try kitchen.ids(Fields.portions == Fields.cookMinutes) == ["none"])
        #expect(try kitchen.ids(Fields.portions < Fields.cookMinutes) == ["e2", "e7"])
        #expect(
            try kitchen.recipes.query { $0.filter(Fields.portions < 5) }.map(\.id) == ["e2", "e7", "none"],
            "by index"
        )
    }

    @Test func recordsThatLookTheSameAreEqualThoughOneLacksAField() throws {
        let rest = #""title": "t", "level": "easy", "cookMinutes": 4"#
        let file = kitchen.scratch.file("same.jsonl")
        try #"{"id": "same", \#(rest), "restMinutes": null}"#.write(to: file)
        let absent = try #require(try kitchen.recipes.find("none"))
        try kitchen.recipes.importRecords(from: file)
        var null = try #require(try kitchen.recipes.find("same"))
        null.id = "none"
        #expect(null == absent)
        #expect(Set([null, absent]).count == 1)
        try kitchen.recipes.export(to: file)
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.filter { $0.contains("restMinutes") }.count == 1, "what is sent tells them apart")
    }

    @Test func setsAreComparedWithoutTheOrderOfTheirElements() {
        let one = Project.sample(members: ["a", "b"])
        #expect(one == Project.sample(members: ["b", "a", "b"]))
        #expect(one != Project.sample(members: ["a"]))
        #expect(Set([one, Project.sample(members: ["b", "a"])]).count == 1)
    }

    @Test func aKeyThatAnUpdateChangesReplacesNoOtherRecord() throws {
        let before = try kitchen.recipes.all()
        let error = try #require(throws: SyncError.self) {
            try kitchen.recipes.update(SyncQuery().filter(Fields.portions == 4)) { $0.id = "e1" }
        }
        #expect(error == SyncError.keyChange(entity: "recipe").of(record: "none"))
        #expect(throws: SyncError.keyChange(entity: "recipe")) {
            try kitchen.recipes.update(before[0]) { $0.id = "e2" }
        }
        #expect(try kitchen.recipes.all() == before)
    }
}

extension SyncError {
    fileprivate func of(record: String) -> SyncError {
        var error = self
        error.record = RecordKey(record)
        return error
    }
}

extension Project {
    fileprivate static func sample(members: [String]) -> Project {
        Project(id: "p", companyId: "c", title: "t", teamMemberIds: members)
    }
}
