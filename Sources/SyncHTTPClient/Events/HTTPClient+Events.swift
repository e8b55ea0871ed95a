import SyncCore

extension HTTPClient {
    /// Watches a stream of server-sent events (`text/event-stream`). An element arrives for each event of the
    /// given name, and after each connection, because events may have been missed. Unread elements are merged
    /// into one.
    ///
    /// The client reconnects for ever, with growing delays, when the stream ends, breaks or is silent for a
    /// minute. The stream ends with an error only if the server denies access (`SyncError` `notPermitted` for
    /// a refused token, for a 403 the error of the conventions), or if the credential source throws a `SyncError` that time
    /// does not mend. It stops when its reader is gone.
    ///
    /// If the transport cannot hold a stream open, an element arrives about twice a minute instead.
    package func events(named name: String, path: String) -> AsyncThrowingStream<Void, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { feed in
            let task = Task {
                do {
                    try await watch(path, event: name) { feed.yield() }
                } catch {
                    feed.finish(throwing: error is CancellationError ? nil : error)
                }
            }
            feed.onTermination = { _ in task.cancel() }
        }
    }

    /// The media type of the stream.
    private static let eventsMediaType = "text/event-stream"
    /// The time limit in seconds for the head of the stream.
    private static let connectSeconds: Double = 30
    /// Silence is measured in slices. This many silent slices mean a broken stream. Servers send something
    /// every 15 seconds.
    private static let silentSlices = 4
    private static let sliceSeconds: Double = 15
    /// A stream that lasted at least this long was healthy, so the delays start again from the shortest.
    private static let soundSeconds: Int64 = 20

    /// The pause in seconds after an event. It limits the rate of a server that sends events without end.
    private static let pauseSeconds = 0.1
    /// The interval in seconds of elements if no stream is held open.
    private static let askSeconds: Double = 30

    private func watch(
        _ path: String,
        event: String,
        notify: @escaping @Sendable () -> Void
    ) async throws -> Never {
        while !transport.holdsStreams(to: base) {
            notify()
            try await sleeper.sleep(seconds: Self.askSeconds * (1 + random.fraction() / 10))
        }
        var attempt = 1
        while true {
            let start = clock.now()
            let setback = try await listen(path, event: event, notify: notify)
            // The server has too many streams: what they would say is asked for.
            if setback.cause == .status(429) { notify() }
            if clock.now().microseconds - start.microseconds > Self.soundSeconds * 1_000_000 { attempt = 1 }
            let seconds = setback.streamWait(after: attempt, policy: policy, fraction: random.fraction())
            onRetry?(attempt, seconds, setback)
            try await sleeper.sleep(seconds: seconds)
            attempt += 1
        }
    }

    /// Connects, and reads events until the stream ends. Returns why it ended.
    private func listen(
        _ path: String,
        event: String,
        notify: @escaping @Sendable () -> Void
    ) async throws -> Setback {
        let call = HTTPCall(
            "GET",
            path: path,
            headers: [
                HTTPHeader(name: "Accept", value: Self.eventsMediaType),
                HTTPHeader(name: "Cache-Control", value: "no-store"),
            ],
            maxResponseBytes: .max,
            timeoutSeconds: Self.connectSeconds
        )
        do {
            let stream = try await connected(call)
            try check(stream.head)
            record(nil)
            notify()
            return try await hear(pieces: stream.pieces, event: event, notify: notify)
        } catch let setback as Setback {
            return setback
        } catch let failure as TransportError {
            try Task.checkCancellation()
            return Setback(.transport(failure))
        }
    }

    /// Opens the stream. What the credential source throws is a setback if it may pass, such as for a keychain that is
    /// locked at the moment.
    private func connected(_ call: HTTPCall) async throws -> HTTPStream {
        do { return try await stream(call) } catch
            where !(error is Setback || error is TransportError)
            && (error as? SyncError)?.retry ?? .later == .later
        {
            try Task.checkCancellation()
            throw Setback(error)
        }
    }

    private func check(_ head: HTTPResponse) throws {
        let retryAfter = head.retryAfterSeconds(now: clock.now())
        if head.status == 403, let error = conventions.decodeError(head, retryAfter) { throw error }
        guard head.status == 200, head.mediaType == Self.eventsMediaType else {
            let cause = Setback.Cause(status: head.status, isServers: false, asksToWait: false)
            throw Setback(cause, retryAfterSeconds: retryAfter)
        }
    }

    /// Reads events until the stream ends or is silent for too long.
    private func hear(
        pieces: AsyncThrowingStream<[UInt8], any Error>,
        event: String,
        notify: @escaping @Sendable () -> Void
    ) async throws -> Setback {
        let pulse = StreamPulse()
        let pause = Self.pauseSeconds
        return try await withThrowingTaskGroup(of: Setback.self) { group in
            group.addTask { [sleeper] in
                var parser = EventStreamParser()
                for try await piece in pieces {
                    pulse.beat()
                    let events = try? parser.feed(piece)
                    guard let events else { return Setback(.foreign(200)) }
                    guard events.contains(where: { $0.name == event }) else { continue }
                    notify()
                    try await sleeper.sleep(seconds: pause)
                }
                try Task.checkCancellation()
                let asked = parser.retryMilliseconds.map { Double($0) / 1000 }
                return Setback(.transport(.interrupted), retryAfterSeconds: asked)
            }
            group.addTask { [sleeper] in
                var silent = 0
                while silent < Self.silentSlices {
                    try await sleeper.sleep(seconds: Self.sliceSeconds)
                    silent = pulse.wasQuiet() ? silent + 1 : 0
                }
                return Setback(.transport(.timedOut))
            }
            defer { group.cancelAll() }
            return try await group.next() ?? Setback(.transport(.interrupted))
        }
    }
}
