import SyncCore
import SyncFiles

@testable import SyncFileBackend

/// One version of a record in the tests' own small store.
struct Version: Hashable {
    var key: String
    var metadata: VersionMetadata
    var isDeleted: Bool
    var body: String
}

/// A store that keeps every head of every record, and syncs as the engine does: whatever is assigned to a property is
/// saved for good, and a crash is a thrown error between two assignments.
final class TestDevice {
    var id: DeviceID
    var label: String
    var files: any FileSystem
    var root: String
    /// A storage in place of the files.
    var storage: (any ObjectStorage)?
    /// How many calls of a sync are under way at once.
    var calls = 4
    var limits = FolderLimits()
    /// What waits for files that are in the cloud only.
    var downloads: FolderDownloads?
    var binding: String?
    var cursor: String?
    var intent: String?
    var sequence: Int64 = 0
    var heads: [RecordKey: [Version]] = [:]
    /// Records whose own head was not acknowledged, with the vector that its edits began from.
    var pending: [RecordKey: VersionVector] = [:]
    private var clock: Int64 = 1_000

    init(number: UInt64, files: any FileSystem, root: String = "/disk/shared") {
        id = DeviceID(bits: number)
        label = "device \(number)"
        self.files = files
        self.root = root
    }

    /// The same store on another disk, as a backup or a `cp` makes it.
    func copy(_ files: (any FileSystem)? = nil) -> TestDevice {
        let copy = TestDevice(number: id.bits, files: files ?? self.files, root: root)
        copy.label = label
        copy.storage = storage
        copy.limits = limits
        copy.binding = binding
        copy.cursor = cursor
        copy.intent = intent
        copy.sequence = sequence
        copy.heads = heads
        copy.pending = pending
        copy.clock = clock
        return copy
    }

    var backend: FolderBackend {
        let folder = FolderStorage(path: root, files: files, maxConcurrentCalls: calls, downloads: downloads)
        return FolderBackend(storage: storage ?? folder, limits: limits, downloads: downloads)
    }

    var request: SessionRequest {
        SessionRequest(
            device: id,
            label: label,
            entities: [],
            binding: binding,
            cursor: cursor,
            intent: intent
        )
    }

    /// What the record shows: the bodies of its heads, by mark; tombstones as nil.
    func shows(_ key: String) -> [String?] {
        (heads[RecordKey(key)] ?? []).map { $0.isDeleted ? nil : $0.body }
    }

    @discardableResult
    func edit(_ key: String, value: String, isDeleted: Bool = false) -> Version {
        let known = heads[RecordKey(key)] ?? []
        var vector = VersionVector()
        for head in known { vector.formUnion(head.metadata.vector) }
        if pending[RecordKey(key)] == nil { pending[RecordKey(key)] = vector }
        sequence += 1
        clock = max(clock, known.map(\.metadata.editTimestamp.time.microseconds).max() ?? 0) + 1
        let editTimestamp = EditTimestamp(
            time: Timestamp(microseconds: clock),
            device: id,
            sequence: sequence
        )
        vector.insert(editTimestamp)
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("value")
        writer.string(value)
        writer.endObject()
        let version = Version(
            key: key,
            metadata: VersionMetadata(editTimestamp: editTimestamp, vector: vector),
            isDeleted: isDeleted,
            body: writer.text
        )
        heads[RecordKey(key)] = [version]
        return version
    }

    func delete(_ key: String) -> Version { edit(key, value: "gone", isDeleted: true) }

    /// Result of one sync.
    struct Outcome {
        var items: [Change] = []
        var diagnostics: [RemoteDiagnostic] = []
        var pages = 0
        /// Keys in snapshots of the folder; a record that is in none of them is gone.
        var shown: Set<RecordKey>?
        var wasCopy = false
        var rules: [String] { diagnostics.map(\.rule) }
        var serious: [String] { diagnostics.filter(\.isSerious).map(\.rule) }
    }

    @discardableResult
    func sync(rejoin: Bool = false, readOnly: Bool = false) async throws -> Outcome {
        var outcome = Outcome()
        var request = request
        request.rejoin = rejoin
        request.readOnly = readOnly
        var session = try await backend.open(request)
        if session.greeting.isCopy {
            outcome.wasCopy = true
            becomeAnother(renewal: session.greeting.renewal)
            request = self.request
            request.rejoin = rejoin
            session = try await backend.open(request)
        }
        if !readOnly { binding = session.greeting.binding }
        if rejoin {
            for (key, versions) in heads where pending[key] == nil && !versions.isEmpty {
                pending[key] = VersionVector()
            }
        }
        while let page = try await session.fetch() {
            outcome.pages += 1
            outcome.items += page.changes
            if case .snapshot = page.kind {
                outcome.shown = (outcome.shown ?? []).union(page.changes.map(\.key))
            }
            outcome.diagnostics += page.diagnostics
            for change in page.changes { apply(change) }
            if !readOnly { cursor = page.cursor }
        }
        if readOnly { return outcome }
        if !pending.isEmpty { try await push(session) }
        try await session.close(cursor: cursor)
        return outcome
    }

