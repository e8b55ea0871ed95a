#if GRDB
    import Dispatch
    import GRDB
    import SyncCore

    /// What ties a reader to the space that it was made of: the file that both have open, and the task that tells the
    /// reader of commits.
    ///
    /// The reader's connections have the link, which has neither the reader nor the space.
    final class ReaderLink: Sendable {
        private let file: any SharedStoreFile
        private let following = Guarded<Task<Void, Never>?>(nil)

        init(file: any SharedStoreFile) { self.file = file }

        deinit {
            following.use { $0?.cancel() }
            file.release()
        }

        var path: String { file.path }

        /// Notifies the pool of commits until it is released. Closes it when the store is closed.
        func follow(versions: AsyncStream<StoreVersion>, notifier: CommitNotifier, pool: DatabasePool) {
            let task = Task { [weak pool, weak self] in
                var last: StoreVersion?
                for await version in versions {
                    guard let pool else { return }
                    if let last { notifier.notify(pool, from: last, to: version) }
                    last = version
                }
                // Closing waits for reads, which no task may do.
                DispatchQueue.global(qos: .utility).async { [weak pool, weak self] in self?.close(pool) }
            }
            following.use { $0 = task }
        }

        private func close(_ pool: DatabasePool?) {
            // A connection with an unfinished statement refuses. It is closed when it is released, and so is the file.
            do { try pool?.close() } catch { return }
            file.release()
        }
    }
#endif
