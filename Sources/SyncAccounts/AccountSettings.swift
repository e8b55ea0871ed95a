public import SyncCore
public import SyncRuntime

/// Settings of an account manager.
public struct AccountSettings: Sendable {
    /// Makes the remote of an account, with that account's credentials. Not called for the guest.
    public var backend: @Sendable (AccountID) throws -> any RemoteBackend
    /// The field that names the owner of a record, by entity name. It is rewritten when an account adopts records.
    public var ownerFields: [String: String]
    /// Clock, randomness and the device's name.
    public var environment: SyncEnvironment
    /// Called with the progress of the running sync of the account in use, on the engine's executor.
    public var onProgress: @Sendable (SyncProgress) -> Void
    /// How an account's records merge at present; see `SyncEngine`. As the schema says by default.
    package var deciding: @Sendable (AccountID, EntityDescriptor) -> EntityDescriptor = { $1 }

    /// Makes settings.
    public init(
        ownerFields: [String: String] = [:],
        environment: SyncEnvironment,
        onProgress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
        backend: @escaping @Sendable (AccountID) throws -> any RemoteBackend
    ) {
        self.backend = backend
        self.ownerFields = ownerFields
        self.environment = environment
        self.onProgress = onProgress
    }
}

/// What becomes of the guest's records when somebody signs in.
public enum GuestAdoption: Sendable, Hashable {
    /// The account adopts them: they keep their keys and change their owner, and the guest's store is emptied.
    case guestRecords
    /// They stay with the guest.
    case nothing
}

/// What becomes of an account's records on this device when somebody signs out.
public enum SignOutMode: Sendable, Hashable {
    /// They stay. Pending changes wait until the next sign-in.
    case keep
    /// They are removed, even if they wait to be pushed.
    case discard
    /// They are removed if the remote has all of them. Otherwise nothing happens. The journal goes with them, and so do the
    /// values of fields that stay on this device, which no remote has.
    case requireSynced
}

/// The result of a sign-in.
public struct SignIn: Sendable {
    /// The session that is current now.
    public var session: AccountSession
    /// What became of the guest's records; nil if none were to be adopted, or there was no guest.
    public var adoption: AdoptionReport?
}
