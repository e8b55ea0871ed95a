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
        private(set) var bytes: [UInt8] = []
        /// Whether the end of the body was reached.
        private(set) var isWhole = false
        private var taken = 0

        init(budget: BodyBudget, limits: WireLimits) {
            self.budget = budget
            self.limits = limits
        }

        deinit { budget.give(taken) }

        /// Reads to the end. Throws `WireProblem`: `tooLarge`, `requestTimeout`, `unavailable`, or `malformed` for broken
        /// framing or a connection that ended before the body.
        func read(_ body: RequestBody, seconds: Double) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.collect(body) }
                group.addTask {
                    try await Task.sleep(for: .seconds(seconds))
                    throw WireProblem.bodyTooSlow
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }

        private func collect(_ body: RequestBody) async throws {
            do {
                for try await piece in body {
                    guard bytes.count + piece.readableBytes <= limits.requestBytes else {
                        throw WireProblem.bodyTooLarge(limits)
                    }
                    guard budget.take(piece.readableBytes) else { throw WireProblem.tooBusy }
                    taken += piece.readableBytes
                    bytes += piece.readableBytesView
                }
                isWhole = true
            } catch let problem as WireProblem {
                throw problem
            } catch {
                throw WireProblem.brokenFraming
            }
        }
    }
#endif
