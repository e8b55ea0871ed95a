public import SyncCore

/// A log entry for a request. It has no token, no path, no body and no user data.
public struct RequestLog: Sendable, Hashable, CustomStringConvertible {
    /// The request's id; the answer has it as `X-Request-Id`.
    public var requestID: String
    /// The method; `OTHER` for one that HTTP does not define.
    public var method: String
    /// The template of the path, such as `/v1/exchange`; `unknown` for an unknown path.
    public var route: String
    /// The status code.
    public var status: Int
    /// Microseconds from the head of the request to the answer.
    public var durationMicroseconds: Int64
    /// The body of the request in bytes.
    public var bytesIn: Int
    /// The body of the answer in bytes.
    public var bytesOut: Int
    /// The account's id; nil if there was none.
    public var account: String?
    /// The error code; nil if there was no error.
    public var errorCode: String?
    /// For an internal error, its type; never its message.
    public var cause: String?

    /// Makes an entry.
    public init(
        requestID: String,
        method: String,
        route: String,
        status: Int,
        durationMicroseconds: Int64,
        bytesIn: Int,
        bytesOut: Int,
        account: String?
    ) {
        self.requestID = requestID
        self.method = method
        self.route = route
        self.status = status
        self.durationMicroseconds = durationMicroseconds
        self.bytesIn = bytesIn
        self.bytesOut = bytesOut
        self.account = account
    }

    /// Method, route and status.
    public var description: String { "\(method) \(route) \(status)" }

    /// The entry as one line of JSON, without line feed.
    public func line(at time: Timestamp) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        func text(name: String, value: String?) {
            guard let value else { return }
            writer.name(name)
            writer.string(value)
        }
        func number(_ name: String, value: Int64) {
            writer.name(name)
            writer.integer(value)
        }
        text(name: "time", value: time.description)
        text(name: "level", value: status >= 500 ? "error" : "info")
        text(name: "event", value: "request")
        text(name: "request", value: requestID)
        text(name: "method", value: method)
        text(name: "route", value: route)
        number("status", value: Int64(status))
        number("microseconds", value: durationMicroseconds)
        number("bytesIn", value: Int64(bytesIn))
        number("bytesOut", value: Int64(bytesOut))
        text(name: "account", value: account)
        text(name: "problem", value: errorCode)
        text(name: "cause", value: cause)
        writer.endObject()
        return writer.text
    }
}
