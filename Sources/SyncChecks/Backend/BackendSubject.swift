public import SyncCore

/// A kind of remote that the backend suite can test.
public protocol BackendSubject: Sendable {
    /// The entities that the remote accepts. The suite generates their records from a seed and skips entities
    /// for which it cannot. A live server has fixed entities.
    var entities: [EntityDescriptor] { get }

    /// Makes an empty remote for one check. Called once or twice per check.
    func makeRemote() async throws -> any ScratchRemote
}

/// An empty remote that only the suite uses.
public protocol ScratchRemote: Sendable {
    /// The remote's promises beyond the backend's capabilities, and the operations that the suite may use.
    var profile: SuiteProfile { get }

    /// Makes a backend for a device. Called for each session.
    func backend(for device: DeviceID) async throws -> any RemoteBackend

    /// Removes all tombstones, as if their retention had ended. Called only if `canPurge`.
    func purgeTombstones() async throws

    /// Starts a new history, as after the loss of a database; the data may be gone. Called only if
    /// `canRestart`.
    func restart() async throws

    /// Removes the remote.
    func dispose() async throws
}

extension ScratchRemote {
    /// Does nothing by default.
    public func purgeTombstones() async throws {}

    /// Does nothing by default.
    public func restart() async throws {}

    /// Does nothing by default.
    public func dispose() async throws {}
}

/// The promises of a remote beyond those of all remotes and its backend's capabilities, and the operations
/// that the suite may use.
public struct SuiteProfile: Sendable, Hashable {
    /// Whether the remote validates records against their schema.
    public var validates: Bool
    /// Whether a session can resume after each page. Otherwise only the last page's cursor can be used.
    public var resumesAfterEachPage: Bool
    /// The most requests of a session without changes; 0 for a remote that is not a server.
    public var idleRequests: Int
    /// The most records of a page. Above 2499, checks of page borders are skipped.
    public var pageRecords: Int
    /// The size in bytes of the records in the check of large records.
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

    /// The profile of a protocol v1 server.
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

    /// The profile of a shared folder.
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
