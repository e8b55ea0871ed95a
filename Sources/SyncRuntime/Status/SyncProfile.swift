/// What one sync covers.
public struct SyncProfile: Sendable, Hashable {
    /// The purpose of the sync.
    public var kind: Kind
    /// Names of the entities it covers, parents before children.
    public var entities: [String]

    /// Makes a profile.
    public init(kind: Kind, entities: [String]) {
        self.kind = kind
        self.entities = entities
    }

    /// The purpose of a sync.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// All entities.
        case full
        /// The essential entities, first after the app starts.
        case launch
        /// The entities that `launch` left out.
        case rest
        /// Entities that may have changed, here or at the remote.
        case refresh
    }
}

/// Why a sync is started.
public enum SyncReason: String, Sendable, Hashable, CaseIterable {
    /// A local write.
    case write
    /// The app started.
    case launch
    /// The app came back to the foreground.
    case active
    /// The network returned.
    case connectivity
    /// The remote or a push notification reported a change.
    case hint
    /// The period has ended.
    case periodic
    /// The system granted background time.
    case background
    /// The account may be used again.
    case account
    /// A person or the app asked for it.
    case manual
}
