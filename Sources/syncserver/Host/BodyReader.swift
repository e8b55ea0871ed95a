#if Server
    import HummingbirdCore
    import NIOCore
    import SyncServer
    import SyncWire

    /// Reads the body of one request within the limits of size, time and memory. What it took of the budget is given back
    /// when it goes.
    final class BodyReader: @unchecked Sendable {
        private let budget: BodyBudget
        private let limits: WireLimits
        // Touched by one task at a time.
        // NB: a body can be iterated once, so what is read and what is dropped share this.
        private var pieces: RequestBody.AsyncIterator
        private(set) var bytes: [UInt8] = []
        private var taken = 0
        private var isBroken = false

        init(_ body: RequestBody, budget: BodyBudget, limits: WireLimits) {
            pieces = body.makeAsyncIterator()
            self.budget = budget
            self.limits = limits
        }

        deinit { budget.give(taken) }

        /// Reads to the end. Throws `WireProblem`: `tooLarge`, `requestTimeout`, `unavailable`, or `malformed` for broken
        /// framing or a connection that ended before the body.
        func read(seconds: Double) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.collect() }
                group.addTask {
                    try await Task.sleep(for: .seconds(seconds))
                    throw WireProblem.bodyTooSlow
                }
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

        private func collect() async throws {
            do {
                while let piece = try await pieces.next() {
                    guard bytes.count + piece.readableBytes <= limits.requestBytes else {
                        throw WireProblem.bodyTooLarge(limits)
                    }
                    guard budget.take(piece.readableBytes) else { throw WireProblem.tooBusy }
                    taken += piece.readableBytes
                    bytes += piece.readableBytesView
                }
            } catch let problem as WireProblem {
                throw problem
            } catch {
                isBroken = true
                throw WireProblem.brokenFraming
            }
        }
    }
#endif
