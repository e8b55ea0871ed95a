#if Server
    import Foundation
    import HummingbirdCore
    import NIOCore
    import SyncServer
    import SyncWire

    /// Reads the body of one request within the limits of size, time and memory. Returns its share of the
    /// budget when it is released.
    final class BodyReader: @unchecked Sendable {
        private let budget: BodyBudget
        private let limits: WireLimits
        // Used by one task at a time, except `count`. A body can be iterated only once, so reading and
        // dropping share the iterator.
        private var pieces: RequestBody.AsyncIterator
        private(set) var bytes: [UInt8] = []
        private var share: BodyBudget.Share
        private var isBroken = false
        /// The bytes received so far, for the task that watches the pace.
        private let count = ByteCount()

        init(body: RequestBody, account: String, budget: BodyBudget, limits: WireLimits) {
            pieces = body.makeAsyncIterator()
            share = BodyBudget.Share(account: account)
            self.budget = budget
            self.limits = limits
        }

        deinit { budget.give(share) }

        /// Reads the whole body. Throws `WireError`: `tooLarge`, `requestTimeout`, `tooManyRequests`,
        /// `unavailable`, or `malformed` for broken framing or a connection that ended early.
        func read(_ settings: HostSettings) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.collect() }
                group.addTask {
                    try await Task.sleep(for: .seconds(settings.bodySeconds))
                    throw WireError.bodyTooSlow
                }
                group.addTask { try await self.enforcePace(settings: settings) }
                defer { group.cancelAll() }
                try await group.next()
            }
        }

        /// Reads and discards the rest. Returns true at the end of the body, false if nothing more can be read.
        func drop() async -> Bool {
            if isBroken { return false }
            do {
                while try await pieces.next() != nil {}
                return true
            } catch {
                // An error in a discarded body does not matter.
                return false
            }
        }

        /// Throws if less than the required bytes arrived during an interval.
        private func enforcePace(settings: HostSettings) async throws {
            var before = 0
            while true {
                try await Task.sleep(for: .seconds(settings.paceSeconds))
                let now = count.value
                guard now - before >= settings.paceBytes else { throw WireError.bodyTooSlow }
                before = now
            }
        }

        private func collect() async throws {
            do {
                while let piece = try await pieces.next() {
                    guard bytes.count + piece.readableBytes <= limits.requestBytes else {
                        throw WireError.bodyTooLarge(limits: limits)
                    }
                    try take(piece.readableBytes)
                    bytes += piece.readableBytesView
                    count.add(piece.readableBytes)
                }
            } catch let error as WireError {
                throw error
            } catch {
                isBroken = true
                throw WireError.brokenFraming
            }
        }

        private func take(_ count: Int) throws {
            do {
                try budget.take(count, for: &share)
            } catch .account {
                throw WireError.tooMuchAtOnce
            } catch .server {
                throw WireError.tooBusy
            }
        }
    }

    /// A number that one task increases and another one reads.
    private final class ByteCount: @unchecked Sendable {
        private let lock = NSLock()
        // Guarded by `lock`.
        private var count = 0

        var value: Int { lock.withLock { count } }

        func add(_ bytes: Int) { lock.withLock { count += bytes } }
    }
#endif
