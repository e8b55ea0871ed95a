package import SyncCore
import SyncSQLite

/// Stores for those who only look.
extension SQLiteStore {
    /// Opens a store without bringing it to the schemas, so that an app with the former ones can still open it; nil if
    /// it would have to change. Throws as `open` does.
    package static func openUnchanged(
        path: String,
        entities: [EntityDescriptor],
        random: any RandomSource
    ) throws -> SQLiteStore? {
        let opening = StoreOpening(
            path: path,
            entities: EntityChecks.sorted(entities),
            random: random,
            busyTimeoutMilliseconds: 5000,
            medium: nil,
            mayChange: false
        )
        do {
            return try SQLiteStore(opening: opening, sleeper: nil)
        } catch is StoreOpening.NeedsChange {
            return nil
        }
    }

    /// Copies a store, which may be in use, into a new file. Its own file stays as it is.
    /// - Throws: `SyncError` if there is no store, or the system refuses access.
    package static func copy(path: String, to copy: String) throws {
        try withStoreErrors {
            guard try StoreFile.inspect(path) == .store else {
                throw SyncError.damagedStore(detail: "it has no database header")
            }
            // A connection that may not write would leave the files of its log behind.
            let source = try Connection.open(path: path, flags: .readWrite)
            defer { source.close() }
            let target = try Connection.open(path: copy, flags: .readWriteCreate)
            defer { target.close() }
            try source.copy(into: target) { _ in }
        }
    }
}
