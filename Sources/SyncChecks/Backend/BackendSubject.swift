public import SyncCore

/// A kind of remote that the suite can be run against.
public protocol BackendSubject: Sendable {
    /// Entities that the remote takes. The suite draws records of them from a seed, and uses those whose values it can
    /// draw; a live server knows only its own.
    var entities: [EntityDescriptor] { get }

    /// Makes an empty remote that nobody else uses. Called once or twice per check.
    func makeRemote() async throws -> any ScratchRemote
}

/// An empty remote of the suite's own.
public protocol ScratchRemote: Sendable {
    /// What the remote promises beside its backend's capabilities, and what can be done to it.
    var profile: SuiteProfile { get }

    /// A backend as one device would have it. Asked for anew for each session.
    func backend(for device: DeviceID) async throws -> any RemoteBackend

    /// Forgets all tombstones at once, as time would. Called only where `canPurge`.
    func purgeTombstones() async throws

    /// Lets the remote's history begin anew, as a lost or exchanged database would; what it held may be gone. Called only
    /// where `canRestart`.
    func restart() async throws

    /// Removes the remote.
    func dispose() async throws
}

extension ScratchRemote {
    /// Cannot be done.
    public func purgeTombstones() async throws {}

    /// Cannot be done.
    public func restart() async throws {}

    /// Nothing to remove.
    public func dispose() async throws {}
}

/// What a remote promises beyond what every remote does and its backend declares, and what the suite may do to it.
public struct SuiteProfile: Sendable, Hashable {
    /// Whether it checks records against their schema.
    public var validates: Bool
    /// Whether each page's cursor resumes after that page; otherwise only the last page's does.
    public var resumesAfterEachPage: Bool
    /// The greatest number of requests of a session in which nothing happens: 0 for a remote that is no server.
    public var idleRequests: Int
    /// The greatest number of records in one page. Above 2499 the checks of page borders do not apply.
    public var pageRecords: Int
    /// How large the records of the check of large records are, in bytes.
    public var largeRecordBytes: Int
    /// Whether `purgeTombstones` works.
    public var canPurge: Bool
    /// Whether `restart` works.
    public var canRestart: Bool

    /// Makes a profile.
    public init(
        validates: Bool,
        resumesAfterEachPage: Bool,
        idleRequests: Int,
        pageRecords: Int,
        largeRecordBytes: Int = 300_000,
        canPurge: Bool = false,
        canRestart: Bool = false
    ) {
        self.validates = validates
        self.resumesAfterEachPage = resumesAfterEachPage
        self.idleRequests = idleRequests
        self.pageRecords = pageRecords
        self.largeRecordBytes = largeRecordBytes
        self.canPurge = canPurge
        self.canRestart = canRestart
    }

    /// A server of protocol v1.
    public static func server(pageRecords: Int, canPurge: Bool = false, canRestart: Bool = false) -> Self {
        SuiteProfile(
            validates: true,
            resumesAfterEachPage: true,
            idleRequests: 1,
            pageRecords: pageRecords,
            canPurge: canPurge,
            canRestart: canRestart
        )
    }

    /// A shared folder.
    public static func folder(pageRecords: Int, canRestart: Bool = true) -> Self {
        SuiteProfile(
            validates: false,
            resumesAfterEachPage: false,
            idleRequests: 0,
            pageRecords: pageRecords,
            canRestart: canRestart
        )
    }
}
