#if GRDB
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

        /// Notifies the pool of commits until it is released or the store is closed.
        ///
        /// NB: the pool is not closed with the store. GRDB 7.10 crashes if a read begins while a pool is being closed,
        /// and only the app knows when nobody reads.
        func follow(versions: AsyncStream<StoreVersion>, notifier: CommitNotifier, pool: DatabasePool) {
            let task = Task { [weak pool] in
                // The first version may hold commits that came after the reader. Those before it wake nobody.
                var last = StoreVersion()
                for await version in versions {
                    guard let pool else { return }
                    notifier.notify(pool, from: last, to: version)
                    last = version
                }
            }
            following.use { $0 = task }
        }
    }
#endif
