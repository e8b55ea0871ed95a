import Foundation
import SyncChecks
import SyncCore
import SyncFileBackend
import SyncRuntime
import SyncStore
import Testing

/// Apps with older and newer schemas on one account.
@Suite struct EvolutionTests {
    private static let rating = FieldDescriptor(name: "rating", type: .integer())
    private static let hits = FieldDescriptor(name: "hits", type: .integer(), merge: .max)
    private static let last = FieldDescriptor(name: "place", type: .string(), merge: .lastWriteWins)

    @Test func aDeleteIsTakenInAlthoughItsLastValuesDoNotFit() async throws {
        try await withFolder { path in
            let code = FieldDescriptor(name: "code", type: .string())
            let short = FieldDescriptor(name: "code", type: .string(maxLength: 3))
            let loose = try App(
                name: "loose",
                path: path,
                entity: Entities.note(strategy: .lastWriteWins, fields: [code])
            )
            let strict = try App(
                name: "strict",
                path: path,
                entity: Entities.note(strategy: .lastWriteWins, fields: [short])
            )
            try loose.put(#"{"id":"a","title":"t","code":"abc"}"#)
            try await loose.sync()
            try await strict.sync()
            try loose.put(#"{"id":"a","code":"much too long"}"#)
            try loose.delete(key: "a")
            try await loose.sync()
            try await strict.sync()
            #expect(try strict.counts(entity: strict.entity).records == 0)
            #expect(try strict.counts(entity: strict.entity).deleted == 1)
            #expect(try strict.rejections() == 0)
        }
    }

    @Test func aLinkFromBeforeTheCheckOfURIsTravelsOnAndIsMendedWithTheNextEdit() async throws {
        try await withFolder { path in
            func note(_ type: FieldType) -> EntityDescriptor {
                let link = FieldDescriptor(name: "link", type: type)
                return Entities.note(strategy: .lastWriteWins, fields: [link])
            }
            let own = try App(name: "own", path: path, entity: note(.string()))
            try own.put(#"{"id":"a","title":"t","link":"example.org"}"#)
            try own.update(entity: note(.uri()))
            #expect(try own.counts(entity: own.entity).records == 1)
            try await own.sync()
            #expect(try own.rejections() == 0)
            let new = try App(name: "new", path: path, entity: note(.uri()))
            try await new.sync()
            #expect(try new.wire(keys: "title", "link") == ["title": "t", "link": "example.org"])
            #expect(try new.rejections() == 0)

            #expect(throws: SyncError.self) { try own.put(#"{"id":"a","title":"u"}"#) }
            try own.put(#"{"id":"a","title":"u","link":"https://example.org"}"#)
            try await converge(own, new)
            #expect(try new.wire(keys: "title", "link") == ["title": "u", "link": "https://example.org"])
            #expect(try new.rejections() == 0)
        }
    }

    private func converge(_ apps: App...) async throws {
        for _ in 0..<3 { for app in apps { try await app.sync() } }
    }

    static let byField: [EntityDescriptor] = [
        Entities.note(strategy: .lastWriteWins, granularity: .field), Entities.note(strategy: .setUnion),
    ]

    private static func adding(fields: [FieldDescriptor], to entity: EntityDescriptor) -> EntityDescriptor {
        Entities.note(strategy: entity.strategy, granularity: entity.granularity, fields: fields)
    }

    @Test(arguments: byField, [true, false])
    func editsOfFieldsThatAnOlderAppDoesNotKnowSurviveItsMerges(entity: EntityDescriptor, oldFirst: Bool)
        async throws
    {
        try await withFolder { path in
            let old = try App(name: "old", path: path, entity: entity)
            let new = try App(
                name: "new",
                path: path,
                entity: Self.adding(fields: [Self.rating, Entities.tags], to: entity)
            )
            try new.put(#"{"id":"a","title":"t","rating":1,"tags":["x","y"]}"#)
            try await converge(new, old)
            try old.put(#"{"id":"a","title":"old's"}"#)
            try new.put(#"{"id":"a","rating":5,"tags":["y","z"]}"#)
            if oldFirst { try await converge(old, new) } else { try await converge(new, old) }
            let merged = ["title": "old's", "rating": "5", "tags": "yz"]
            #expect(try old.wire(keys: "title", "rating", "tags") == merged)
            #expect(try new.wire(keys: "title", "rating", "tags") == merged)
            #expect(try old.journal() + new.journal() == 0)
        }
    }

    @Test(arguments: [true, false])
    func aFieldThatOnlyOneAppKnowsIsNotErasedByOneThatNeverSawIt(newIsLater: Bool) async throws {
        try await withFolder { path in
            let old = try App(name: "old", path: path, entity: Self.byField[0])
            let new = try App(
                name: "new",
                path: path,
                entity: Self.adding(fields: [Self.rating], to: Self.byField[0])
            )
            try old.put(#"{"id":"a","title":"t","body":"b"}"#)
            try await converge(old, new)
            if newIsLater { try old.put(#"{"id":"a","title":"u","body":"c"}"#) }
            try new.put(#"{"id":"a","rating":5}"#)
            if !newIsLater {
                try old.put(#"{"id":"a","title":"s","body":"d"}"#)
                try old.put(#"{"id":"a","title":"u","body":"c"}"#)
            }
            try await converge(old, new)
            for app in [old, new] {
                #expect(
                    try app.wire(keys: "title", "body", "rating") == [
                        "title": "u", "body": "c", "rating": "5",
                    ]
                )
            }
        }
    }

    private static let status = FieldDescriptor(
        name: "status",
        type: .string(),
        isRequired: true,
        defaultJSON: #""new""#
    )

    /// Who writes later, who syncs first, and which entity.
    static let apart = byField.flatMap { entity in
        [true, false].flatMap { later in [true, false].map { (entity, later, $0) } }
    }

    @Test(arguments: apart)
    func aRecordThatAnOlderAppMakesApartErasesNoFieldThatItDoesNotKnow(
        entity: EntityDescriptor,
        oldIsLater: Bool,
        oldFirst: Bool
    ) async throws {
        try await withFolder { path in
            let old = try App(name: "old", path: path, entity: entity)
            let new = try App(
                name: "new",
                path: path,
                entity: Self.adding(fields: [Self.rating, Self.last, Self.status], to: entity)
            )
            let third = try App(
                name: "third",
                path: path,
                entity: Self.adding(fields: [Self.rating, Self.last, Self.status], to: entity)
            )
            if oldIsLater { old.wait(60) } else { new.wait(60) }
            try old.put(#"{"id":"a","title":"old's"}"#)
            try new.put(#"{"id":"a","title":"new's","rating":5,"place":"p","status":"read"}"#)
            if oldFirst { try await converge(old, third, new) } else { try await converge(new, third, old) }
            for app in [old, new, third] {
                #expect(
                    try app.wire(keys: "title", "rating", "place", "status") == [
                        "title": oldIsLater ? "old's" : "new's", "rating": "5", "place": "p",
                        "status": "read",
                    ]
                )
            }
        }
    }

    @Test func aNullThatAPersonWroteIsAValueAndSoIsAFieldThatWasTakenAway() async throws {
        let nullable = FieldDescriptor(name: "rating", type: .integer(), isNullable: true)
        let entity = Self.adding(fields: [nullable], to: Self.byField[0])
        try await withFolder { path in
            let one = try App(name: "one", path: path, entity: entity)
            let two = try App(name: "two", path: path, entity: entity)
            two.wait(60)
            try one.put(#"{"id":"a","title":"t","rating":5}"#)
            try two.put(#"{"id":"a","title":"t","rating":null}"#)
            try await converge(one, two)
            for app in [one, two] { #expect(try app.wire(keys: "rating") == ["rating": "<null>"]) }
            try one.put(#"{"id":"a","rating":6}"#)
            try await converge(one, two)
            two.wait(60)
            try one.put(#"{"id":"a","rating":7}"#)
            try two.replace(#"{"id":"a","title":"t"}"#)
            try await converge(one, two)
            for app in [one, two] { #expect(try app.wire(keys: "rating") == [:]) }
        }
    }

    @Test func fieldsWithARuleOfTheirOwnSurviveAnAppThatMergesTheRecordAsAWhole() async throws {
        try await withFolder { path in
            let plain = Entities.note(strategy: .lastWriteWins)
            let old = try App(name: "old", path: path, entity: plain)
            let fields = [Self.hits, Self.last, Entities.tags]
            let one = try App(name: "one", path: path, entity: Self.adding(fields: fields, to: plain))
            let two = try App(name: "two", path: path, entity: Self.adding(fields: fields, to: plain))
            try one.put(#"{"id":"a","title":"t","hits":1,"place":"p","tags":["x","y"]}"#)
            try await converge(one, two, old)
            try one.put(#"{"id":"a","hits":7,"tags":["x"]}"#)
            try two.put(#"{"id":"a","place":"q","tags":["x","y","z"]}"#)
            try old.put(#"{"id":"a","title":"s"}"#)
            try old.put(#"{"id":"a","title":"u"}"#)
            try await one.sync()
            try await old.sync()
            try await converge(two, old, one)
            let merged = ["title": "u", "hits": "7", "place": "q", "tags": "xz"]
            for app in [old, one, two] {
                #expect(try app.wire(keys: "title", "hits", "place", "tags") == merged)
            }
        }
    }

    @Test func aRenamedFieldThatKeepsItsPlaceMeetsItsFormerSelf() async throws {
        try await withFolder { path in
            let entity = Self.byField[0]
            let renamed = EntityDescriptor(
                name: "note",
                typeName: "Note",
                version: 2,
                fields: entity.fields.map { field in
                    guard field.name == "title" else { return field }
                    return FieldDescriptor(
                        name: "heading",
                        wirePath: ["title"],
                        type: .string(),
                        isRequired: true,
                        renamedFrom: "title"
                    )
                },
                key: ["id"],
                strategy: .lastWriteWins,
                granularity: .field,
                created: "createdAt",
                updated: "updatedAt"
            )
            let old = try App(name: "old", path: path, entity: entity)
            let new = try App(name: "new", path: path, entity: entity)
            try old.put(#"{"id":"a","title":"t","body":"b"}"#)
            try await converge(old, new)
            // Both edits are pending when the app is updated.
            try new.put(#"{"id":"a","title":"new's"}"#)
            try new.update(entity: renamed)
            try old.put(#"{"id":"a","body":"old's"}"#)
            try await converge(old, new)
            for app in [old, new] {
                #expect(try app.wire(keys: "title", "body") == ["title": "new's", "body": "old's"])
            }
            try new.put(#"{"id":"a","heading":"earlier"}"#)
            try old.put(#"{"id":"a","body":"c"}"#)
            try old.put(#"{"id":"a","title":"later"}"#)
            try await converge(new, old)
            for app in [old, new] {
                #expect(try app.wire(keys: "title", "body") == ["title": "later", "body": "c"])
            }
        }
    }

    @Test func anAppThatAllowsNoUnknownFieldsStillEditsRecordsThatHoldSome() async throws {
        try await withFolder { path in
            let closed = EntityDescriptor(
                name: "note",
                typeName: "Note",
                fields: Self.byField[0].fields,
                key: ["id"],
                strategy: .lastWriteWins,
                created: "createdAt",
                updated: "updatedAt",
                forbidsUnknownFields: true
            )
            let old = try App(name: "old", path: path, entity: closed)
            let new = try App(
                name: "new",
                path: path,
                entity: Self.adding(fields: [Self.rating], to: Entities.note(strategy: .lastWriteWins))
            )
            try new.put(#"{"id":"a","title":"t","rating":1}"#)
            try await converge(new, old)
            try old.put(#"{"id":"a","title":"u"}"#)
            #expect(throws: SyncError.self) { try old.put(#"{"id":"a","other":1}"#) }
            try await converge(old, new)
            #expect(try new.wire(keys: "title", "rating") == ["title": "u", "rating": "1"])
        }
    }

    @Test func recordsOfANewEntityWaitForTheAppThatKnowsIt() async throws {
        try await withFolder { path in
            let task = EntityDescriptor(
                name: "task",
                typeName: "Task",
                fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)],
                key: ["id"],
                strategy: .lastWriteWins
            )
            let old = try App(name: "old", path: path, entity: Self.byField[0])
            let new = try App(name: "new", path: path, entity: Self.byField[0], others: [task])
            try new.put(#"{"id":"x"}"#, entity: task)
            try new.put(#"{"id":"a","title":"t"}"#)
            try await converge(new, old)
            #expect(try old.wire(keys: "title") == ["title": "t"])
            #expect(try old.rejections() == 1)
            let first = try old.rejection()
            try await old.sync()
            let second = try old.rejection()
            #expect(second.attempts == first.attempts, "the same schemas refuse it again")
            #expect(second.since == first.since, "it is listed since it came")
            #expect(second.raw == first.raw)
            try old.update(entity: Self.byField[0], others: [task])
            try await old.sync()
            #expect(try old.counts(entity: task).records == 1)
            #expect(try old.rejections() == 0)
        }
    }

    @Test func theSyncThatBringsAFittingVersionOfARecordSetAsideIsNotPartial() async throws {
        try await withFolder { path in
            let narrow = Self.adding(
                fields: [FieldDescriptor(name: "hits", type: .integer(maximum: 9))],
                to: Self.byField[0]
            )
            let wide = Self.adding(
                fields: [FieldDescriptor(name: "hits", type: .integer())],
                to: Self.byField[0]
            )
            let (old, new) = (
                try App(name: "old", path: path, entity: narrow),
                try App(name: "new", path: path, entity: wide)
            )
            try new.put(#"{"id":"a","title":"t","hits":10}"#)
            try await new.sync()
            #expect(try await old.sync().outcome == .partial)
            #expect(try await old.sync().outcome == .partial, "it is still set aside")
            try new.put(#"{"id":"a","hits":9}"#)
            try await new.sync()
            #expect(try await old.sync().outcome == .synced)
            #expect(try old.rejections() == 0)
            #expect(try old.wire(keys: "hits") == ["hits": "9"])
        }
    }

    @Test func aValueThatOnlyTheWiderTypeAllowsWaitsForTheUpdate() async throws {
        try await withFolder { path in
            let narrow = Self.adding(
                fields: [FieldDescriptor(name: "hits", type: .integer(), merge: .max)],
                to: Self.byField[0]
            )
            let wide = Self.adding(
                fields: [FieldDescriptor(name: "hits", type: .number(), merge: .max)],
                to: Self.byField[0]
            )
            let old = try App(name: "old", path: path, entity: narrow)
            let new = try App(name: "new", path: path, entity: narrow)
            try old.put(#"{"id":"a","title":"t","hits":1}"#)
            try await converge(old, new)
            try new.update(entity: wide)
            try new.put(#"{"id":"a","hits":2.5}"#)
            try old.put(#"{"id":"a","hits":2}"#)
            try await converge(new, old)
            #expect(try new.wire(keys: "hits") == ["hits": "2.5"])
            #expect(try old.wire(keys: "hits") == ["hits": "2"])
            #expect(try old.rejections() == 1)
            try old.update(entity: wide)
            try await converge(old, new)
            for app in [old, new] { #expect(try app.wire(keys: "hits") == ["hits": "2.5"]) }
            #expect(try old.rejections() == 0)
        }
    }
}
