/// An incremental parser of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html,
/// section 9.2.6). The bytes may be split anywhere.
package struct EventStreamParser: Sendable {
    /// The most bytes of a line, and of an event's data.
    static let maxBytes = 65_536

    /// Thrown for a line or an event over the limit.
    package struct TooLongError: Error {}

    /// The last reconnection delay that the server sent.
    private(set) var retryMilliseconds: Int?
    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var isAfterCR = false
    private var isFirstLine = true

    /// Makes a parser at the start of a stream.
    package init() {}

    /// Parses the next bytes and returns the events that they complete.
    package mutating func feed(_ bytes: [UInt8]) throws(TooLongError) -> [ServerEvent] {
        var events: [ServerEvent] = []
        for byte in bytes {
            // CR, LF and CRLF each end one line.
            let isRestOfCRLF = isAfterCR && byte == 0x0a
            isAfterCR = byte == 0x0d
            if isRestOfCRLF { continue }
            if byte == 0x0d || byte == 0x0a {
                if let event = try endLine() { events.append(event) }
            } else {
                guard line.count < Self.maxBytes else { throw TooLongError() }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() throws(TooLongError) -> ServerEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else { return dispatch() }
        // A line that begins with a colon is a comment.
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
        var value = line.dropFirst(colon + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            guard data.count + value.count < Self.maxBytes else { throw TooLongError() }
            if hasData { data.append(0x0a) }
            data += value
            hasData = true
        case "retry":
            if !value.isEmpty, value.allSatisfy({ $0 &- 0x30 < 10 }) {
                retryMilliseconds = Int(String(decoding: value, as: UTF8.self))
            }
        default: break
        }
        return nil
    }

    /// Completes an event. An event without data is ignored.
    private mutating func dispatch() -> ServerEvent? {
        defer {
            name = ""
            data = []
            hasData = false
        }
        guard hasData else { return nil }
        return ServerEvent(
            name: name.isEmpty ? "message" : name,
            data: String(decoding: data, as: UTF8.self)
        )
    }
}
