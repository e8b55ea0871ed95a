public import SyncCore

/// What is written down of a request: no token, no path, no body, and nothing that a person wrote.
public struct RequestLog: Sendable, Hashable, CustomStringConvertible {
    /// Names the request; the answer has it as `X-Request-Id`.
    public var requestID: String
    /// The method, `OTHER` for one that HTTP does not define.
    public var method: String
    /// The template of the path, such as `/v1/exchange`; `unknown` for a path that leads nowhere.
    public var route: String
    /// The status code.
    public var status: Int
    /// Microseconds from the head of the request to the answer.
    public var durationMicroseconds: Int64
    /// The body of the request in bytes.
    public var bytesIn: Int
    /// The body of the answer in bytes.
    public var bytesOut: Int
    /// The id of the account; nil when there was none.
    public var account: String?
    /// The kind of the problem; nil when there was none.
    public var problem: String?
    /// For a mistake of the server, the type of the error; never its words.
    public var cause: String?

    /// Method, route and status.
    public var description: String { "\(method) \(route) \(status)" }

    /// The entry as one line of JSON, without line feed.
    public func line(at time: Timestamp) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        func text(_ name: String, _ value: String?) {
            guard let value else { return }
            writer.name(name)
            writer.string(value)
        }
        func number(_ name: String, _ value: Int64) {
            writer.name(name)
            writer.integer(value)
        }
        text("time", time.description)
        text("level", status >= 500 ? "error" : "info")
        text("event", "request")
        text("request", requestID)
        text("method", method)
        text("route", route)
        number("status", Int64(status))
        number("microseconds", durationMicroseconds)
        number("bytesIn", Int64(bytesIn))
        number("bytesOut", Int64(bytesOut))
        text("account", account)
        text("problem", problem)
        text("cause", cause)
        writer.endObject()
        return writer.text
    }
}
