public import SyncCore
public import SyncServerBackend

extension DirectWrite {
    /// Prepares new records by the system's clock and randomness. Throws `SyncError` `invalidInput` for one that does not fit
    /// its schema.
    public init(_ records: any SyncEntity...) throws {
        try self.init(records, clock: SystemClock(), random: SystemRandom())
    }

    /// Prepares a record that came as a wire object, by the system's clock and randomness. Throws as above.
    public init<Object: TransferObject>(_ object: Object) throws where Object.ModelType: SyncEntity {
        try self.init(object, clock: SystemClock(), random: SystemRandom())
    }
}
