extension StoreSnapshot {
    /// Rejections whose record is not being sent again.
    public func standingRejections() throws -> [Rejection] { try rejections().filter { !$0.isTriedAgain } }
}

extension StoreTransaction {
    /// Removes the rejection of a local record. Bytes that could not be taken in stay.
    public func forgetRejection(entity: String, key: RecordKey) throws {
        let rejection = try rejections().first { $0.entity == entity && $0.key == key }
        guard let rejection, rejection.raw == nil || rejection.isTriedAgain else { return }
        try removeRejection(entity: entity, key: key)
    }

    /// Notes that a rejected record is sent again. Its reason, time and number of tries stay until the answer.
    public func tryAgain(entity: String, key: RecordKey) throws {
        // Bytes that could not be taken in stay: they are the remote's, not an answer to this device's edit.
        guard var rejection = try rejections().first(where: { $0.entity == entity && $0.key == key }),
            rejection.raw == nil
        else { return }
        rejection.raw = []
        try setRejection(rejection)
    }
}
