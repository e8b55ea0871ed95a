import SyncCore

/// What follows from changes of records for other records, within one transaction: one worklist of one write or one pull.
///
/// Children follow their parents, parents their children, and records with the same unique values become one. Such
/// changes are written as edits, so they are pushed like others. Devices that draw the same conclusion write the same
/// content, and then they agree.
///
/// A record that was changed waits here instead of being followed at once, so that a long chain of records needs no
/// deep stack.
final class Consequences {
    let transaction: any StoreTransaction
    /// The entities, as their records merge at present.
    let entities: [EntityDescriptor]
    let device: DeviceID
    let now: Timestamp
    /// The most live records of an entity that a person may have, where the app says so; nil for what the schema says.
    let limit: (EntityDescriptor) -> Int?
    /// The entities for which a person chose how records merge, by name.
    private let chosen: [String: EntityDescriptor]
    private var waiting: [Item] = []
    private var next = 0
    /// Whether somebody works the list off already.
    private var isRunning = false
    private var linksByParent: [String: [Link]] = [:]
    private var knownDevices: OwnDevices?
    private var knownHidden: Bool?
    /// Records of trees that may have another parent than before, by entity.
    var maybeMoved: [String: Set<RecordKey>] = [:]
    /// Records of trees that are known to have a root, by entity and field.
    var rooted: [String: Set<RecordKey>] = [:]
    /// Records with cleared references, by their entity, then by entity and key of what they referred to.
    var clearedChildren: [String: [String: [RecordKey: [RecordKey]]]] = [:]
    /// Records that go with a delete that nobody needs to be undone, by entity.
    var going: [String: Set<RecordKey>] = [:]
    /// What broke off a call that promises to change all or nothing. It gives up the transaction, whoever has caught it.
    var brokenOff: (any Error)?

    init(
        transaction: any StoreTransaction,
        entities: [EntityDescriptor],
        device: DeviceID,
        now: Timestamp,
        limit: @escaping (EntityDescriptor) -> Int? = { _ in nil }
    ) {
        self.limit = limit
        self.transaction = transaction
        self.entities = entities
        let copies = entities.filter(\.isCopy).map { ($0.name, $0) }
        chosen = Dictionary(copies, uniquingKeysWith: { first, _ in first })
        self.device = device
        self.now = now
    }

    /// A record that was changed.
    private struct Item {
        var place: RecordPlace
        var change: Change
    }

    /// What became of a record.
    enum Change {
        /// It was deleted by the edit with this timestamp, by somebody who saw what goes with it.
        case deleted(EditTimestamp)
        /// It was deleted with a parent whose author saw neither it nor what would go with it.
        case deletedUnseen
        /// It was merged into another record.
        case merged
        /// It lives again, or its references lead elsewhere.
        case revived
        /// A value of it was changed.
        case edited
    }

    /// A child entity and its reference to a parent entity.
    struct Link {
        var child: EntityDescriptor
        var reference: ReferenceDescriptor
    }

    /// References that point to an entity.
    func links(to parent: EntityDescriptor) -> [Link] {
        if let links = linksByParent[parent.name] { return links }
        let links = entities.flatMap { child in
            child.references.filter { $0.entity == parent.name }.map { Link(child: child, reference: $0) }
        }
        linksByParent[parent.name] = links
        return links
    }

    /// The identities of this store.
    func ownDevices() throws -> OwnDevices {
        if let knownDevices { return knownDevices }
        let devices = try transaction.ownDevices(current: device)
        knownDevices = devices
        return devices
    }

    /// Whether the remote shows some record no more. Looked up once: nearly every store has none.
    func hasHidden() throws -> Bool {
        if let knownHidden { return knownHidden }
        let hasHidden = try transaction.hasHidden()
        knownHidden = hasHidden
        return hasHidden
    }

    /// A record in the transaction, which merges as the list's entity of that name.
    func place(entity: EntityDescriptor, key: RecordKey) -> RecordPlace {
        RecordPlace(entity: deciding(entity), key: key, transaction: transaction)
    }

    /// The entity as its records merge in this transaction.
    func deciding(_ entity: EntityDescriptor) -> EntityDescriptor { chosen[entity.name] ?? entity }

    /// The entity as it decides about some records: a person's choice is about what is their own, and the schema decides
    /// about the rest.
    func deciding(_ entity: EntityDescriptor, about states: @autoclosure () throws -> [RecordState]) throws
        -> EntityDescriptor
    {
        let entity = deciding(entity)
        guard entity.isChosen else { return entity }
        let own = try ownDevices()
        return try states().contains(where: own.wrote(shown:)) ? entity : entity.bySchema
    }

    /// Adds a record; the order is kept.
    func add(_ place: RecordPlace, change: Change) {
        waiting.append(Item(place: place, change: change))
        if case .revived = change { noteMove(of: place) }
    }

    /// Notes that a record may have another parent than before.
    func noteMove(of place: RecordPlace) {
        guard !place.entity.trees.isEmpty else { return }
        maybeMoved[place.entity.name, default: []].insert(place.key)
        if !rooted.isEmpty { rooted = [:] }
    }

    /// Does some work, and then all that follows from it. Inside of such work it only does the work: what follows is
    /// done at the end of the whole.
    @discardableResult
    func run<Result>(work: () throws -> Result) throws -> Result {
        guard !isRunning else { return try work() }
        isRunning = true
        defer { (waiting, next, isRunning, going) = ([], 0, false, [:]) }
        let result = try work()
        repeat {
            while next < waiting.count {
                next += 1
                try follow(waiting[next - 1])
            }
            try breakCircles()
        } while next < waiting.count
        return result
    }

    private func follow(_ item: Item) throws {
        switch item.change {
        case .deleted(let editTimestamp):
            return try deleteChildren(of: item.place, editTimestamp: editTimestamp)
        case .deletedUnseen: return try applyActions(to: item.place)
        case .merged: return try redirectChildren(of: item.place)
        case .revived: try applyActions(to: item.place)
        case .edited: break
        }
        try mergeDuplicates(entity: item.place.entity, touched: [item.place.key])
    }

    /// Reconciles a record with an event that follows from another record, and writes the result.
    @discardableResult
    func reconcile(_ event: RecordEvent, at place: RecordPlace, before: RecordState) throws -> Reconciliation
    {
        try place.reconcile(event, before: before, own: try ownDevices(), at: now)
    }

    /// Writes a conclusion, which every device writes alike, and lets follow what follows from it.
    func conclude(
        _ version: SyncRecord,
        entity: EntityDescriptor,
        because detail: String,
        change: Change?
    ) throws {
        let place = place(entity: entity, key: version.key)
        try reconcile(.concluded(version), at: place, before: try place.state())
        try place.addHistory("reference", detail: detail, at: now)
        if let change { add(place, change: change) }
    }
}
