/// What a session needs to know of the store.
public struct SessionRequest: Sendable {
    /// The store's incarnation.
    public var device: DeviceID
    /// A name for people, never compared.
    public var label: String
    /// The entities that the store holds.
    public var entities: [EntityDescriptor]
    /// What `SessionGreeting.binding` was at the last sync; nil if the store never synced.
    public var binding: String?
    /// The last saved cursor; nil to fetch everything.
    public var cursor: String?
    /// The intent of a push that was not acknowledged, if any.
    public var intent: String?
    /// Whether to accept another remote than the bound one (`--rejoin`).
    public var rejoin: Bool
    /// Whether nothing may be written (`--dry-run`).
    public var readOnly: Bool
    /// Incarnations that the store had before.
    public var former: [DeviceID] = []
    /// The cursor of the previous incarnation: how far the store had read under it. Nil if there was none.
    public var formerCursor: String?
    /// What absence from the remote's full state means at the first sync of a new incarnation
    /// (`IncarnationRenewal.comparing`). Nil if the full state is not compared.
    public var comparing: RemotePage.Absence?
    /// Whether to publish again at once what the remote has lost, even if another device may be doing so.
    public var replacesLosses = false
    /// Fingerprints of the live records, by entity and schema, at `cursor`. Nil if the remote has them already,
    /// or does not ask for them (`RemoteCapabilities.requestComparison`).
    public var records: [String: Digest]?
    /// Implements `known`. The engine sets it; by default nothing is known.
    public var lookUp: @Sendable (_ entity: String, _ key: RecordKey) throws -> KnownRecord = { _, _ in
        KnownRecord()
    }

    /// Makes a request.
    public init(
        device: DeviceID,
        label: String,
        entities: [EntityDescriptor],
        binding: String?,
        cursor: String?,
        intent: String?,
        rejoin: Bool = false,
        readOnly: Bool = false
    ) {
        self.device = device
        self.label = label
        self.entities = entities
        self.binding = binding
        self.cursor = cursor
        self.intent = intent
        self.rejoin = rejoin
        self.readOnly = readOnly
    }

    /// What the store knows about a record at the remote. Lets a remote that lists more than was asked for
    /// fetch only what is new, and a remote that accepts only differences compute one. Throws `SyncError`.
    public func known(entity: String, key: RecordKey) throws -> KnownRecord { try lookUp(entity, key) }
}

/// What a store knows about a record at the remote.
public struct KnownRecord: Sendable, Hashable {
    /// The remote's version that the store has seen last; nil if none.
    public var base: SyncRecord?
    /// The revision that was seen last. Nil if the remote is not known to hold the record, or has no revisions.
    public var revision: Revision?

    /// Makes a record; nothing is known by default.
    public init(base: SyncRecord? = nil, revision: Revision? = nil) {
        (self.base, self.revision) = (base, revision)
    }
}
