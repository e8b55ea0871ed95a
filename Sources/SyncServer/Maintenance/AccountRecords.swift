/// The stored records of one account, in whatever store a server has.
package protocol AccountRecords {
    /// Reads one state of them.
    ///
    /// - Parameters:
    ///   - account: The account's id.
    ///   - visit: Called with each record as it is exchanged, deleted ones included: by entity, and within one by the
    ///     bytes of their keys.
    /// - Returns: The devices of the account, sorted. Throws `SyncError`, or the error of `visit`.
    func read(account: String, visit: (_ entity: String, _ entry: [UInt8]) throws -> Void) throws -> [String]
}