    /// Pushes in as many parts as the session's limit asks for.
    func push(_ session: any RemoteSession) async throws {
        let limit = await session.pushLimit()
        while !pending.isEmpty {
            var (batch, bytes): ([Change], Int) = ([], 0)
            for change in changes {
                bytes += change.body.count
                let fits = batch.count < limit.changes && bytes <= limit.bytes
                // All heads of a record go together.
                guard fits || batch.isEmpty || batch.last?.key == change.key else { break }
                batch.append(change)
            }
            let prepared = try await session.prepare(batch, cursor: cursor)
            intent = prepared.intent
            let receipt = try await session.push(prepared)
            cursor = receipt.cursor ?? cursor
            intent = nil
            for change in batch { pending[change.key] = nil }
        }
    }

    var changes: [Change] {
        pending.keys.sorted().flatMap { key in
            (heads[key] ?? []).map {
                Change(
                    Change.Header(
                        entity: "thing",
                        key: key,
                        kind: $0.isDeleted ? .delete : .upsert,
                        metadata: $0.metadata
                    ),
                    body: Array($0.body.utf8)
                )
            }
        }
    }

    func apply(_ change: Change) {
        let version = Version(
            key: change.key.text,
            metadata: change.writtenMetadata,
            isDeleted: change.isDeleted,
            body: String(decoding: change.body, as: UTF8.self)
        )
        var known = heads[change.key] ?? []
        // NB: another device's version may come twice, and acknowledges no edit that was made here.
        let hasOwn = known.contains { $0.metadata.editTimestamp.device == id }
        if known.contains(version), !hasOwn || version.metadata.editTimestamp.device == id {
            pending[change.key] = nil
        }
        known.append(version)
        heads[change.key] = maximal(versions: known)
    }

    /// A copy takes a new incarnation; edits that were not published, or are in doubt, become its own.
    private func becomeAnother(renewal: IncarnationRenewal?) {
        let old = id
        id = DeviceID(bits: id.bits &+ 0x1000)
        sequence = 0
        (binding, cursor, intent) = (nil, nil, nil)
        if let first = renewal?.firstDoubtful {
            for (key, versions) in heads where pending[key] == nil {
                guard let version = versions.first(where: { $0.metadata.sequence(of: old) >= first }),
                    version.metadata.editTimestamp.device == old
                else { continue }
                var base = version.metadata.vector
                base.truncate(old, to: first - 1)
                pending[key] = base
            }
        }
        for (key, base) in pending {
            heads[key] = (heads[key] ?? []).map { version in
                guard version.metadata.editTimestamp.device == old else { return version }
                var version = version
                sequence += 1
                version.metadata.editTimestamp.device = id
                version.metadata.editTimestamp.sequence = sequence
                version.metadata.vector = base
                version.metadata.vector.insert(version.metadata.editTimestamp)
                return version
            }
        }
    }
}

extension MemoryFileSystem {
    /// The path of a segment or snapshot by its numbers, such as `/disk/segment-00000001`: its name ends with a tag.
    func file(numbers: String) -> String {
        nodes.keys.filter { $0.hasPrefix(numbers + "-") && $0.utf8.count == numbers.utf8.count + 24 }.min()
            ?? numbers + ".ndjson"
    }
}

/// A file's name without its tag.
func untagged(name: String) -> String {
    guard var file = NumberedFile(name: name) else { return name }
    file.tag = nil
    return file.name
}

/// The versions of one record of which no other has seen more.
func maximal(versions: [Version]) -> [Version] {
    let distinct = Array(Set(versions))
    return distinct.filter { version in
        !distinct.contains { other in
            other.metadata.vector != version.metadata.vector
                && other.metadata.vector.covers(version.metadata.vector)
        }
    }
    .sorted { ($0.metadata.editTimestamp, $0.body) < ($1.metadata.editTimestamp, $1.body) }
}

/// A small deterministic generator (SplitMix64), so that a failing run can be repeated from its seed.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }
}
