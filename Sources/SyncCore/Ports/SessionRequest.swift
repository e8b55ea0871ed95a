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
    /// The cursor of the last one before this: how far the store had read then, and what; nil where there was none.
    public var formerCursor: String?
    /// What the full state of the remote is compared for at the first sync of a new incarnation
    /// (`IncarnationRenewal.comparing`); nil where nothing is.
    public var comparing: RemotePage.Absence?
    /// Whether what the remote has lost is published again at once, though it may be on its way.
    public var replacesLosses = false
    /// Fingerprints of the live records that the store shows, having seen all up to `cursor`, by entity and schema.
    /// Nil where the remote was told before, or does not ask (`RemoteCapabilities.requestComparison`).
    public var records: [String: Digest]?
    /// Finds what `known` returns. An engine sets it; without one nothing is known.
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

    /// What the store knows of a record at the remote: for a remote that lists more than was asked for, so that only what
    /// is new is fetched, and for one that takes a change only as a difference. Throws `SyncError`.
    public func known(entity: String, key: RecordKey) throws -> KnownRecord { try lookUp(entity, key) }
}

/// What a store knows of a record at the remote.
public struct KnownRecord: Sendable, Hashable {
    /// The version of the remote that the store has seen last; nil where it has seen none.
    public var base: SyncRecord?
    /// The remote's name for the state that was seen last; nil where the remote is not known to hold the record, or names
    /// no states.
    public var revision: Revision?

    /// Nothing, unless told otherwise.
    public init(base: SyncRecord? = nil, revision: Revision? = nil) {
        (self.base, self.revision) = (base, revision)
    }
}
