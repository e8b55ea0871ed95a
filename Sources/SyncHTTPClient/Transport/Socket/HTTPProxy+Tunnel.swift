import SyncCore

// On other platforms, the system's own client does what sockets do here.
#if canImport(FoundationNetworking)
    extension HTTPProxy {
        /// The most bytes of the proxy's answer.
        private static let maxAnswerBytes = 1 << 16

        /// Asks the proxy on a new connection for a tunnel. Throws `unreachable` if it opens none.
        func open(_ connection: SocketConnection, to server: SocketTarget) throws {
            guard try connection.send(request(for: server)) else { throw TransportError.unreachable }
            var answer: [UInt8] = []
            let end = Array("\r\n\r\n".utf8)
            // The server speaks only after the client's greeting, so nothing follows the head.
            while !answer.suffix(end.count).elementsEqual(end) {
                guard let bytes = try connection.receive() else { throw TransportError.unreachable }
                answer += bytes
                guard answer.count <= Self.maxAnswerBytes else { throw TransportError.unreachable }
            }
            let words = answer.prefix { $0 != 0x0D }.split(separator: 0x20)
            guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8), words[1].first == UInt8(ascii: "2")
            else { throw TransportError.unreachable }
        }
    }
#endif
