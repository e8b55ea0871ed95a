#if Server
    import HummingbirdCore
    import NIOCore
    import NIOPosix
    import SyncCore
    import SyncServer
    import SyncWire

    extension HTTPHost {
        /// Sends server-sent events until the client disconnects or stops reading, or the server stops.
        func stream(
            topic: String,
            admitted: AdmittedRequest,
            request: Request,
            writer: consuming ResponseWriter,
            channel: any Channel
        ) async throws {
            guard let changes = hub.subscribe(to: topic, account: admitted.accountID ?? "") else {
                let error: WireError = handler.isDraining ? .tooBusy : .tooManyStreams
                let (response, entry) = handler.refuse(admitted, error: error)
                log(entry)
                return try await send(
                    response,
                    for: request,
                    writer: writer,
                    channel: channel,
                    thenClose: false
                )
            }
            handler.metrics.streamOpened()
            defer { handler.metrics.streamClosed() }
            let body = try await writer.writeHead(
                responseHead(status: 200, headers: handler.streamHeaders(request: admitted))
            )
            let sent = SentBytes()
            defer { log(handler.endOfStream(admitted, bytesOut: sent.count)) }
            do {
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    var writer: any ResponseBodyWriter = body
                    try await self.send(
                        "event: ready\ndata: {}\n\n",
                        sent: sent,
                        writer: &writer,
                        channel: channel
                    )
                    try await self.sendEvents(
                        changes,
                        of: admitted,
                        sent: sent,
                        writer: &writer,
                        channel: channel
                    )
                }
            } catch {
                // The client disconnected or stopped reading. A stream has no other end.
                channel.close(promise: nil)
            }
        }

        /// Sends events until the server stops, the account is removed or the task is cancelled.
        private func sendEvents(
            _ changes: AsyncStream<UInt64>,
            of admitted: AdmittedRequest,
            sent: SentBytes,
            writer: inout any ResponseBodyWriter,
            channel: any Channel
        ) async throws {
            let news = StreamEventBuffer()
            let interval = TimeAmount.seconds(seconds: settings.heartbeatSeconds)
            let heart = channel.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
                news.beat()
            }
            defer { heart.cancel() }
            async let following: Void = news.follow(changes)
            while let event = await news.next() {
                switch event {
                case .change(let number):
                    let text = "event: \(WireProtocol.changeEvent)\ndata: \(number)\n\n"
                    try await send(text, sent: sent, writer: &writer, channel: channel)
                case .heartbeat:
                    let isAdmitted = try await threads.runIfActive { self.handler.isStillAdmitted(admitted) }
                    guard isAdmitted else { throw CancellationError() }
                    try await send(":\n\n", sent: sent, writer: &writer, channel: channel)
                case .end:
                    await following
                    return try await writer.finish(nil)
                }
            }
        }

        private func send(
            _ text: String,
            sent: SentBytes,
            writer: inout any ResponseBodyWriter,
            channel: any Channel
        ) async throws {
            let guardian = deadline(on: channel)
            defer { guardian.cancel() }
            try await writer.write(ByteBuffer(string: text))
            sent.count += text.utf8.count
        }

        /// The number of bytes that a stream has sent. Used by the stream's task only.
        private final class SentBytes: @unchecked Sendable {
            var count = 0
        }
    }
#endif
