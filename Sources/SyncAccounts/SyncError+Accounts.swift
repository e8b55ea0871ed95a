public import SyncCore

/// The wording of all errors about accounts.
extension SyncError {
    /// The session's account was left: its store accepts nothing more.
    public static func accountLeft() -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "The account of this session was left; nothing was written.",
            help: "Use the space or session of the account that is in use now."
        )
    }

    /// The guest has no remote.
    public static func guestHasNoRemote() -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "Nobody is signed in, so there is no remote to sync with.",
            help: "Sign in first; the account can adopt what was written as a guest.",
            retry: .afterAction
        )
    }

    /// No account of that name is known here.
    public static func unknownAccount() -> SyncError {
        SyncError(
            kind: .notFound,
            message: "That account is not known on this device.",
            help: "Sign in to it first."
        )
    }

    /// The name of an account is empty.
    public static func noAccountName() -> SyncError {
        SyncError(
            kind: .usage,
            message:
                "An account needs a name that is not empty, and only one that is no guest can be signed in to.",
            help: "Give the name that the backend has for the account."
        )
    }

    /// Signing out was refused; the error in words.
    public static func unsent(refusal: UnsentRecords) -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "Records that would be removed are on this device alone: \(refusal.total).",
            help:
                "Sync first, resolve what is in conflict or rejected, or sign out by keeping or discarding them.",
            retry: .afterAction
        )
    }

    /// Another process is changing the accounts.
    public static func accountsBusy() -> SyncError {
        SyncError(
            kind: .busy,
            message: "Another process is changing the accounts of this device.",
            help: "Wait until it has finished and try again.",
            retry: .later
        )
    }

    /// The index of accounts cannot be read.
    public static func damagedAccountIndex() -> SyncError {
        SyncError(
            kind: .unreadableStore,
            message: "The index of accounts is damaged or of a newer version.",
            help: "Restore it from a backup or update this program; no account was touched."
        )
    }
}

/// Signing out was refused: records would be lost that no remote has.
public struct UnsentRecords: Error, Sendable, Hashable {
    /// What would be lost, every entity listed, and those that only an earlier version of the app had.
    public var counts: [UnsentCounts]

    /// Makes the error.
    public init(counts: [UnsentCounts]) {
        self.counts = counts
    }

    /// How many records would be lost, of all entities.
    public var total: Int { counts.reduce(0) { $0 + $1.total } }
}

/// Counts of one entity's records that no remote has in their present form.
public struct UnsentCounts: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// Records that wait to be pushed, deletes included.
    public var pending: Int
    /// Records in conflict.
    public var conflicts: Int
    /// Records that the remote rejected, or that could not be taken in.
    public var rejected: Int

    /// Makes counts.
    public init(entity: String, pending: Int = 0, conflicts: Int = 0, rejected: Int = 0) {
        self.entity = entity
        self.pending = pending
        self.conflicts = conflicts
        self.rejected = rejected
    }

    /// All of them.
    public var total: Int { pending + conflicts + rejected }
}

extension StoreSnapshot {
    /// What would be lost with the store: counts for every entity, parents first, then for those that an earlier version of
    /// the app has left records of.
    package func unsent(entities: [EntityDescriptor]) throws -> [UnsentCounts] {
        let known = try entities.map { entity in
            let counts = try counts(entity: entity)
            return UnsentCounts(
                entity: entity.name,
                pending: counts.pending,
                conflicts: counts.conflicts,
                rejected: counts.rejected
            )
        }
        let others = try uncleanWithoutSchema().sorted { $0.key.precedesByBytes(other: $1.key) }
        return known + others.map { UnsentCounts(entity: $0.key, pending: $0.value) }
    }
}
