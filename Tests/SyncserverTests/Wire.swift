#if Server
    import Foundation

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// A client that sends arbitrary bytes. All calls block, so use it inside `onOwnThread`.
    final class Wire: @unchecked Sendable {
        // `pending` is used by one thread at a time.
        enum ConnectionError: Error {
            /// No connection, or one that ended too early.
            case cut
            /// Nothing arrived before the timeout.
            case silence
        }

        struct Answer {
            var status = 0
            var fields: [String: String] = [:]
            var body = ""
        }

        private let descriptor: Int32
        private var pending: [UInt8] = []
        private var isSilent = false

        init(_ port: Int) throws {
            #if canImport(Darwin)
                descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #else
                descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #endif
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(UInt16(port).bigEndian)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            // A missing answer ends the test instead of hanging it.
            var timeout = timeval(tv_sec: .init(maxWaitSeconds), tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else { throw ConnectionError.cut }
        }

        deinit { close(descriptor) }

        /// Sends all bytes. Returns false if the other side accepts no more.
        @discardableResult
        func send(_ bytes: [UInt8]) -> Bool {
            var start = 0
            while start < bytes.count {
                let count = bytes.withUnsafeBytes { buffer in
                    #if canImport(Darwin)
                        systemSend(descriptor, buffer.baseAddress! + start, buffer.count - start, 0)
                    #else
                        systemSend(
                            descriptor: descriptor,
                            bytes: buffer.baseAddress! + start,
                            count: buffer.count - start,
                            flags: Int32(MSG_NOSIGNAL)
                        )
                    #endif
                }
                guard count > 0 else { return false }
                start += count
            }
            return true
        }

        @discardableResult
        func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        /// Ends the sending side of the connection.
        func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

        /// Reads one more piece. Returns false at the end of the connection.
        private func fill() -> Bool {
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(descriptor, &piece, piece.count, 0)
            isSilent = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
            guard count > 0 else { return false }
            pending += piece[..<count]
            return true
        }

        /// Reads until the connection ends.
        func readToEnd() -> String {
            while fill() {}
            defer { pending = [] }
            return String(decoding: pending, as: UTF8.self)
        }

        /// Reads up to and including a text.
        func read(through text: String) throws -> String {
            let editTimestamp = Array(text.utf8)
            while true {
                if let range = Data(pending).range(of: Data(editTimestamp)) {
                    defer { pending.removeFirst(range.upperBound) }
                    return String(decoding: pending[..<range.upperBound], as: UTF8.self)
                }
                guard fill() else { throw isSilent ? ConnectionError.silence : .cut }
            }
        }

        /// Reads one answer: its head, and its body if it has a length.
        func answer(hasBody: Bool = true) throws -> Answer {
            var answer = Answer()
            let lines = try read(through: "\r\n\r\n").components(separatedBy: "\r\n")
            answer.status = Int(lines[0].split(separator: " ")[1]) ?? 0
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2 else { continue }
                answer.fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
            }
            let length = Int(answer.fields["content-length"] ?? "") ?? 0
            guard hasBody, length > 0 else { return answer }
            while pending.count < length {
                guard fill() else { throw isSilent ? ConnectionError.silence : .cut }
            }
            answer.body = String(decoding: pending[..<length], as: UTF8.self)
            pending.removeFirst(length)
            return answer
        }
    }

    /// The system's `send`, which the methods above would otherwise hide.
    private func systemSend(descriptor: Int32, bytes: UnsafeRawPointer, count: Int, flags: Int32)
        -> Int
    {
        send(descriptor, bytes, count, flags)
    }
#endif
