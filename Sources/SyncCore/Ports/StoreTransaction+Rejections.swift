extension StoreSnapshot {
    /// Rejections whose record is not being sent again, and records that are set aside. Each record is listed once.
    public func standingRejections() throws -> [Rejection] {
        let rejections = try rejections().filter { !$0.isTriedAgain }
        let setAside = try setAsideRecords()
        if setAside.isEmpty { return rejections }
        let known = Dictionary(grouping: rejections, by: \.entity).mapValues { Set($0.map(\.key)) }
        return rejections + setAside.filter { known[$0.entity]?.contains($0.key) != true }
    }

    /// A store that can read every row sets none aside.
    public func setAside(_ entity: EntityDescriptor) throws -> [RecordKey] { [] }

    /// A store that can read every row sets none aside.
    public func setAsideRecords() throws -> [Rejection] { [] }
}

extension StoreTransaction {
    /// Removes the rejection of a local record. Bytes that could not be taken in stay.
    public func forgetRejection(entity: String, key: RecordKey) throws {
        guard let rejection = try rejection(entity: entity, key: key),
            rejection.raw == nil || rejection.isTriedAgain
        else { return }
        try removeRejection(entity: entity, key: key, seenBy: nil)
    }

    /// Notes that a rejected record is sent again. Its reason, time and number of tries stay until the answer.
    public func tryAgain(entity: String, key: RecordKey) throws {
        // Bytes that could not be taken in stay: they are the remote's, not an answer to this device's edit.
        guard var rejection = try rejection(entity: entity, key: key), rejection.raw == nil
        else { return }
        rejection.raw = []
        try setRejection(rejection)
    }
}
