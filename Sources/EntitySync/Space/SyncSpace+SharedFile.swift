package import SyncCore

/// For rooms that open the store's file with a library of their own.
extension SyncSpace {
    /// The store's file. Throws `usage` if the space is closed or its store is no file.
    package func sharedFile() throws -> any SharedStoreFile { try store.port.sharedFile() }

    /// The present version of the store, and the newest one after commits. Ends when the store is closed.
    package func versions() -> AsyncStream<StoreVersion> {
        let store = store
        return AsyncStream(following: { store.changes($0) }, signal: { $0 })
    }
}
