/// A remote: a folder, a server, anything that holds versions of records.
///
/// One sync opens a session, fetches pages until there are none, and pushes. A backend keeps no state between
/// sessions but what it is given: cursor, intent and binding are opaque to everyone else and live in the store.
public protocol RemoteBackend: Sendable {
    /// What the remote can do. A sync leans on nothing that is not named here.
    var capabilities: RemoteCapabilities { get }
    /// Checks that this is the remote that the store is bound to, and opens a session.
    /// Throws `wrongRemote`, `unreachable`, `notPermitted` or `inputOutput`.
    func open(_ request: SessionRequest) async throws -> any RemoteSession
    /// Says when something may have changed at the remote, for as long as it is read. Asked only of a remote with
    /// `RemoteCapabilities.changeHints`. Ends with an error only when the remote does not permit it.
    func hints() -> AsyncThrowingStream<Void, any Error>
    /// The account may be used again, by credentials that were given anew or by rights that came back.
    func accountResumed() async
    /// What the remote's last answers told besides records.
    func conditions() async -> RemoteConditions
}

extension RemoteBackend {
    /// A remote that says nothing.
    public func hints() -> AsyncThrowingStream<Void, any Error> { AsyncThrowingStream { $0.finish() } }

    /// A remote that holds nothing against an account.
    public func accountResumed() async {}

    /// Nothing: a remote without a clock, which asks nobody to wait.
    public func conditions() async -> RemoteConditions { RemoteConditions() }
}

/// What a remote's answers tell besides records.
public struct RemoteConditions: Sendable, Hashable {
    /// By how many seconds the remote's clock is ahead of this device's; nil when not known.
    public var clockSkewSeconds: Double?
    /// When the remote is to be asked again at the earliest; nil when it did not say.
    public var notBefore: Timestamp?
    /// Requests made so far, over all syncs; 0 for a remote that is no server.
    public var requests: Int

    /// Tells nothing, unless told otherwise.
    public init(clockSkewSeconds: Double? = nil, notBefore: Timestamp? = nil, requests: Int = 0) {
        self.clockSkewSeconds = clockSkewSeconds
        self.notBefore = notBefore
        self.requests = requests
    }
}

/// One sync's conversation with a remote.
public protocol RemoteSession: Sendable {
    /// What the store must know or do before anything else.
    var greeting: SessionGreeting { get }
    /// The next page, or nil when all was fetched. Pages may be large; they are applied one by one. After a push there
    /// may be more.
    func fetch() async throws -> RemotePage?
    /// How much the next push may hold. A remote that finds a push too large lowers it.
    func pushLimit() async -> PushLimit
    /// Requests made so far; 0 for a remote that is no server.
    func requests() async -> Int
    /// Turns changes into something that can be sent, and says how to recognise it later. Sends nothing.
    func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush
    /// Sends what was prepared. Sending it twice changes nothing.
    func push(_ prepared: PreparedPush) async throws -> PushReceipt
    /// Whether this store has seen all that the remote shows, so that what it holds can be compared with others.
    func comparesRecords(cursor: String?) async throws -> Bool
    /// Compares what this store holds with what others that have seen as much say that they hold: fingerprints of the
    /// live records, by entity. Returns the differences.
    func compare(_ records: [String: Digest], cursor: String?) async throws -> [RemoteDiagnostic]
    /// Ends the session; `cursor` is the last one that the store saved. Housekeeping such as compaction happens here.
    func close(cursor: String?) async throws
}

extension RemoteSession {
    /// Everything in one push.
    public func pushLimit() async -> PushLimit { .none }

    /// None: not a server.
    public func requests() async -> Int { 0 }

    /// Nothing is compared.
    public func comparesRecords(cursor: String?) async throws -> Bool { false }

    /// No difference.
    public func compare(_ records: [String: Digest], cursor: String?) async throws -> [RemoteDiagnostic] {
        []
    }
}

/// What a remote says when a session opens.
public struct SessionGreeting: Sendable {
    /// What identifies the remote and this store's place in it. Saved before the first push.
    public var binding: String
    /// Whether entries stand under this store's incarnation that it did not write: it is a copy, and must take a new one.
    public var isCopy: Bool
    /// The highest sequence of this incarnation that the remote holds.
    public var ownSequence: Int64
    /// How the store takes a new incarnation, where it must; `isCopy` alone stands for one without doubts.
    public var renewal: IncarnationRenewal?

    /// Makes a greeting.
    public init(
        binding: String,
        isCopy: Bool = false,
        ownSequence: Int64 = 0,
        renewal: IncarnationRenewal? = nil
    ) {
        self.binding = binding
        self.isCopy = isCopy || renewal != nil
        self.ownSequence = ownSequence
        self.renewal = renewal
    }
}
