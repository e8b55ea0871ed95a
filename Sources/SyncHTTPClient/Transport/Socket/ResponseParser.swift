import SyncCore

// On other platforms, the system's own client does what sockets do here.
#if canImport(FoundationNetworking)
    /// An incremental parser of one HTTP/1.1 response (RFC 9112). The bytes may be split anywhere.
    ///
    /// A pure value. It throws the error of the request: `interrupted` for an incomplete or invalid response,
    /// `tooLarge` for a long head or a compressed body.
    struct ResponseParser {
        /// The most bytes of a head, of a chunk's size line, and of all trailers together.
        static let maxHeadBytes = 65_536

        /// A parsed part of the response.
        enum Event: Equatable {
            /// Status and fields.
            case head(HTTPResponse)
            /// The next bytes of the body.
            case piece([UInt8])
            /// The end of the response.
            case end
        }

        private enum State {
            case head
            case counted(Int)
            case chunkSize
            case chunk(Int)
            case chunkEnd
            case trailers
            case untilClose
            case done
        }

        /// The declared length of the body; nil if there is none.
        private(set) var contentLength: Int?
        private let method: String
        private var state = State.head
        private var buffer: [UInt8] = []
        /// The offset of the first unread byte in the buffer.
        private var offset = 0
        private var trailerBytes = 0
        private var keepsConnection = true

        /// Makes a parser of the response to a request with this method.
        init(method: String) {
            self.method = method
        }

        /// Whether the response is complete.
        var isDone: Bool {
            if case .done = state { return true }
            return false
        }

        /// Whether the connection can be reused after the complete response.
        var isReusable: Bool { isDone && keepsConnection && rest.isEmpty }

        private var rest: ArraySlice<UInt8> { buffer[offset...] }

        /// Parses the next bytes and returns what they complete.
        mutating func feed(_ bytes: [UInt8]) throws(TransportError) -> [Event] {
            if offset == buffer.count { buffer = bytes } else { buffer = rest + bytes }
            offset = 0
            var events: [Event] = []
            while let event = try next() { events.append(event) }
            return events
        }

        /// The connection was closed. Throws unless that completes the response.
        mutating func close() throws(TransportError) -> [Event] {
            guard case .untilClose = state else {
                guard isDone else { throw .interrupted }
                return []
            }
            state = .done
            return [.end]
        }

        /// The next event; nil if more bytes are needed, and after the end.
        private mutating func next() throws(TransportError) -> Event? {
            while true {
                switch state {
                case .head:
                    guard let lines = try takeHead() else { return nil }
                    guard let head = try read(lines: lines) else { continue }
                    return .head(head)
                case .counted(0):
                    state = .done
                    return .end
                case .counted(let left):
                    guard !rest.isEmpty else { return nil }
                    let piece = take(left)
                    state = .counted(left - piece.count)
                    return .piece(piece)
                case .chunkSize:
                    guard let line = try takeLine() else { return nil }
                    let size = try Self.chunkSize(line: line)
                    state = size == 0 ? .trailers : .chunk(size)
                case .chunk(let left):
                    guard !rest.isEmpty else { return nil }
                    let piece = take(left)
                    state = piece.count == left ? .chunkEnd : .chunk(left - piece.count)
                    return .piece(piece)
                case .chunkEnd:
                    guard let line = try takeLine() else { return nil }
                    guard line.isEmpty else { throw .interrupted }
                    state = .chunkSize
                case .trailers:
                    guard let line = try takeLine() else { return nil }
                    trailerBytes += line.count
                    guard trailerBytes <= Self.maxHeadBytes else { throw .tooLarge }
                    guard line.isEmpty else { continue }
                    state = .done
                    return .end
                case .untilClose:
                    return rest.isEmpty ? nil : .piece(take(.max))
                case .done: return nil
                }
            }
        }

        /// Takes at most `count` of the available bytes.
        private mutating func take(_ count: Int) -> [UInt8] {
            let piece = Array(rest.prefix(count))
            offset += piece.count
            return piece
        }

        /// A line without its end; nil if it is incomplete.
        private mutating func takeLine() throws(TransportError) -> ArraySlice<UInt8>? {
            guard let end = rest.firstIndex(of: 0x0a) else {
                guard rest.count <= Self.maxHeadBytes else { throw .tooLarge }
                return nil
            }
            var line = rest[..<end]
            if line.last == 0x0d { line.removeLast() }
            offset = end + 1
            return line
        }

        private static func chunkSize(line: ArraySlice<UInt8>) throws(TransportError) -> Int {
            // Chunk extensions follow a semicolon and are ignored.
            let digits = String(decoding: line.prefix { !";\t ".utf8.contains($0) }, as: UTF8.self)
            guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isHexDigit),
                let size = Int(digits, radix: 16)
            else { throw .interrupted }
            return size
        }
    }

    // MARK: The head

    extension ResponseParser {
        /// The lines of a head; nil if it is incomplete.
        private mutating func takeHead() throws(TransportError) -> [String]? {
            var start = offset
            var lines: [ArraySlice<UInt8>] = []
            while let end = buffer[start...].firstIndex(of: 0x0a) {
                var line = buffer[start..<end]
                if line.last == 0x0d { line.removeLast() }
                start = end + 1
                guard start - offset <= Self.maxHeadBytes else { throw .tooLarge }
                if line.isEmpty {
                    offset = start
                    return lines.map { String(decoding: $0, as: UTF8.self) }
                }
                lines.append(line)
            }
            guard rest.count <= Self.maxHeadBytes else { throw .tooLarge }
            return nil
        }

        /// Parses a head and determines the end of the body; nil for an interim response.
        private mutating func read(lines: [String]) throws(TransportError) -> HTTPResponse? {
            guard let status = lines.first.flatMap(Self.status) else { throw .interrupted }
            var head = HTTPResponse(status: status)
            for line in lines.dropFirst() { head.headers.append(try Self.header(line)) }
            guard status >= 200 else {
                // The client never asks to switch protocols.
                guard status != 101 else { throw .interrupted }
                return nil
            }
            let connection = Self.list(head: head, name: "Connection")
            keepsConnection = lines[0].hasPrefix("HTTP/1.1 ") && !connection.contains("close")
            try frame(head: head)
            return head
        }

        private mutating func frame(head: HTTPResponse) throws(TransportError) {
            let lengths = Set(Self.list(head: head, name: "Content-Length"))
            let codings = Self.list(head: head, name: "Transfer-Encoding")
            if method == "HEAD" || head.status == 204 || head.status == 304 {
                state = .counted(0)
            } else if !codings.isEmpty {
                guard codings == ["chunked"] else { throw .interrupted }
                // A response with both framings may be a smuggling attempt, so the connection is not reused.
                if !lengths.isEmpty { keepsConnection = false }
                state = .chunkSize
            } else if let text = lengths.first {
                guard lengths.count == 1, text.utf8.allSatisfy(\.isDigit), let length = Int(text) else {
                    throw .interrupted
                }
                contentLength = length
                state = .counted(length)
            } else {
                keepsConnection = false
                state = .untilClose
            }
            // NB: only `identity` is accepted, because a compressed body could expand to any size.
            guard Self.list(head: head, name: "Content-Encoding").allSatisfy({ $0 == "identity" }) else {
                throw .tooLarge
            }
        }

        private static func status(line: String) -> Int? {
            guard line.hasPrefix("HTTP/1.1 ") || line.hasPrefix("HTTP/1.0 ") else { return nil }
            let text = line.dropFirst(9)
            let digits = text.prefix(3)
            guard digits.utf8.count == 3, digits.utf8.allSatisfy(\.isDigit),
                text.count == 3 || text.dropFirst(3).first == " ", let status = Int(digits), status >= 100
            else { return nil }
            return status
        }

        private static func header(_ line: String) throws(TransportError) -> HTTPHeader {
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
            else { throw .interrupted }
            let value = line[line.index(after: colon)...]
            return HTTPHeader(name: String(line[..<colon]), value: value.trimmed)
        }

        /// The members of a list field over all its lines, in lower case.
        private static func list(head: HTTPResponse, name: String) -> [String] {
            let name = name.lowercased()
            return head.headers.filter { $0.name.lowercased() == name }
                .flatMap { $0.value.split(separator: ",") }
                .map { $0.trimmed.lowercased() }
                .filter { !$0.isEmpty }
        }
    }

    extension Substring {
        /// The text without spaces and tabs at its ends.
        fileprivate var trimmed: String {
            func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
            var bytes = utf8[...]
            while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
            while let last = bytes.last, isBlank(last) { bytes.removeLast() }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    extension UInt8 {
        fileprivate var isDigit: Bool { self &- 0x30 < 10 }
        fileprivate var isHexDigit: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }
    }
#endif
