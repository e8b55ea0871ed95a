public import SyncCore

/// What an account manager needs from the app.
public struct AccountSettings: Sendable {
    /// Makes the remote of an account, with the account's own credentials. Never asked for the guest's.
    public var backend: @Sendable (AccountID) throws -> any RemoteBackend
    /// The field of an entity that names its owner, by entity name; it is rewritten when an account adopts records.
    public var ownerFields: [String: String]
    /// Clock, randomness and the device's name.
    public var environment: SyncEnvironment
    /// Where a running sync of the account in use is; called on the engine's executor.
    public var onProgress: @Sendable (SyncProgress) -> Void

    /// Gathers what an account manager needs.
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
    /// They become the account's: keys kept, owner changed, the guest's store emptied.
    case guestRecords
    /// They stay with the guest.
    case nothing
}

/// What becomes of an account's records on this device when somebody signs out.
public enum SignOutMode: Sendable, Hashable {
    /// They stay, and what waits to be pushed waits until the next sign-in.
    case keep
    /// They are removed, whatever waits to be pushed.
    case discard
    /// They are removed if the remote holds all of them; otherwise nothing happens.
    case requireSynced
}

/// What came of a sign-in.
public struct SignIn: Sendable {
    /// The session that is current now.
    public var session: AccountSession
    /// What became of the guest's records; nil when none were to be adopted, or there was no guest.
    public var adoption: AdoptionReport?
}
