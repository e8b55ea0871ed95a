#if Server
    import Foundation
    import HTTPTypes
    import HummingbirdCore
    import NIOCore
    import NIOPosix
    import SyncCore
    import SyncServer
    import SyncWire

    extension HTTPHost {
        /// Answers one request: admits its head, reads its body, and sends the answer.
        func respond(
            to request: Request,
            writer: consuming ResponseWriter,
            channel: any Channel
        ) async throws {
            let (head, declaredBytes) = Self.head(of: request, from: channel)
            await handler.prepare(head)
            let admission = try await threads.runIfActive {
                self.handler.admit(head, declaredBytes: declaredBytes)
            }
            switch admission {
            case .refused(let response, let entry):
                log(entry)
                let isSmall = declaredBytes.map { $0 <= 64 * 1024 } ?? false
                try await send(response, for: request, writer: writer, channel: channel, thenClose: !isSmall)
                let reader = reader(of: request, for: nil)
                if declaredBytes != 0 { await drop(reader, channel: channel, thenClose: !isSmall) }
            case .admitted(let admitted):
                let reader = reader(of: request, for: admitted.accountID)
                do {
                    if let account = admitted.accountID, !connections.belongs(channel: channel, to: account) {
                        throw WireError.tooManyConnections
                    }
                    if request.headers[.expect]?.lowercased() == "100-continue", declaredBytes != 0 {
                        try await writer.writeInformationalHead(HTTPTypes.HTTPResponse(status: .continue))
                    }
                    if declaredBytes != 0 { try await reader.read(settings, on: channel.eventLoop) }
                } catch let error as WireError {
                    let (response, entry) = handler.refuse(
                        admitted,
                        error: error,
                        bytesIn: reader.bytes.count
                    )
                    log(entry)
                    try await send(response, for: request, writer: writer, channel: channel, thenClose: true)
                    return await drop(reader, channel: channel, thenClose: true)
                }
                let answer = await answer(admitted, body: reader.bytes)
                switch answer.0 {
                case .response(let response):
                    log(answer.1)
                    try await send(response, for: request, writer: writer, channel: channel, thenClose: false)
                    if admitted.accountID == nil { connections.answered(channel: channel) }
                case .events(let topic):
                    try await stream(
                        topic: topic,
                        admitted: admitted,
                        request: request,
                        writer: writer,
                        channel: channel
                    )
                }
            }
        }

        /// The answer to a request. A long body is checked away from the event loop, which others wait for.
        private func answer(_ admitted: AdmittedRequest, body: [UInt8]) async -> (ServerAnswer, RequestLog) {
            if body.count > Self.maxBytesOnLoop, #available(macOS 15, iOS 18, *) {
                return await withTaskExecutorPreference(globalConcurrentExecutor) {
                    await handler.answer(admitted, body: body)
                }
            }
            return await handler.answer(admitted, body: body)
        }

        private static let maxBytesOnLoop = 16 * 1024

        private func reader(of request: Request, for account: String?) -> BodyReader {
            BodyReader(body: request.body, account: account ?? "", budget: budget, limits: handler.limits)
        }

        /// Sends an answer in pieces. A client must read each piece within the time limit.
        func send(
            _ response: SyncCore.HTTPResponse,
            for request: Request,
            writer: consuming ResponseWriter,
            channel: any Channel,
            thenClose: Bool
        ) async throws {
            var head = responseHead(status: response.status, headers: response.headers)
            if thenClose { head.headerFields[.connection] = "close" }
            if response.status != 204 { head.headerFields[.contentLength] = "\(response.body.count)" }
            if request.method == .head || response.body.isEmpty {
                let guardian = deadline(on: channel)
                defer { guardian.cancel() }
                return try await writer.writeResponse(head)
            }
            if response.body.count <= Self.pieceBytes {
                let guardian = deadline(on: channel)
                defer { guardian.cancel() }
                return try await writer.write(
                    response: head,
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body))
                )
            }
            var body = try await writer.writeHead(head)
            for start in stride(from: 0, to: response.body.count, by: Self.pieceBytes) {
                let guardian = deadline(on: channel)
                defer { guardian.cancel() }
                let piece = response.body[start..<min(start + Self.pieceBytes, response.body.count)]
                try await body.write(ByteBuffer(bytes: piece))
            }
            try await body.finish(nil)
        }

        /// Closes the connection unless cancelled in time: for clients that do not read.
        func deadline(on channel: any Channel) -> Scheduled<Void> {
            channel.eventLoop.scheduleTask(in: .seconds(seconds: settings.writeSeconds)) {
                channel.close(promise: nil)
            }
        }

        /// The head of an answer, with the date.
        func responseHead(status: Int, headers: [HTTPHeader]) -> HTTPTypes.HTTPResponse {
            var fields = HTTPFields()
            for header in headers {
                guard let name = HTTPField.Name(header.name) else { continue }
                fields.append(HTTPField(name: name, value: header.value))
            }
            fields[.date] = ResponseDate.text(time: clock.now())
            return HTTPTypes.HTTPResponse(status: .init(code: status), headerFields: fields)
        }

        private static let pieceBytes = 64 * 1024

        /// Reads and discards the rest of a body for a while. Closing a connection with unread bytes could
        /// destroy the answer on its way.
        private func drop(_ reader: BodyReader, channel: any Channel, thenClose: Bool) async {
            let closing = channel.eventLoop.scheduleTask(in: .seconds(seconds: settings.lingerSeconds)) {
                channel.close(promise: nil)
            }
            guard await reader.drop() else { return }
            closing.cancel()
            if thenClose { channel.close(promise: nil) }
        }

        /// The request's head, and the length of the body: 0 for none, nil if unknown.
        private static func head(of request: Request, from channel: any Channel) -> (ServerRequest, Int?) {
            let path = request.head.path ?? ""
            let head = ServerRequest(
                method: request.method.rawValue,
                path: String(path.prefix { $0 != "?" && $0 != "#" }),
                headers: request.headers.map { HTTPHeader(name: $0.name.rawName, value: $0.value) },
                peer: channel.remoteAddress?.ipAddress ?? ""
            )
            if request.headers[.transferEncoding] != nil { return (head, nil) }
            guard let length = request.headers[.contentLength] else { return (head, 0) }
            // The decoder has already rejected a length that is not a number.
            return (head, Int(length) ?? .max)
        }
    }
#endif
