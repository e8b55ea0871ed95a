import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

// snippet: backend-shelf
/// What all devices see: one version per record, and a count that only rises.
actor Shelf {
    struct Row: Sendable {
        var change: Change
        var revision: Int64
    }

    private struct Place: Hashable {
        var entity: String
        var key: RecordKey
    }

    private var rows: [Place: Row] = [:]
    private var pushes: [DeviceID: String] = [:]
    private(set) var head: Int64 = 0

    /// The name of a device's last push.
    func lastPush(of device: DeviceID) -> String? { pushes[device] }

    /// The highest sequence of a device that any version has seen.
    func sequence(of device: DeviceID) -> Int64 {
        rows.values.reduce(0) { max($0, $1.change.writtenMetadata.vector[device]) }
    }

    /// What changed after a revision, in the order of revisions, and where that ends.
    func rows(after revision: Int64, of entities: Set<String>) -> (rows: [Row], head: Int64) {
        let found = rows.values.filter { $0.revision > revision && entities.contains($0.change.entity) }
        return (found.sorted { $0.revision < $1.revision }, head)
    }

    /// Takes a push. Nil when another store has pushed under this device since `previous`.
    func push(_ push: PreparedPush, from device: DeviceID, previous: String?) -> [PushReceipt.Result]? {
        let last = pushes[device]
        guard last == nil || last == previous || last == push.intent else { return nil }
        pushes[device] = push.intent
        return push.changes.map { store(change: $0) }
    }

    /// Compare and set: a change is stored only on the state that it names, and only if it has seen it.
    private func store(change: Change) -> PushReceipt.Result {
        let place = Place(entity: change.entity, key: change.key)
        if let row = rows[place] {
            let isRepeated =
                row.change.writtenMetadata.editTimestamp == change.writtenMetadata.editTimestamp
                && row.change.writtenMetadata.vector == change.writtenMetadata.vector
            if isRepeated {
                return .accepted(change.writtenMetadata.editTimestamp, Revision("\(row.revision)"))
            }
            guard change.base == Revision("\(row.revision)"),
                change.writtenMetadata.vector.covers(row.change.writtenMetadata.vector)
            else { return .conflict }
        } else if change.base != nil {
            return .missing
        }
        head += 1
        rows[place] = Row(change: change, revision: head)
        return .accepted(change.writtenMetadata.editTimestamp, Revision("\(head)"))
    }
}
// snippet end

// snippet: backend-open
struct ShelfBackend: RemoteBackend {
    let name: String
    let shelf: Shelf

    var capabilities: RemoteCapabilities { [.compareAndSet, .tombstones, .versionMetadata, .revisions] }

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        guard request.rejoin || request.binding == nil || request.binding == name else {
            throw SyncError(
                kind: .wrongRemote,
                message: "This is another shelf.",
                help: "Sync with the shelf of before, or join this one with a rejoin."
            )
        }
        let saved = request.rejoin ? nil : request.cursor.flatMap { ShelfCursor(name: $0, value: name) }
        let last = await shelf.lastPush(of: request.device)
        // A push that the store knows nothing of was made by a copy of it.
        let isCopy = saved != nil && last != nil && last != saved?.push && last != request.intent
        let greeting = SessionGreeting(
            binding: name,
            isCopy: isCopy,
            ownSequence: await shelf.sequence(of: request.device)
        )
        let entities = Set(request.entities.map(\.name))
        var cursor = ShelfCursor(shelf: name, entities: entities, push: isCopy ? saved?.push : last)
        // An entity that is asked for now and was not before arrives from the beginning.
        if let saved, saved.entities == cursor.entities { cursor.revision = saved.revision }
        return ShelfSession(
            greeting: greeting,
            shelf: shelf,
            request: request,
            entities: entities,
            cursor: cursor
        )
    }
}

/// Where a store stands: the revision it has seen, and the last push it knows of.
struct ShelfCursor: Sendable {
    var shelf: String
    var entities: String
    var revision: Int64 = 0
    var push: String?

    init(shelf: String, entities: Set<String>, push: String?) {
        self.shelf = shelf
        self.entities = entities.sorted().joined(separator: ",")
        self.push = push
    }

    var text: String { "\(shelf)/\(entities)/\(revision)/\(push ?? "")" }

    /// Nil for what this shelf did not write.
    init?(name text: String, value name: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, parts[0] == name, let revision = Int64(parts[2]) else { return nil }
        (shelf, entities, self.revision) = (parts[0], parts[1], revision)
        push = parts[3].isEmpty ? nil : parts[3]
    }
}
// snippet end

