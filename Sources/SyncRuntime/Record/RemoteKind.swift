import SyncCore

/// How many versions of a record a remote holds.
package enum RemoteKind: Sendable, Hashable {
    /// One: an incoming version is all that it holds. Each has a revision.
    case linear
    /// The known and the incoming versions, except those that another one has seen: a folder, which many write into.
    case forked
}

extension RemoteKind {
    /// What the revision of a version says of its remote.
    init(revision: Revision?) {
        self = revision == nil ? .forked : .linear
    }

    /// What a remote says of itself. One without version metadata holds what its last writer left.
    init(of capabilities: RemoteCapabilities) {
        self =
            capabilities.contains(.versionMetadata) && !capabilities.contains(.revisions) ? .forked : .linear
    }
}
