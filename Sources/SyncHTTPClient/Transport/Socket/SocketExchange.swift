import Foundation
import SyncCore

// On other platforms, the system's own client does what sockets do here.
#if canImport(FoundationNetworking)
    /// One request over a socket. It runs on its own thread and resumes its waiter once.
    final class SocketExchange: @unchecked Sendable {
        /// What happens to the body.
        enum Mode {
            /// It is collected up to a limit, and the response is returned at its end.
            case whole(maxBytes: Int)
            /// It is read piece by piece on demand, and the response is returned with its head.
            case pieces
        }

        private let target: SocketTarget
        private let request: [UInt8]
        private let mode: Mode
        private let pool: SocketPool
        private let authorities: TrustedAuthorities?
        private let proxy: HTTPProxy?
        private var parser: ResponseParser

        private let condition = NSCondition()
        // Guarded by `condition`.
        private var isEnded = false
        private var connection: SocketConnection?
        private var headWaiter: CheckedContinuation<HTTPResponse, any Error>?
        private var pieceWaiter: CheckedContinuation<[UInt8]?, any Error>?
        private var ending: Result<Void, any Error>?

        /// Makes an exchange. With authorities the connection uses TLS, and the server's certificate must be
        /// signed by one of them. With a proxy it goes through a tunnel.
        init(
            target: SocketTarget,
            bytes: [UInt8],
            method: String,
            mode: Mode,
            pool: SocketPool,
            authorities: TrustedAuthorities?,
            proxy: HTTPProxy? = nil
        ) {
            self.target = target
            request = bytes
            self.mode = mode
            self.pool = pool
            self.authorities = authorities
            self.proxy = proxy
            parser = ResponseParser(method: method)
        }

        // MARK: For the waiting task

        /// Sends the request and waits for the response or its head. May be called once.
        func answer() async throws -> HTTPResponse {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { waiter in
                    let isWanted = condition.withLock {
                        if !isEnded { headWaiter = waiter }
                        return !isEnded
                    }
                    guard isWanted else { return waiter.resume(throwing: CancellationError()) }
                    Thread.detachNewThread { self.run() }
                }
            } onCancel: {
                cancel()
            }
        }

        /// Waits for the next piece of the body; nil at its end.
        func piece() async throws -> [UInt8]? {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { waiter in
                    let ending: Result<Void, any Error>? = condition.withLock {
                        if isEnded { return self.ending ?? .success(()) }
                        pieceWaiter = waiter
                        condition.signal()
                        return nil
                    }
                    switch ending {
                    case .success?: waiter.resume(returning: nil)
                    case .failure(let error)?: waiter.resume(throwing: error)
                    case nil: break
                    }
                }
            } onCancel: {
                cancel()
            }
        }

        /// Ends the exchange and closes its connection.
        func cancel() { end(.failure(CancellationError())) }

        // MARK: On the thread

        private func run() {
            do {
                switch mode {
                case .whole(let maxBytes): try runWhole(maxBytes)
                case .pieces: try runPieces()
                }
            } catch {
                end(.failure(error))
            }
            condition.withLock { connection }?.close()
        }

        private func runWhole(_ maxBytes: Int) throws {
            let connection = try open()
            var answer: HTTPResponse?
            while !parser.isDone {
                for event in try read(connection: connection) {
                    switch event {
                    case .head(let head):
                        guard parser.contentLength ?? 0 <= maxBytes else { throw TransportError.tooLarge }
                        answer = head
                    case .piece(let bytes):
                        guard (answer?.body.count ?? 0) + bytes.count <= maxBytes else {
                            throw TransportError.tooLarge
                        }
                        answer?.body += bytes
                    case .end: break
                    }
                }
            }
            guard let answer else { throw TransportError.interrupted }
            let waiter = condition.withLock {
                defer { headWaiter = nil }
                isEnded = true
                // From here on the exchange no longer owns the connection, so another request may use it.
                if headWaiter != nil, parser.isReusable, isSentWhole {
                    self.connection = nil
                    pool.keep(connection, for: target.origin)
                }
                return headWaiter
            }
            waiter?.resume(returning: answer)
        }

        private func runPieces() throws {
            let connection = try open()
            var pieces: [[UInt8]] = []
            while true {
                for event in try read(connection: connection) {
                    switch event {
                    case .head(let head):
                        let waiter = condition.withLock {
                            defer { headWaiter = nil }
                            return headWaiter
                        }
                        waiter?.resume(returning: head)
                    case .piece(let bytes): pieces.append(bytes)
                    case .end: break
                    }
                }
                // No more is read before the present pieces are taken, so a fast peer has to wait.
                if !pieces.isEmpty {
                    guard give(Array(pieces.joined())) else { return }
                    pieces = []
                }
                if parser.isDone { return end(.success(())) }
            }
        }

        private var isSentWhole = false

        /// A connection on which the request was sent.
        private func open() throws -> SocketConnection {
            let kept = pool.take(target.origin)
            let connection = kept ?? SocketConnection()
            let isWanted = condition.withLock {
                if !isEnded { self.connection = connection }
                return !isEnded
            }
            guard isWanted else {
                connection.close()
                throw CancellationError()
            }
            if kept == nil {
                try connection.connect(to: proxy?.target ?? target)
                try proxy?.open(connection, to: target)
                if let authorities {
                    guard let channel = authorities.makeChannel(host: target.host) else {
                        throw TransportError.notSecure
                    }
                    try connection.secure(channel: channel)
                }
            }
            isSentWhole = try connection.send(request)
            return connection
        }

        private func read(connection: SocketConnection) throws -> [ResponseParser.Event] {
            guard let bytes = try connection.receive() else { return try parser.close() }
            return try parser.feed(bytes)
        }

        /// Waits until a piece is requested and delivers it. Returns whether to continue.
        private func give(_ bytes: [UInt8]) -> Bool {
            condition.lock()
            while pieceWaiter == nil, !isEnded { condition.wait() }
            let waiter = pieceWaiter
            pieceWaiter = nil
            let isWanted = !isEnded
            condition.unlock()
            waiter?.resume(returning: bytes)
            return isWanted
        }

        /// Ends the exchange. Only the first call has an effect.
        private func end(_ result: Result<Void, any Error>) {
            condition.lock()
            guard !isEnded else { return condition.unlock() }
            isEnded = true
            ending = result
            let (head, piece) = (headWaiter, pieceWaiter)
            (headWaiter, pieceWaiter) = (nil, nil)
            let connection = connection
            condition.broadcast()
            condition.unlock()
            connection?.interrupt()
            switch result {
            case .success: piece?.resume(returning: nil)
            case .failure(let error):
                head?.resume(throwing: error)
                piece?.resume(throwing: error)
            }
        }
    }
#endif