// snippet: backend-session
actor ShelfSession: RemoteSession {
    nonisolated let greeting: SessionGreeting
    private let shelf: Shelf
    private let request: SessionRequest
    private let entities: Set<String>
    private var cursor: ShelfCursor
    private var hasMore = true

    init(
        greeting: SessionGreeting,
        shelf: Shelf,
        request: SessionRequest,
        entities: Set<String>,
        cursor: ShelfCursor
    ) {
        (self.greeting, self.shelf, self.request) = (greeting, shelf, request)
        (self.entities, self.cursor) = (entities, cursor)
    }

    /// One page with all that is new, then nil until a push.
    func fetch() async throws -> RemotePage? {
        guard hasMore else { return nil }
        hasMore = false
        let (rows, head) = await shelf.rows(after: cursor.revision, of: entities)
        cursor.revision = head
        guard !rows.isEmpty || cursor.text != request.cursor else { return nil }
        let changes = rows.map { row in
            Change(
                Change.Header(
                    entity: row.change.entity,
                    key: row.change.key,
                    kind: row.change.isDeleted ? .delete : .upsert,
                    mergedInto: row.change.mergedInto,
                    metadata: row.change.metadata,
                    revision: Revision("\(row.revision)")
                ),
                body: row.change.body
            )
        }
        return RemotePage(changes: changes, cursor: cursor.text)
    }

    /// A limit also says that the engine may come again in the same sync, for what was answered with a conflict too.
    func pushLimit() async -> PushLimit { PushLimit(changes: 1000, bytes: .max) }

    /// The same changes are the same push, so that one whose answer was lost is known again.
    func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush {
        var writer = JSONWriter()
        for change in changes { EntryCodec.append(change, to: &writer) }
        let intent = Digest(writer.bytes).description
        return PreparedPush(intent: intent, changes: changes, payload: writer.bytes)
    }

    func push(_ prepared: PreparedPush) async throws -> PushReceipt {
        guard !request.readOnly else {
            throw SyncError(
                kind: .usage,
                message: "A session that only reads cannot push.",
                help: "Open a session that may write."
            )
        }
        let (device, previous) = (request.device, cursor.push)
        guard let results = await shelf.push(prepared, from: device, previous: previous) else {
            throw SyncError(
                kind: .inputOutput,
                message: "Another copy of this store has pushed meanwhile.",
                help: "Sync again: the store then takes an identity of its own.",
                retry: .later
            )
        }
        cursor.push = prepared.intent
        hasMore = true
        return PushReceipt(results: results, cursor: cursor.text)
    }

    func close(cursor: String?) async throws {}
}
// snippet end

// snippet: backend-subject
/// Makes a shelf for each check.
struct ShelfSubject: BackendSubject {
    let entities = ScratchEntities.all

    func makeRemote() async throws -> any ScratchRemote {
        ScratchShelf(backend: ShelfBackend(name: UUID().uuidString, shelf: Shelf()))
    }
}

struct ScratchShelf: ScratchRemote {
    let backend: ShelfBackend
    let profile = SuiteProfile(
        validates: false,
        resumesAfterEachPage: true,
        idleRequests: 0,
        pageRecords: .max
    )

    func backend(for device: DeviceID) async throws -> any RemoteBackend { backend }
}
// snippet end

@Suite struct BackendSnippets {
    // snippet: backend-test
    @Test func theShelfKeepsEveryGuarantee() async {
        for result in await BackendSuite.run(subject: ShelfSubject()) {
            #expect(!result.isFailure, "\(result)")
        }
    }
    // snippet end

    @Test func anEditThatCameTooLateIsDecidedInTheSameSync() async throws {
        let desk = try Desk()
        let backend = ShelfBackend(name: "kitchen", shelf: Shelf())
        let spaces = try ["phone", "tablet"].map { device in
            try SyncSpace.open(
                SpaceConfiguration(
                    folder: desk.path + "/" + device,
                    entities: [Project.self],
                    remote: backend
                )
            )
        }
        let project = Project(id: "p1", companyId: "c1", title: "Roof", status: .rfq)
        try await spaces[0].collection(Project.self).insert(project)
        for space in spaces { try await space.sync() }
        for (number, space) in spaces.enumerated() {
            var edited = try #require(try await space.collection(Project.self).find("p1"))
            edited.title = "Roof \(number)"
            try await space.collection(Project.self).update(edited)
        }
        async let first = spaces[0].sync()
        async let second = spaces[1].sync()
        #expect(try await [first.outcome, second.outcome] == [.synced, .synced])
        try await spaces[0].sync()
        let titles = try spaces.map { try $0.collection(Project.self).find("p1")?.title }
        #expect(titles[0] == titles[1])
    }

    @Test func theShelfIsARemoteOfASpace() async throws {
        let desk = try Desk()
        let shelf = Shelf()
        func space(device: String) throws -> SyncSpace {
            let folder = desk.path + "/" + device
            // snippet: backend-use
            let backend = ShelfBackend(name: "kitchen", shelf: shelf)
            let space = try SyncSpace.open(
                SpaceConfiguration(folder: folder, entities: [Bookmark.self], remote: backend)
            )
            // snippet end
            return space
        }
        let (phone, tablet) = (try space(device: "phone"), try space(device: "tablet"))
        let bookmark = Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255)
        try await phone.collection(Bookmark.self).insert(bookmark)
        try await phone.sync()
        try await tablet.sync()
        #expect(try await tablet.collection(Bookmark.self).find(bookmark.id) != nil)
        #expect(try phone.status().isInSync)
    }
}
