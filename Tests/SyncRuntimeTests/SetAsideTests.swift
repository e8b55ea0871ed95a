import Foundation
import SyncCore
import SyncRuntime
import Testing

/// An app's new version cannot read some of the records that it holds.
@Suite struct SetAsideTests {
    private static let loose = Entities.note(strategy: .lastWriteWins)
    private static let strict = Entities.note(
        strategy: .lastWriteWins,
        fields: [FieldDescriptor(name: "rating", type: .integer(), isRequired: true)]
    )

    /// Two apps with a record `a`, of which the second is updated to a schema that cannot read it.
    private func withApps(
        unsent edit: String? = nil,
        story: (_ old: App, _ new: App) async throws -> Void
    ) async throws {
        try await withFolder { path in
            let (old, new) = (
                try App(name: "old", path: path, entity: Self.loose),
                try App(name: "new", path: path, entity: Self.loose)
            )
            try old.put(#"{"id":"a","title":"word1"}"#)
            try await old.sync()
            try await new.sync()
            if let edit { try new.put(edit) }
            try new.update(entity: Self.strict)
            try await story(old, new)
        }
    }

    @Test func aRecordThatIsSetAsideIsDeletedForNobody() async throws {
        try await withApps { old, new in
            #expect(try await new.sync().outcome == .partial)
            try await old.sync()
            #expect(try new.setAside().map(\.reason) == ["'rating' is required."])
            #expect(try new.rejectedValues().contains { $0.contains("word1") })
            #expect(try new.counts(entity: new.entity).rejected == 1)
            #expect(try new.counts(entity: new.entity).deleted == 0)
            #expect(try old.counts(entity: old.entity).records == 1)
        }
    }

    @Test func anUnsentEditOfARecordThatIsSetAsideReachesOlderApps() async throws {
        try await withApps(unsent: #"{"id":"a","title":"word2"}"#) { old, new in
            #expect(try new.counts(entity: new.entity).pending == 1)
            try await new.sync()
            try await old.sync()
            #expect(try old.wire(keys: "title") == ["title": "word2"])
            #expect(try new.setAside().count == 1)
            #expect(try new.rejectedValues().contains { $0.contains("word2") })
        }
    }

    @Test(arguments: [true, false])
    func aRecordThatCouldNotBeTakenInAndIsWrittenAnewIsRejectedNoMore(isLater: Bool) async throws {
        try await withFolder { path in
            let old = try App(name: "old", path: path, entity: Self.loose)
            let new = try App(name: "new", path: path, entity: Self.strict)
            (isLater ? new : old).wait(60)
            try old.put(#"{"id":"a","title":"word1"}"#)
            try await old.sync()
            #expect(try await new.sync().outcome == .partial)
            try new.put(#"{"id":"a","title":"word2","rating":5}"#)
            for _ in 0..<3 { for app in [new, old] { try await app.sync() } }
            #expect(try old.wire(keys: "title") == ["title": isLater ? "word2" : "word1"])
            #expect(try new.rejections() == (isLater ? 0 : 1), "what wins elsewhere is still not shown here")
            for app in isLater ? [old, new] : [old] {
                for word in ["word1", "word2"] { #expect(try app.everything().contains(word)) }
            }
        }
    }

    @Test func anEditThatFitsBringsARecordBack() async throws {
        try await withApps { old, new in
            try new.put(#"{"id":"a","rating":5}"#)
            #expect(try new.counts(entity: new.entity).records == 1)
            #expect(try await new.sync().outcome == .synced)
            try await old.sync()
            #expect(try old.wire(keys: "title", "rating") == ["title": "word1", "rating": "5"])
        }
    }

    @Test func aVersionFromElsewhereThatFitsBringsARecordBack() async throws {
        try await withApps { old, new in
            try old.put(#"{"id":"a","title":"word2"}"#)
            try await old.sync()
            try await new.sync()
            #expect(try new.rejections() == 1, "the older app's version does not fit, either")
            #expect(try new.counts(entity: new.entity).rejected == 1)
            try old.update(entity: Self.strict)
            try old.put(#"{"id":"a","rating":7}"#)
            try await old.sync()
            #expect(try await new.sync().outcome == .synced)
            #expect(try new.wire(keys: "title", "rating") == ["title": "word2", "rating": "7"])
            #expect(try new.counts(entity: new.entity).records == 1)
            #expect(try new.counts(entity: new.entity).rejected == 0)
        }
    }

    @Test func aRecordThatIsSetAsideCanBeDeletedButNotGivenUp() async throws {
        try await withApps { old, new in
            #expect(throws: SyncError.self) { try new.discard(key: "a") }
            #expect(try new.setAside().count == 1)
            try new.delete(key: "a")
            #expect(try new.counts(entity: new.entity).rejected == 0)
            try await new.sync()
            try await old.sync()
            #expect(try old.counts(entity: old.entity).deleted == 1)
        }
    }

    @Test func aConcurrentEditOfARecordThatIsSetAsideIsKept() async throws {
        try await withApps(unsent: #"{"id":"a","title":"word2"}"#) { old, new in
            old.wait(9)
            try old.put(#"{"id":"a","title":"word3"}"#)
            try await old.sync()
            for app in [new, old, new] { try await app.sync() }
            let found = try old.everything() + new.everything() + new.rejectedValues().joined()
            #expect(found.contains("word2"))
            #expect(found.contains("word3"))
        }
    }

    @Test func anAppThatTakesTheKeyForFreeWritesOverNoWord() async throws {
        try await withApps { old, new in
            try new.replace(#"{"id":"a","title":"t","rating":1}"#)
            #expect(try new.counts(entity: new.entity).records == 1)
            #expect(try new.everything().contains("word1"), "the journal keeps what no list has shown")
        }
    }
}
