import EntitySync
import SyncCore
import SyncInspector

/// Everything that the store knows about one record, with an explanation.
struct Explanation {
    let entity: EntityDescriptor
    let key: RecordKey
    /// The store's incarnation.
    let device: String
    let local: LocalRecord
    /// Other versions in the record's state, by name; nil for a missing one.
    let sides: [(name: String, version: SyncRecord?)]
    /// Versions on the remote that are not shown.
    let heads: [SyncRecord]
    let history: [HistoryEntry]
    let journal: [JournalView]
    let rejection: Rejection?
    private let commands: StoreCommands

    /// Reads the record's state; nil if the store has never seen the key.
    init?(
        snapshot: any StoreSnapshot,
        entity: EntityDescriptor,
        key: RecordKey,
        commands: StoreCommands
    ) throws {
        guard let local = try snapshot.load(entity: entity, key: key) else { return nil }
        self.entity = entity
        self.key = key
        self.local = local
        self.commands = commands
        device = try snapshot.value(name: StoreValueName.device) ?? ""
        sides = [
            ("base", try snapshot.side(entity: entity, key: key, kind: .base)),
            ("remote", try snapshot.side(entity: entity, key: key, kind: .remote)),
            ("displaced", try snapshot.side(entity: entity, key: key, kind: .displaced)),
        ]
        heads = try snapshot.heads(entity: entity, key: key).sorted {
            $0.metadata.editTimestamp < $1.metadata.editTimestamp
        }
        history = try snapshot.history(entity: entity, key: key)
        journal = try snapshot.journal().filter { $0.lost.entity == entity.name && $0.lost.key == key }
            .map { JournalView(entity: entity, entry: $0) }
        rejection = try snapshot.standingRejections().first { $0.entity == entity.name && $0.key == key }
    }

    /// The state in plain words, followed by advice if there is any.
    var sentences: [String] {
        var sentences = [visibility, state].compactMap { $0 }
        if !heads.isEmpty {
            sentences.append(
                "The remote holds \(heads.count) more version(s), kept until an edit replaces them."
            )
        }
        sentences += local.version.metadata.cleared.map { cleared in
            """
            Its \(cleared.field) lacks \(cleared.cause.key.text.visible), because that \(cleared.cause.entity) record \
            was deleted; it returns if the record lives again.
            """
        }
        if let rejection, rejection.isSetAside {
            sentences.append("It is set aside: \(rejection.reason.oneLine)")
        } else if let rejection {
            sentences.append("It was rejected: \(rejection.reason.oneLine)")
        }
        if !hasWays, local.state == .conflict || rejection != nil {
            sentences.append(StoreCommands.noCommand)
        }
        return sentences
    }

    private var visibility: String? {
        switch local.visibility {
        case .live: nil
        case .deleted where local.version.mergedInto != nil:
            "Two devices created the same thing; the record was merged into \(survivor)."
        case .deleted: "The record is deleted; its last value is kept."
        case .setAside:
            "The schema cannot read the record; correct it with 'put', or let the schema allow it."
        }
    }

    private var survivor: String { local.version.mergedInto?.text.visible ?? "another" }

    private var state: String {
        switch local.state {
        case .synced: "This device and the remote agree."
        case .pending: "The edit of this device waits for the next sync."
        case .conflict:
            "This device and the remote both changed it unseen, and \(entity.strategy.rawValue) leaves the choice to you."
        case .rejected:
            "The remote refused the edit of this device; correct it with 'put' and sync, or send it again, or give it up."
        }
    }

    private var record: RecordName { RecordName(entity: entity.name, key: key) }
    private var hasWays: Bool { record.hasCommands }

    /// The commands of which a person chooses one.
    var ways: [String] {
        switch local.state {
        case .conflict:
            let remote = sides.first { $0.name == "remote" }?.version
            let version = remote?.metadata.editTimestamp.description
            return ["local", "remote"].compactMap {
                commands.resolve(record, keep: $0, against: version)
            }
        case .rejected: return [commands.retry(record), commands.discard(record)].compactMap { $0 }
        case .synced, .pending: return []
        }
    }
}
