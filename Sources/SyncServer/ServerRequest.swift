public import SyncCore

/// A request as the host passes it on: read completely, within the limits, and independent of its connection.
public struct ServerRequest: Sendable, Hashable {
    /// `GET`, `POST` ...
    public var method: String
    /// The path without query, still percent-encoded.
    public var path: String
    /// Header fields.
    public var headers: [HTTPHeader]
    /// The whole body.
    public var body: [UInt8]
    /// The peer's address, used for limits only; empty if unknown.
    public var peer: String

    /// Makes a request.
    public init(
        method: String,
        path: String,
        headers: [HTTPHeader] = [],
        body: [UInt8] = [],
        peer: String = ""
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.peer = peer
    }

    /// The values of a field; the name is case-insensitive.
    public func headers(named name: String) -> [String] {
        let name = name.lowercased()
        return headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}

/// What the host sends back.
public enum ServerAnswer: Sendable, Hashable {
    /// A whole answer.
    case response(HTTPResponse)
    /// A stream of a log's events after the given header fields. The log is named by its `ChangeHub` topic.
    case events(topic: String)
}

/// An authenticated account. It is identified by the token only.
public struct Account: Sendable, Hashable {
    /// An opaque id that never changes. It names the account's files, so it is a safe file name.
    public var id: String
    /// The display name.
    public var name: String
    /// The entities that the account may exchange; nil for all.
    public var entities: Set<String>?

    /// Makes an account.
    public init(id: String, name: String, entities: Set<String>? = nil) {
        self.id = id
        self.name = name
        self.entities = entities
    }
}
