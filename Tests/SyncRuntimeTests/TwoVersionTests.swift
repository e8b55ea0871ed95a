import Foundation
import SyncChecks
import SyncCore
import SyncFileBackend
import SyncRuntime
import Testing

/// Apps of two versions share a folder: what the older one cannot read or does not know is not lost for it.
@Suite struct TwoVersionTests {
    private static let strategies: [MergeStrategy] = [.lastWriteWins, .preserveLocal, .setUnion]

    private static func note(
        _ strategy: MergeStrategy,
        granularity: MergeGranularity = .record,
        maxLength: Int? = nil,
        unique: [[String]] = [],
        local: Bool = false,
        renamed: Bool = false
    ) -> EntityDescriptor {
        var fields = [
            FieldDescriptor(
                name: renamed ? "label" : "name",
                type: .string(maxLength: maxLength),
                renamedFrom: renamed ? "name" : nil
            ), FieldDescriptor(name: "other", type: .string()),
        ]
        if local { fields.append(FieldDescriptor(name: "mine", type: .string(), isLocalOnly: true)) }
        return EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)] + fields,
            key: ["id"],
            strategy: strategy,
            granularity: granularity,
            unique: unique
        )
    }

    private func withApps(
        _ entities: [EntityDescriptor],
        body: ([App]) async throws -> Void
    ) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/versions-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(
            zip(["old", "x", "y"], entities).map { try App(name: $0, path: path, entity: $1) }
        )
    }

    /// The first of two syncs that do not see each other's files.
    private func apart(_ app: App, body: () async throws -> Void) async throws {
        let files = FileManager.default
        let (folder, copy) = (app.folder, app.folder + "-other")
        try files.copyItem(atPath: folder, toPath: copy)
        try await body()
        let seen = app.folder + "-seen"
        try files.moveItem(atPath: folder, toPath: seen)
        try files.moveItem(atPath: copy, toPath: folder)
        try await app.sync()
        // Now the files of both arrive.
        for place in try files.subpathsOfDirectory(atPath: seen)
        where !files.fileExists(atPath: "\(folder)/\(place)") {
            try files.copyItem(atPath: "\(seen)/\(place)", toPath: "\(folder)/\(place)")
        }
        try files.removeItem(atPath: seen)
    }

    private func shown(_ app: App) throws -> [String: String] { try app.wire(keys: "name", "other") }

    /// A version that cannot be read, and one that has not seen it.
    @Test(arguments: strategies, [true, false])
    func aVersionThatWasSetAsideOutlivesOneThatHasNotSeenIt(strategy: MergeStrategy, isEarlier: Bool)
        async throws
    {
        let (old, new) = (
            Self.note(strategy, granularity: .field, maxLength: 5), Self.note(strategy, granularity: .field)
        )
        try await withApps([old, new, new]) { apps in
            let (app, x, y) = (apps[0], apps[1], apps[2])
            try x.put(#"{"id":"a","name":"short","other":"0"}"#)
            try await x.sync()
            for other in [app, y] { try await other.sync() }
            if isEarlier { x.wait(60) } else { y.wait(60) }
            try y.put(#"{"id":"a","other":"from y"}"#)
            try await apart(y) {
                try x.put(#"{"id":"a","name":"a long name"}"#)
                try await x.sync()
                try await app.sync()
            }
            #expect(try app.rejections() == 1)
            try await app.sync()
            #expect(
                try app.rejections() == 1 || shown(app)["name"] == "a long name",
                "it is told as long as it is not shown"
            )
            try app.update(entity: new)
            for _ in 0..<3 { for other in apps { try await other.sync() } }
            let expected = ["name": "a long name", "other": "from y"]
            if strategy == .preserveLocal { return }
            for other in apps { #expect(try shown(other) == expected) }
            #expect(try app.rejections() == 0)
        }
    }

    /// Two versions of a type that the older app does not know.
    @Test(arguments: strategies)
    func versionsThatAreSetAsideDoNotReplaceEachOther(strategy: MergeStrategy) async throws {
        let new = Self.note(strategy, granularity: .field)
        try await withApps([Entities.memo, new, new]) { apps in
            let (app, x, y) = (apps[0], apps[1], apps[2])
            try x.put(#"{"id":"a","name":"0","other":"0"}"#)
            for other in [x, app, y] { try await other.sync() }
            try y.put(#"{"id":"a","other":"from y"}"#)
            try await apart(y) {
                try x.put(#"{"id":"a","name":"from x"}"#)
                try await x.sync()
                try await app.sync()
            }
            let report = try await app.sync()
            #expect(try app.rejections() == 1)
            #expect(report.outcome == .synced, "nothing is to be done before the app is updated")
            #expect(report.diagnostics.map(\.rule) == ["unknown-entity"])
            #expect(try app.rejection().changes.count == 2)
            try app.update(entity: new)
            try await app.sync()
            if strategy == .preserveLocal { return }
            #expect(try shown(app) == ["name": "from x", "other": "from y"])
        }
    }

    /// A field is renamed while the journal holds what stays on this device.
    @Test func aRenameKeepsPrivateWordsOfTheJournal() async throws {
        try await withApps([Self.note(.lastWriteWins, local: true)]) { apps in
            let app = apps[0]
            try app.put(#"{"id":"a","name":"0","mine":"private words"}"#)
            try app.overwrite(#"{"id":"a","name":"1","mine":"other"}"#)
            try app.update(entity: Self.note(.lastWriteWins, local: true, renamed: true))
            #expect(try app.lostValues() == [#"{"id":"a","label":"0","mine":"private words"}"#])
            try app.restore()
            #expect(try app.shown() == #"{"id":"a","label":"0","mine":"private words"}"#)
        }
    }

    /// A newer app knows that two records are one, and the author's app does not.
    @Test func theAuthorIsAskedAboutAnEditThatANewerAppMergedAway() async throws {
        let (old, new) = (Self.note(.preserveLocal), Self.note(.preserveLocal, unique: [["name"]]))
        try await withApps([old, old, new]) { apps in
            let (author, other, merging) = (apps[0], apps[1], apps[2])
            try other.put(#"{"id":"a","name":"k","other":"one"}"#)
            try await other.sync()
            author.wait(5)
            try author.put(#"{"id":"b","name":"k","other":"two"}"#)
            try await author.sync()
            try await merging.sync()
            try await author.sync()
            #expect(try author.isInConflict())
            #expect(try author.everything().contains("two"))
        }
    }

    /// A list of unique fields is new: records that are there count, too.
    @Test(arguments: strategies)
    func recordsFromBeforeAListOfUniqueFieldsBecomeOne(strategy: MergeStrategy) async throws {
        let (old, new) = (Self.note(strategy), Self.note(strategy, unique: [["name"]]))
        try await withApps([old]) { apps in
            let app = apps[0]
            try app.put(#"{"id":"a","name":"k","other":"one"}"#)
            try app.put(#"{"id":"b","name":"k","other":"two"}"#)
            try await app.sync()
            try app.update(entity: new)
            try await app.sync()
            #expect(try [app.shown(key: "a"), app.shown(key: "b")].compactMap { $0 }.count == 1)
            #expect(try app.everything().contains("one") && app.everything().contains("two"))
        }
    }

    /// A server alters a version that the app's update no longer takes.
    @Test func anAnswerThatDoesNotFitTheUpdatedAppIsTaken() async throws {
        try await withApps([Self.note(.lastWriteWins, maxLength: 100)]) { apps in
            let app = apps[0]
            try app.put(#"{"id":"a","name":"a long name"}"#)
            try app.put(#"{"id":"b","name":"short"}"#)
            try app.update(entity: Self.note(.lastWriteWins, maxLength: 5))
            let backend = AlteringBackend(base: FolderBackend(root: app.folder))
            let report = try await app.sync(backend: backend)
            #expect(report.entities.map(\.pushed) == [2])
            #expect(try app.counts(entity: app.entity).pending == 0)
            #expect(try app.shown() == #"{"id":"a","name":"a long name"}"#)
        }
    }
}

/// Answers each change with what it has stored, as a server does that changes the time of an edit.
private struct AlteringBackend: RemoteBackend {
    let base: any RemoteBackend

    var capabilities: RemoteCapabilities { base.capabilities }

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        Session(base: try await base.open(request))
    }

    private struct Session: RemoteSession {
        let base: any RemoteSession

        var greeting: SessionGreeting { base.greeting }

        func fetch() async throws -> RemotePage? { try await base.fetch() }

        func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush {
            try await base.prepare(changes, cursor: cursor)
        }

        func push(_ prepared: PreparedPush) async throws -> PushReceipt {
            var receipt = try await base.push(prepared)
            receipt.results = zip(receipt.results, prepared.changes).map { result, change in
                guard case .accepted(let edit, _) = result else { return result }
                return .altered(edit, change)
            }
            return receipt
        }

        func close(cursor: String?) async throws { try await base.close(cursor: cursor) }
    }
}
