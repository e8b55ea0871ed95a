public import SyncCore
public import SyncServerBackend

extension DirectWrite {
    /// Prepares new records with the system's clock and randomness. Throws `SyncError` `invalidInput` if one does not
    /// fit its schema.
    public init(_ records: any SyncEntity...) throws {
        try self.init(records, clock: SystemClock(), random: SystemRandom())
    }

    /// Prepares a record from a wire object, with the system's clock and randomness. Throws as above.
    public init<Object: TransferObject>(_ object: Object) throws where Object.ModelType: SyncEntity {
        try self.init(object, clock: SystemClock(), random: SystemRandom())
    }
}
