import Foundation
import SyncCore
import SyncWire

extension ServerClient {
    /// Watches for changes: an element comes whenever the stream is connected, as something may have changed before, and
    /// for each change that the server tells. Elements that nobody takes become one.
    ///
    /// A stream that ends, breaks or is silent for a minute is connected again, for ever and with growing waits. It ends
    /// with an error only when the server does not permit it: `SyncError` `notPermitted` for a refused token,
    /// `WireProblem` `forbidden`; or when the token's source fails. It stops when nobody reads it any more.
    ///
    /// Where the transport holds no streams open, an element comes now and then instead, about twice a minute.
    package func changes(path: String = WireProtocol.eventsPath) -> AsyncThrowingStream<Void, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { feed in
            let task = Task {
                do {
                    try await watch(path) { feed.yield() }
                } catch {
                    feed.finish(throwing: error is CancellationError ? nil : error)
                }
            }
            feed.onTermination = { _ in task.cancel() }
        }
    }

    /// Seconds until a stream must have begun.
    private static let connectSeconds: Double = 30
    /// Silence is counted in slices: this many without a piece are a broken stream. Servers speak every 15 seconds.
    private static let silentSlices = 4
    private static let sliceSeconds: Double = 15
    /// A stream that lived so long was sound: the next wait is a short one again.
    private static let soundSeconds: Int64 = 20

    /// Seconds after a change until more is read: a server that tells of changes without end is not followed at its pace.
    private static let pauseSeconds = 0.1
    /// Seconds between two elements where no stream is held open.
    private static let askSeconds: Double = 30

    private func watch(_ path: String, notify: @escaping @Sendable () -> Void) async throws -> Never {
        while !transport.holdsStreams(to: base) {
            notify()
            try await sleeper.sleep(seconds: Self.askSeconds * (1 + random.fraction() / 10))
        }
        var attempt = 1
        while true {
            let start = clock.now()
            let ended = try await listen(path, notify: notify)
            if clock.now().microseconds - start.microseconds > Self.soundSeconds * 1_000_000 { attempt = 1 }
            let wait = policy.wait(after: attempt, fraction: random.fraction())
            let busy = ended.cause.isBusy ? policy.busySeconds.prefix(attempt).last ?? 0 : 0
            let seconds = max(wait, min(ended.retryAfter ?? busy, policy.maxRetryAfterSeconds))
            onRetry?(attempt, seconds, ended.cause)
            try await sleeper.sleep(seconds: seconds)
            attempt += 1
        }
    }

    /// Why a stream is over, and what the server asked to wait.
    private struct Ended: Error {
        var cause: RetryCause
        var retryAfter: Double?
    }

    /// Connects and listens until the stream is over.
    private func listen(_ path: String, notify: @escaping @Sendable () -> Void) async throws -> Ended {
        var request = request("GET", path: path, maxResponseBytes: .max, timeoutSeconds: Self.connectSeconds)
        request.headers.removeAll { $0.name == "Accept" }
        request.headers.append(HTTPHeader(name: "Accept", value: WireProtocol.eventsMediaType))
        request.headers.append(HTTPHeader(name: "Cache-Control", value: "no-store"))
        do {
            let stream = try await authorized(request: request, status: \.head.status, send: transport.stream)
            try check(stream.head)
            record(.answered)
            notify()
            return try await hear(pieces: stream.pieces, notify: notify)
        } catch let ended as Ended {
            return ended
        } catch let failure as TransportError {
            try Task.checkCancellation()
            return Ended(cause: RetryCause(failure) ?? .interrupted)
        }
    }

    private func check(_ head: HTTPResponse) throws {
        if head.status == 403 { throw WireError(code: .forbidden, detail: WireError.detail(status: 403)) }
        guard head.status == 200, head.mediaType == WireProtocol.eventsMediaType else {
            throw Ended(
                cause: RetryCause(status: head.status) ?? .foreignAnswer,
                retryAfter: head.retryAfterSeconds(now: clock.now())
            )
        }
    }

    /// Reads events until the stream is over or silent.
    private func hear(
        pieces: AsyncThrowingStream<[UInt8], any Error>,
        notify: @escaping @Sendable () -> Void
    ) async throws -> Ended {
        let pulse = Pulse()
        let pause = Self.pauseSeconds
        return try await withThrowingTaskGroup(of: Ended.self) { group in
            group.addTask { [sleeper] in
                var parser = EventStreamParser()
                for try await piece in pieces {
                    pulse.beat()
                    let events = try? parser.feed(piece)
                    guard let events else { return Ended(cause: .foreignAnswer) }
                    guard events.contains(where: { $0.name == WireProtocol.changeEvent }) else { continue }
                    notify()
                    try await sleeper.sleep(seconds: pause)
                }
                try Task.checkCancellation()
                let asked = parser.retryMilliseconds.map { Double($0) / 1000 }
                return Ended(cause: .interrupted, retryAfter: asked)
            }
            group.addTask { [sleeper] in
                var silent = 0
                while silent < Self.silentSlices {
                    try await sleeper.sleep(seconds: Self.sliceSeconds)
                    silent = pulse.wasQuiet() ? silent + 1 : 0
                }
                return Ended(cause: .timedOut)
            }
            defer { group.cancelAll() }
            return try await group.next() ?? Ended(cause: .interrupted)
        }
    }
}

/// Whether a stream still lives.
private final class Pulse: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var beats = 0

    func beat() { lock.withLock { beats += 1 } }

    /// Whether nothing came since the last call.
    func wasQuiet() -> Bool {
        lock.withLock {
            defer { beats = 0 }
            return beats == 0
        }
    }
}
