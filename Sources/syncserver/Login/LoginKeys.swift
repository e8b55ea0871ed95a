#if Server
    import Foundation
    import SyncCore
    import SyncServer

    /// The keys of a login, which are loaded again from time to time, and when a token names a key that is not
    /// there. If loading fails, the former keys stay.
    final class LoginKeys: @unchecked Sendable {
        /// After this time the keys are loaded again.
        static let refreshSeconds: Int64 = 600
        /// Keys are loaded at most once in this time, whatever tokens say.
        static let minSecondsBetweenLoads: Int64 = 10

        private let load: @Sendable () async throws -> SigningKeys
        private let clock: any SyncClock
        private let onFailure: @Sendable (any Error) -> Void
        private let lock = NSLock()
        // All are guarded by `lock`.
        private var keys: SigningKeys
        private var lastLoad: Timestamp
        private var loading: Task<Void, Never>?

        /// Loads the keys for the first time. Throws `SyncError` if that fails.
        ///
        /// - Parameters:
        ///   - clock: Measures the age of the keys.
        ///   - onFailure: Called when loading them again has failed.
        ///   - load: Loads the keys.
        init(
            clock: any SyncClock,
            onFailure: @escaping @Sendable (any Error) -> Void,
            load: @escaping @Sendable () async throws -> SigningKeys
        ) async throws {
            self.clock = clock
            self.onFailure = onFailure
            self.load = load
            keys = try await load()
            lastLoad = clock.now()
        }

        /// The present keys.
        var current: SigningKeys { lock.withLock { keys } }

        /// Loads the keys again if they are old, or if there is none for the token. Only in the latter case it
        /// waits, so that a token of a new key is accepted at once.
        func prepare(for token: JSONWebToken) async {
            let isMissing = !current.hasKey(for: token)
            let task = lock.withLock {
                let age = clock.now().microseconds - lastLoad.microseconds
                let limit = isMissing ? Self.minSecondsBetweenLoads : Self.refreshSeconds
                // A clock that was set back makes keys neither old nor young.
                let isDue = age >= limit * 1_000_000 || age < 0
                if loading == nil, isDue {
                    lastLoad = clock.now()
                    loading = Task { await self.reload() }
                }
                return loading
            }
            if isMissing { await task?.value }
        }

        private func reload() async {
            let result: Result<SigningKeys, any Error>
            do { result = .success(try await load()) } catch { result = .failure(error) }
            lock.withLock {
                if case .success(let keys) = result { self.keys = keys }
                loading = nil
            }
            if case .failure(let error) = result { onFailure(error) }
        }
    }
#endif
