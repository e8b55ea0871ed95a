/// A remote: a folder, a server, anything that holds versions of records.
///
/// One sync opens a session, fetches pages until there are none, and pushes. A backend keeps no state between
/// sessions except cursor, intent and binding. These live in the store and are opaque to everyone else.
public protocol RemoteBackend: Sendable {
    /// What the remote can do. A sync relies on nothing that is not named here.
    var capabilities: RemoteCapabilities { get }
    /// Checks that this is the remote that the store is bound to, and opens a session.
    /// Throws `wrongRemote`, `unreachable`, `notPermitted` or `inputOutput`.
    func open(_ request: SessionRequest) async throws -> any RemoteSession
    /// Yields when something may have changed at the remote. Called only for a remote with
    /// `RemoteCapabilities.changeHints`. Ends with an error only if the remote does not permit it.
    func hints() -> AsyncThrowingStream<Void, any Error>
    /// The account is usable again, after new credentials or restored rights.
    func accountResumed() async
    /// Facts from the remote's last responses that are not about records.
    func conditions() async -> RemoteConditions
}

extension RemoteBackend {
    /// No hints.
    public func hints() -> AsyncThrowingStream<Void, any Error> { AsyncThrowingStream { $0.finish() } }

    /// Does nothing: the remote never pauses an account.
    public func accountResumed() async {}

    /// The conditions of a remote without a clock that asks nobody to wait.
    public func conditions() async -> RemoteConditions { RemoteConditions() }
}

/// Facts from a remote's responses that are not about records.
public struct RemoteConditions: Sendable, Hashable {
    /// By how many seconds the remote's clock is ahead of this device's; nil if unknown.
    public var clockSkewSeconds: Double?
    /// The earliest time for the next request; nil if the remote did not say.
    public var notBefore: Timestamp?
    /// Requests made so far, over all syncs; 0 if the remote is not a server.
    public var requests: Int

    /// Makes conditions; unknown by default.
    public init(clockSkewSeconds: Double? = nil, notBefore: Timestamp? = nil, requests: Int = 0) {
        self.clockSkewSeconds = clockSkewSeconds
        self.notBefore = notBefore
        self.requests = requests
    }
}

/// A session of one sync with a remote.
public protocol RemoteSession: Sendable {
    /// What the store must know or do first.
    var greeting: SessionGreeting { get }
    /// The next page; nil if all was fetched. Pages may be large and are applied one by one. A push may make
    /// more pages available.
    func fetch() async throws -> RemotePage?
    /// How much the next push may hold. A remote lowers it after finding a push too large.
    func pushLimit() async -> PushLimit
    /// The most bytes of a record's JSON that the remote takes; nil if unknown. Larger ones are refused when they are
    /// written.
    func recordLimit() async -> Int?
    /// Requests made so far; 0 if the remote is not a server.
    func requests() async -> Int
    /// Whether a push may be prepared while the one before it is under way: the bytes of a push depend on its changes
    /// alone, and each push may have only a part of them.
    var preparesAhead: Bool { get }
    /// Encodes changes for sending, with an intent to recognise the push later. Sends nothing.
    func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush
    /// Sends a prepared push. Sending it twice has the same effect as sending it once.
    func push(_ prepared: PreparedPush) async throws -> PushReceipt
    /// Whether this store has seen all that the remote shows, so that its records can be compared with other
    /// devices'.
    func comparesRecords(cursor: String?) async throws -> Bool
    /// Compares fingerprints of the live records, by entity, with those of other devices that have seen as
    /// much. Returns the differences.
    func compare(_ records: [String: Digest], cursor: String?) async throws -> [RemoteDiagnostic]
    /// Ends the session; `cursor` is the last one that the store saved. Compaction happens here.
    func close(cursor: String?) async throws
}

extension RemoteSession {
    /// Everything in one push.
    public func pushLimit() async -> PushLimit { .none }

    /// Unknown.
    public func recordLimit() async -> Int? { nil }

    /// None: not a server.
    public func requests() async -> Int { 0 }

    /// Each push is prepared after the answer to the one before.
    public var preparesAhead: Bool { false }

    /// Compares nothing.
    public func comparesRecords(cursor: String?) async throws -> Bool { false }

    /// No difference.
    public func compare(_ records: [String: Digest], cursor: String?) async throws -> [RemoteDiagnostic] {
        []
    }
}

/// What a remote says when a session opens.
public struct SessionGreeting: Sendable {
    /// Identifies the remote and this store's place in it. Saved before the first push.
    public var binding: String
    /// Whether the remote has entries under this store's incarnation that this store did not write. The store
    /// is then a copy and must take a new incarnation.
    public var isCopy: Bool
    /// The highest sequence of this incarnation that the remote holds.
    public var ownSequence: Int64
    /// How the store must take a new incarnation, if it must. `isCopy` alone stands for a renewal without
    /// doubts.
    public var renewal: IncarnationRenewal?
    /// Whether no edit that was made without knowing of a delete can still arrive unnoticed: a server meets it itself,
    /// and in a folder every device has taken everything. Only then may stores drop old tombstones.
    public var isSettled: Bool

    /// Makes a greeting.
    public init(
        binding: String,
        isCopy: Bool = false,
        ownSequence: Int64 = 0,
        renewal: IncarnationRenewal? = nil,
        isSettled: Bool = true
    ) {
        self.binding = binding
        self.isCopy = isCopy || renewal != nil
        self.ownSequence = ownSequence
        self.renewal = renewal
        self.isSettled = isSettled
    }
}
