import SyncCore

extension SQLiteStore {
    /// Runs `body` on a read session, with the point of its snapshot; nil if unknown, for example during a write.
    func readSession<Result>(at body: (StoreSession, ReadPoint?) throws -> Result) throws -> Result {
        let before = point()
        return try readSession { session in
            // The snapshot exists by now. If the point is the same before and after, it is that of the snapshot.
            let after = point()
            return try body(session, before == after ? before : nil)
        }
    }
}
