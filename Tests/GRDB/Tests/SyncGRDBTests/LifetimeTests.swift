import EntitySync
import EntitySyncFolder
import Foundation
import GRDB
import SyncGRDB
import SyncStore
import Testing

/// How a reader begins and ends.
@Suite(.timeLimit(.minutes(5))) struct LifetimeTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func schemaVersion(_ reader: any DatabaseReader) throws -> Int? {
        try reader.read { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
    }

    /// GRDB makes a table and drops it where the log is empty, as after each opening of an existing store.
    @Test func openingAReaderChangesNoTable() throws {
        try scratch.space().close()
        var space = try scratch.space()
        let before = try schemaVersion(try space.databaseReader())
        space.close()
        space = try scratch.space()
        defer { space.close() }
        let reader = try space.databaseReader()
        #expect(try schemaVersion(reader) == before)
        #expect(try space.databaseReader().read { try Bookmark.fetchCount($0) } == 0)
    }

    @Test func aReaderOutlivesItsSpace() throws {
        let space = try scratch.space()
        let reader = try space.databaseReader()
        space.close()
        #expect(try reader.read { try Bookmark.fetchCount($0) } == 0)
        let error = #expect(throws: SyncError.self) { try space.databaseReader() }
        #expect(error?.kind == .usage)
        // The space opens again beside it.
        let again = try scratch.space()
        defer { again.close() }
        try again.collection(Reader.self).insert(Reader(id: "ada", name: "Ada"))
        for reader in [reader, try again.databaseReader()] {
            #expect(try reader.read { try Reader.fetchCount($0) } == 1)
        }
    }

    @Test func commitsGoOnBesideAReaderThatTheAppHasClosed() async throws {
        let space = try scratch.space()
        defer { space.close() }
        let readers = [try space.databaseReader(), try space.databaseReader()]
        let observation = ValueObservation.tracking { try Reader.fetchCount($0) }
        var counts = observation.values(in: readers[1]).makeAsyncIterator()
        try readers[0].close()
        for number in 1...20 {
            try await space.collection(Reader.self).insert(Reader(id: "\(number)", name: "Ada"))
            try await wait(for: number, in: &counts)
        }
        #expect(throws: DatabaseError.self) { try readers[0].now { try Reader.fetchCount($0) } }
    }

    @Test func aReaderIsReleasedWithItsLastReference() async throws {
        let space = try scratch.space()
        defer { space.close() }
        let (releases, continuation) = AsyncStream.makeStream(of: Void.self)
        var reader: (any DatabaseReader)? = try Mark.reader(of: space, ending: continuation)
        let observation = ValueObservation.tracking { try Bookmark.fetchCount($0) }
        var task: Task<Void, any Error>? = Task { [reader] in
            guard let reader else { return }
            for try await count in observation.values(in: reader) where count == 1 { return }
        }
        try await space.collection(Reader.self).insert(Reader(id: "ada", name: "Ada"))
        try await space.collection(Bookmark.self).insert(.sample())
        try await task?.value
        (task, reader) = (nil, nil)
        // The stream ends when all connections are gone.
        for await _ in releases {}
        // Commits go on without it.
        try await space.collection(Bookmark.self).insert(.sample(surah: 2))
    }

    @Test func eachAccountHasReadersOfItsOwn() async throws {
        let shared = scratch.path + "/shared"
        let accounts = try await SyncAccounts.open(
            AccountsConfiguration(folder: scratch.path + "/accounts", entities: SyncRegistry.types) { _ in
                FolderBackend(root: shared)
            }
        )
        try await accounts.signIn(AccountID("ada"))
        let space = accounts.space
        try await space.collection(Reader.self).insert(Reader(id: "ada", name: "Ada"))
        #expect(try space.databaseReader().now { try Reader.fetchCount($0) } == 1)
        try await accounts.signIn(AccountID("bob"))
        #expect(throws: SyncError.accountLeft()) { try space.databaseReader() }
        #expect(try accounts.space.databaseReader().now { try Reader.fetchCount($0) } == 0)
    }

    @Test func aReaderDoesNotKeepTheSpace() throws {
        var space: SyncSpace? = try scratch.space()
        weak let held = space
        let reader = try space?.databaseReader()
        space = nil
        #expect(held == nil)
        #expect(reader != nil)
    }

    @Test func aReaderIsRefusedInsideAWrite() throws {
        try scratch.space().close()
        let space = try scratch.space()
        defer { space.close() }
        let error = #expect(throws: SyncError.self) { try space.write { _ in try space.databaseReader() } }
        #expect(error?.kind == .usage)
    }

    /// The file of a reader counts as open, so that it is not replaced under it, nor inspected in a way that drops its
    /// locks.
    @Test func aBackupReplacesNoFileThatAReaderHasOpen() async throws {
        let space = try scratch.space()
        var reader: (any DatabaseReader)? = try space.databaseReader()
        let backup = scratch.path + "/backup"
        try space.backup(to: backup)
        let restore = StoreRestore(
            backup: backup,
            path: scratch.path + "/a/" + SyncSpace.storeFileName,
            entities: SyncRegistry.descriptors,
            random: SystemRandom()
        )
        func run() throws {
            try restore.run(replacesUnsentEdits: true, prepare: { _, _, _ in }, progress: { _ in })
        }
        space.close()
        let error = #expect(throws: SyncError.self) { try run() }
        #expect(error?.kind == .busy)
        #expect(try reader?.now { try Bookmark.fetchCount($0) } == 0)
        reader = nil
        // GRDB may finish what it has begun on its own queues.
        while true {
            do {
                try run()
                break
            } catch let error as SyncError where error.kind == .busy { await Task.yield() }
        }
    }

    @Test func aTemporarySpaceHasAReader() async throws {
        let space = try SyncSpace.temporary(entities: SyncRegistry.types)
        defer { space.close() }
        let reader = try space.databaseReader(label: "temporary")
        try await space.collection(Reader.self).insert(Reader(id: "ada", name: "Ada"))
        #expect(try await reader.read { try Reader.fetchAll($0) } == [Reader(id: "ada", name: "Ada")])
        #expect(reader.configuration.label == "temporary")
    }

    @Test func connectionsHaveWhatTheAppPreparesThemWith() throws {
        let space = try scratch.space()
        defer { space.close() }
        let reader = try space.databaseReader { db in
            db.add(
                function: DatabaseFunction("twice", argumentCount: 1) { values in
                    (Int.fromDatabaseValue(values[0]) ?? 0) * 2
                }
            )
        }
        #expect(try reader.read { try Int.fetchOne($0, sql: "SELECT twice(21)") } == 42)
    }
}

/// Ends a stream when it is released.
private final class Mark: Sendable {
    private let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

    deinit { continuation.finish() }

    /// A reader whose connections alone have the mark.
    static func reader(of space: SyncSpace, ending continuation: AsyncStream<Void>.Continuation) throws
        -> any DatabaseReader
    {
        let mark = Mark(continuation)
        return try space.databaseReader { _ in withExtendedLifetime(mark) {} }
    }
}
