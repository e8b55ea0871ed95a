#if Server
    import Foundation
    import HummingbirdCore
    import NIOCore
    import SyncCore
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
        ///
        /// - Parameter loop: Measures the time. Most bodies are there at once, and a timer of the connection's own event
        ///   loop costs next to nothing until it ends.
        func read(_ settings: HostSettings, on loop: any EventLoop) async throws {
            let pace = BodyPace(settings, count: count, loop: loop)
            defer { pace.stop() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.collect() }
                group.addTask { try await pace.watch() }
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

    /// Tells when a body is too slow: as a whole, or in one of the intervals.
    private final class BodyPace: Sendable {
        private enum State {
            case new, ended(isTooSlow: Bool)
            case watched(CheckedContinuation<Void, Never>)
        }

        private let state = Guarded(State.new)
        private let timers = Guarded<(end: Scheduled<Void>, pace: RepeatedTask)?>(nil)

        init(_ settings: HostSettings, count: ByteCount, loop: any EventLoop) {
            let end = loop.scheduleTask(in: .seconds(seconds: settings.bodySeconds)) {
                self.end(isTooSlow: true)
            }
            let interval = TimeAmount.seconds(seconds: settings.paceSeconds)
            let before = Guarded(0)
            let pace = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
                let now = count.value
                let arrived = before.use { before in
                    defer { before = now }
                    return now - before
                }
                if arrived < settings.paceBytes { self.end(isTooSlow: true) }
            }
            timers.use { $0 = (end, pace) }
        }

        /// Ends the timers.
        func stop() {
            let timers = timers.use { timers in
                defer { timers = nil }
                return timers
            }
            timers?.end.cancel()
            timers?.pace.cancel()
        }

        /// Throws `WireError` as soon as the body is too slow. Returns if the task is cancelled.
        func watch() async throws {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isOver = state.use { state in
                        guard case .new = state else { return true }
                        state = .watched(continuation)
                        return false
                    }
                    if isOver { continuation.resume() }
                }
            } onCancel: {
                end(isTooSlow: false)
            }
            let isTooSlow = state.use { if case .ended(true) = $0 { true } else { false } }
            if isTooSlow { throw WireError.bodyTooSlow }
        }

        private func end(isTooSlow: Bool) {
            let continuation: CheckedContinuation<Void, Never>? = state.use { state in
                switch state {
                case .new:
                    state = .ended(isTooSlow: isTooSlow)
                    return nil
                case .watched(let continuation):
                    state = .ended(isTooSlow: isTooSlow)
                    return continuation
                case .ended: return nil
                }
            }
            continuation?.resume()
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
