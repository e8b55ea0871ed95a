#if Server
    import Foundation
    import HummingbirdCore
    import NIOCore
    import SyncServer
    import SyncWire

    /// Reads the body of one request within the limits of size, time and memory. What it took of the budget is given back
    /// when it goes.
    final class BodyReader: @unchecked Sendable {
        private let budget: BodyBudget
        private let limits: WireLimits
        // Touched by one task at a time, but for `count`.
        // NB: a body can be iterated once, so what is read and what is dropped share this.
        private var pieces: RequestBody.AsyncIterator
        private(set) var bytes: [UInt8] = []
        private var share: BodyBudget.Share
        private var isBroken = false
        /// The bytes that came so far, for who watches whether more come.
        private let count = ByteCount()

        init(body: RequestBody, account: String, budget: BodyBudget, limits: WireLimits) {
            pieces = body.makeAsyncIterator()
            share = BodyBudget.Share(account: account)
            self.budget = budget
            self.limits = limits
        }

        deinit { budget.give(share) }

        /// Reads to the end. Throws `WireError`: `tooLarge`, `requestTimeout`, `tooManyRequests`, `unavailable`, or
        /// `malformed` for broken framing or a connection that ended before the body.
        func read(_ settings: HostSettings) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.collect() }
                group.addTask {
                    try await Task.sleep(for: .seconds(settings.bodySeconds))
                    throw WireError.bodyTooSlow
                }
                group.addTask { try await self.insistOnPace(settings: settings) }
                defer { group.cancelAll() }
                try await group.next()
            }
        }

        /// Reads on and drops what comes; true when the end was reached, false when nothing more can be read.
        func drop() async -> Bool {
            if isBroken { return false }
            do {
                while try await pieces.next() != nil {}
                return true
            } catch {
                // What is wrong with a body that nobody wants is of no interest.
                return false
            }
        }

        /// Throws once less came in a while than has to.
        private func insistOnPace(settings: HostSettings) async throws {
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
            } catch let problem as WireError {
                throw problem
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

    /// A number that one task raises and another one reads.
    private final class ByteCount: @unchecked Sendable {
        private let lock = NSLock()
        // Guarded by `lock`.
        private var count = 0

        var value: Int { lock.withLock { count } }

        func add(_ bytes: Int) { lock.withLock { count += bytes } }
    }
#endif
