import SyncCore

extension SQLiteStore {
    /// Runs `body` on a session that only reads, with the point that its snapshot stands at; nil when that cannot be told,
    /// as while somebody writes.
    func readSession<Result>(at body: (StoreSession, ReadPoint?) throws -> Result) throws -> Result {
        let before = point()
        return try readSession { session in
            // NB: the snapshot stands by now, so what was the same before and is the same now is so in it.
            let after = point()
            return try body(session, before == after ? before : nil)
        }
    }
}
