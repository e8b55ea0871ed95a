import Foundation
import SyncCore
import SyncRuntime
import SyncStore
import Testing

/// A field changes its role between two versions of an app: it stays on the device, gets another name, or mirrors the
/// tombstone.
@Suite struct ChangedRoleTests {
    /// Ways of merging.
    static let ways: [EntityDescriptor] = [
        Entities.note(strategy: .lastWriteWins), Entities.note(strategy: .lastWriteWins, granularity: .field),
    ]

    private static func changing(
        _ entity: EntityDescriptor,
        deleted: String? = nil,
        _ change: (inout FieldDescriptor) -> Void
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: entity.name,
            typeName: entity.typeName,
            fields: entity.fields.map { field in
                var field = field
                change(&field)
                return field
            },
            key: entity.key,
            strategy: entity.strategy,
            granularity: entity.granularity,
            created: entity.created,
            updated: entity.updated,
            deleted: deleted
        )
    }

    private static func localBody(_ entity: EntityDescriptor) -> EntityDescriptor {
        changing(entity) { field in if field.name == "body" { field.isLocalOnly = true } }
    }

    private func converge(_ apps: App...) async throws {
        for _ in 0..<3 { for app in apps { try await app.sync() } }
    }

    // MARK: Drafts

    /// What a draft left alone is no edit, also if the update gave the field another name.
    @Test(arguments: [true, false])
    func aDraftThatIsSavedAfterAnUpdateLeavesARenamedFieldAsOthersWroteIt(keepsPlace: Bool) async throws {
        let entity = Self.ways[1]
        try await withFolder { path in
            let old = try App(name: "old", path: path, entity: entity)
            let new = try App(name: "new", path: path, entity: entity)
            try old.put(#"{"id":"a","title":"word1","body":"word2"}"#)
            try await converge(old, new)
            let version = try new.version()
            let renamed = Self.changing(entity) { field in
                guard field.name == "body" else { return }
                (field.name, field.renamedFrom) = ("text", "body")
                field.wirePath = keepsPlace ? ["body"] : ["text"]
            }
            try new.update(entity: renamed)
            try old.put(#"{"id":"a","body":"word3"}"#)
            try await converge(old, new)
            try new.put(#"{"id":"a","title":"word4","text":"word2","$version":"\#(version)"}"#)
            let body = keepsPlace ? "body" : "text"
            #expect(try new.wire(keys: "title", body) == ["title": "word4", body: "word3"])
        }
    }

    /// A device that is updated takes in records of older apps with the default as the schema has it.
    @Test(arguments: ways, ["standard", "a default that is longer than fifteen bytes"])
    func aRecordWithoutANewRequiredFieldIsStoredWithTheDefault(entity: EntityDescriptor, text: String)
        async throws
    {
        try await withFolder { path in
            let added = FieldDescriptor(
                name: "added",
                type: .string(),
                isRequired: true,
                defaultJSON: "\"\(text)\""
            )
            let newer = EntityDescriptor(
                name: entity.name,
                typeName: entity.typeName,
                fields: entity.fields + [added],
                key: entity.key,
                strategy: entity.strategy,
                granularity: entity.granularity,
                created: entity.created,
                updated: entity.updated
            )
            let old = try App(name: "old", path: path, entity: entity)
            let new = try App(name: "new", path: path, entity: newer)
            try old.put(#"{"id":"a","title":"word1"}"#)
            try await converge(old, new)
            #expect(try new.wire(keys: "title", "added") == ["title": "word1", "added": text])
        }
    }

    // MARK: localOnly

    @Test(arguments: ways)
    func whatOlderAppsShareSurvivesAnEditByAnAppThatKeepsTheFieldToItself(entity: EntityDescriptor)
        async throws
    {
        try await withFolder { path in
            let old = try App(name: "old", path: path, entity: entity)
            let new = try App(name: "new", path: path, entity: entity)
            try old.put(#"{"id":"a","title":"t","body":"word1"}"#)
            try await converge(old, new)
            try new.update(entity: Self.localBody(entity))
            try new.put(#"{"id":"a","title":"word2"}"#)
            try await converge(new, old)
            #expect(try old.wire(keys: "title", "body") == ["title": "word2", "body": "word1"])
            try old.put(#"{"id":"a","body":"word3"}"#)
            try await converge(old, new)
            try new.put(#"{"id":"a","title":"word4","body":"private"}"#)
            try await converge(new, old)
            #expect(try old.wire(keys: "title", "body") == ["title": "word4", "body": "word3"])
            try new.replace(#"{"id":"a","title":"word5","body":"private"}"#)
            try await converge(new, old)
            #expect(try old.wire(keys: "title", "body") == ["title": "word5", "body": "word3"])
        }
    }

    @Test(arguments: ways)
    func anUnsentEditOfAFieldThatBecomesLocalIsStillSent(entity: EntityDescriptor) async throws {
        try await withFolder { path in
            let old = try App(name: "old", path: path, entity: entity)
            let new = try App(name: "new", path: path, entity: entity)
            try old.put(#"{"id":"a","title":"t","body":"b"}"#)
            try await converge(old, new)
            try new.put(#"{"id":"a","body":"word1"}"#)
            try new.update(entity: Self.localBody(entity))
            try await converge(new, old)
            #expect(try old.wire(keys: "body") == ["body": "word1"])
        }
    }

    @Test(arguments: ways, [true, false])
    func aLocalValueThatBecomesSharedIsAnEditOfItsOwn(entity: EntityDescriptor, firstUpdates: Bool)
        async throws
    {
        try await withFolder { path in
            let one = try App(name: "one", path: path, entity: Self.localBody(entity))
            let two = try App(name: "two", path: path, entity: Self.localBody(entity))
            try one.put(#"{"id":"a","title":"t"}"#)
            try await converge(one, two)
            try one.put(#"{"id":"a","body":"word1"}"#)
            try two.put(#"{"id":"a","body":"word2"}"#)
            for app in firstUpdates ? [one, two] : [two, one] { try app.update(entity: entity) }
            two.wait(9)
            try two.put(#"{"id":"a","title":"word3"}"#)
            try await converge(two, one)
            let found = try one.everything() + two.everything()
            for word in ["word1", "word2", "word3"] { #expect(found.contains(word), "\(word)") }
            #expect(try one.wire(keys: "title", "body") == two.wire(keys: "title", "body"))
        }
    }

    @Test(arguments: ways, [false, true])
    func aLocalNullThatBecomesSharedIsNothingAndNoDeviceDiffers(way: EntityDescriptor, isRequired: Bool)
        async throws
    {
        let entity = Self.changing(way) { field in if field.name == "body" { field.isRequired = isRequired } }
        try await withFolder { path in
            let one = try App(name: "one", path: path, entity: Self.localBody(entity))
            let two = try App(name: "two", path: path, entity: Self.localBody(entity))
            try one.put(#"{"id":"a","title":"t","body":null}"#)
            try await converge(one, two)
            for app in [one, two] { try app.update(entity: entity) }
            try await converge(two, one)
            #expect(try one.wire(keys: "title", "body") == two.wire(keys: "title", "body"))
            #expect(try await one.sync().diagnostics.isEmpty)
            for app in [one, two] {
                #expect(try app.store.read { try $0.setAsideRecords() }.isEmpty, "\(isRequired)")
            }
        }
    }

    @Test func aSharedValueStaysAndTheLocalOneIsInTheJournal() async throws {
        try await withFolder { path in
            let shared = Self.ways[0]
            let old = try App(name: "old", path: path, entity: shared)
            let new = try App(name: "new", path: path, entity: shared)
            try old.put(#"{"id":"a","title":"t","body":"word1"}"#)
            try await converge(old, new)
            try new.update(entity: Self.localBody(shared))
            try new.put(#"{"id":"a","body":"word2"}"#)
            try new.update(entity: shared)
            try await converge(new, old)
            for app in [old, new] { #expect(try app.wire(keys: "body") == ["body": "word1"]) }
            #expect(try new.everything().contains("word2"))
        }
    }

    // MARK: renamedFrom

    private static func renamed(_ entity: EntityDescriptor) -> EntityDescriptor {
        changing(entity) { field in
            guard field.name == "body" else { return }
            field.name = "text"
            field.wirePath = ["text"]
            field.renamedFrom = "body"
        }
    }

    @Test(arguments: ways, [true, false])
    func devicesThatRenamedAFieldShowTheSameAfterEditsOnBothSides(entity: EntityDescriptor, oldIsLater: Bool)
        async throws
    {
        try await withFolder { path in
            let old = try App(name: "old", path: path, entity: entity)
            let new = try App(name: "new", path: path, entity: entity)
            try old.put(#"{"id":"a","title":"t","body":"b"}"#)
            try await converge(old, new)
            try new.update(entity: Self.renamed(entity))
            if oldIsLater { old.wait(9) } else { new.wait(9) }
            try old.put(#"{"id":"a","body":"word1"}"#)
            try new.put(#"{"id":"a","text":"word2"}"#)
            try await converge(old, new)
            try old.put(#"{"id":"a","title":"word3"}"#)
            try await converge(old, new)
            try old.update(entity: Self.renamed(entity))
            try await converge(old, new)
            #expect(try old.wire(keys: "title", "text") == new.wire(keys: "title", "text"))
            let found = try old.everything() + new.everything()
            for word in ["word1", "word2", "word3"] { #expect(found.contains(word), "\(word)") }
            try old.put(#"{"id":"a","text":"word4"}"#)
            try await converge(old, new)
            for app in [old, new] { #expect(try app.wire(keys: "text", "body")["text"] == "word4") }
        }
    }

    @Test func aNewDeviceShowsWhatAnOlderAppWroteUnderTheFormerName() async throws {
        try await withFolder { path in
            let old = try App(name: "old", path: path, entity: Self.ways[1])
            try old.put(#"{"id":"a","title":"t","body":"word1"}"#)
            try await old.sync()
            let new = try App(name: "new", path: path, entity: Self.renamed(Self.ways[1]))
            try await new.sync()
            #expect(try new.wire(keys: "text", "body") == ["text": "word1"])
            try new.replace(#"{"id":"a","title":"t"}"#)
            try await converge(new, old)
            let third = try App(name: "third", path: path, entity: Self.renamed(Self.ways[1]))
            try await third.sync()
            #expect(try third.wire(keys: "text", "body") == [:], "a cleared field stays cleared")
        }
    }

    // MARK: deleted

    private static let mirrored = FieldDescriptor(name: "gone", type: .boolean, isNullable: true)

    @Test(arguments: [true, false])
    func anUnrelatedEditDeletesNothingWhereAnotherAppKnowsNoMirror(mirrorIsNew: Bool) async throws {
        try await withFolder { path in
            let plain = Entities.note(strategy: .lastWriteWins, fields: [Self.mirrored])
            let mirror = Entities.note(strategy: .lastWriteWins, fields: [Self.mirrored], deleted: "gone")
            let other = try App(name: "other", path: path, entity: plain)
            let app = try App(name: "app", path: path, entity: mirrorIsNew ? plain : mirror)
            try other.put(#"{"id":"a","title":"t","gone":true}"#)
            try await converge(other, app)
            if mirrorIsNew { try app.update(entity: mirror) }
            try app.put(#"{"id":"a","body":"word1"}"#)
            try app.replace(#"{"id":"a","title":"word2","body":"word1","gone":true}"#)
            try await converge(app, other)
            #expect(
                try other.wire(keys: "title", "body", "gone") == [
                    "title": "word2", "body": "word1", "gone": "1",
                ]
            )
            #expect(try app.counts(entity: app.entity).records == 1)
            try app.put(#"{"id":"a","gone":true}"#)
            #expect(try app.counts(entity: app.entity).records == 0, "a person who says so deletes")
        }
    }

    /// A device that does not know the mirror counts it among the content, so the two compare nothing.
    @Test(arguments: [true, false])
    func appsOfWhichOneKnowsTheMirrorDoNotSayThatTheyDiffer(mirrorIsNew: Bool) async throws {
        try await withFolder { path in
            let plain = Entities.note(strategy: .lastWriteWins, fields: [Self.mirrored])
            let mirror = Entities.note(strategy: .lastWriteWins, fields: [Self.mirrored], deleted: "gone")
            let old = try App(name: "old", path: path, entity: mirrorIsNew ? plain : mirror)
            let new = try App(name: "new", path: path, entity: mirrorIsNew ? plain : mirror)
            try old.put(#"{"id":"a","title":"t"}"#)
            try await converge(old, new)
            try new.update(entity: mirrorIsNew ? mirror : plain)
            try (mirrorIsNew ? old : new).put(#"{"id":"a","gone":true}"#)
            try await converge(old, new)
            for app in [old, new] { #expect(try await app.sync().outcome == .synced) }
        }
    }
}
