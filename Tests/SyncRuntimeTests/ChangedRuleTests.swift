import Foundation
import SyncCore
import Testing

/// An entity gets another strategy, granularity or rule while edits wait. Whoever has updated: no word is lost.
@Suite struct ChangedRuleTests {
    /// What an entity's schema says about merging.
    struct Rules: Sendable, Equatable, CustomStringConvertible {
        var strategy: MergeStrategy
        var granularity = MergeGranularity.record
        var mergesTags = false

        var description: String { "\(strategy) by \(granularity)\(mergesTags ? ", tags by element" : "")" }

        var entity: EntityDescriptor {
            var tags = Entities.tags
            tags.merge = mergesTags ? .union : nil
            return Entities.note(strategy: strategy, granularity: granularity, fields: [tags])
        }

        static let all = [MergeStrategy.lastWriteWins, .preserveLocal, .setUnion].flatMap { strategy in
            [MergeGranularity.record, .field].flatMap { granularity in
                [false, true].map { Rules(strategy: strategy, granularity: granularity, mergesTags: $0) }
            }
        }
    }

    /// Who has the newer schema when.
    enum Update: CaseIterable {
        case bothBeforeTheFirstSendsItsEdit
        case bothAfterTheFirstHasSentItsEdit
        case onlyTheSecond
        case onlyTheFirstBeforeItsEdit
    }

    private static let edits = [
        (#"{"id":"a","title":"word1"}"#, #"{"id":"a","body":"word2"}"#),
        (#"{"id":"a","tags":["x","word1"]}"#, #"{"id":"a","body":"word2"}"#),
        (#"{"id":"a","tags":["x","word1"]}"#, #"{"id":"a","tags":["word2"]}"#),
        (#"{"id":"a","title":"word1"}"#, #"{"id":"a","title":"word2"}"#),
        (#"{"id":"a","title":"word1","body":"word3"}"#, #"{"id":"a","tags":["word2"]}"#),
    ]

    @Test(arguments: Rules.all, Update.allCases)
    func noWordIsLostWhenTheWayOfMergingChanges(old: Rules, update: Update) async throws {
        for (index, new) in Rules.all.enumerated() where new != old {
            let edits = Self.edits[(index + Self.place(of: update)) % Self.edits.count]
            try await play(from: old, to: new, update: update, edits: edits)
        }
    }

    private static func place(of update: Update) -> Int { Update.allCases.firstIndex(of: update) ?? 0 }

    private func play(from old: Rules, to new: Rules, update: Update, edits: (String, String)) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/rules-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (first, second) = (
            try App(name: "first", path: path, entity: old.entity),
            try App(name: "second", path: path, entity: old.entity)
        )
        try first.put(#"{"id":"a","title":"t","body":"b","tags":["x"]}"#)
        try await first.sync()
        try await second.sync()
        if update == .onlyTheFirstBeforeItsEdit { try first.update(entity: new.entity) }
        try first.put(edits.0)
        second.wait(5)
        try second.put(edits.1)
        if update == .onlyTheFirstBeforeItsEdit { try await second.sync() }
        if update == .bothBeforeTheFirstSendsItsEdit { try first.update(entity: new.entity) }
        if update != .onlyTheFirstBeforeItsEdit { try await first.sync() }
        if update == .bothAfterTheFirstHasSentItsEdit { try first.update(entity: new.entity) }
        if update != .onlyTheFirstBeforeItsEdit { try second.update(entity: new.entity) }
        for _ in 0..<3 { for app in [second, first] { try await app.sync() } }
        let story: Comment = "\(old) to \(new), \(update), \(edits)"
        let found = try first.everything() + second.everything()
        for word in ["word1", "word2", "word3"] where (edits.0 + edits.1).contains(word) {
            #expect(found.contains(word), story)
        }
        let fields = try [first, second].map { try $0.wire(keys: "title", "body", "tags") }
        let asks = try first.isInConflict() || second.isInConflict()
        #expect(fields[0] == fields[1] || asks, story)
    }
}
