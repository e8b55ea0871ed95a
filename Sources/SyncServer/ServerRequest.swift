public import SyncCore

/// A request as the server's host hands it over: already read, within the limits, and without a connection.
public struct ServerRequest: Sendable, Hashable {
    /// `GET`, `POST` ...
    public var method: String
    /// The path, percent-encoding kept, without query.
    public var path: String
    /// Header fields.
    public var headers: [HTTPHeader]
    /// The whole body.
    public var body: [UInt8]
    /// The peer's address, for limits only; empty when unknown.
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

    /// The values of a field, by name without regard to case.
    public func headers(named name: String) -> [String] {
        let name = name.lowercased()
        return headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}

/// What the host sends back.
public enum ServerAnswer: Sendable, Hashable {
    /// A whole answer.
    case response(HTTPResponse)
    /// A stream of events of one log, named by `ChangeHub` topic, after the given fields.
    case events(topic: String)
}

/// Who asks: found by the token, never by anything else that the request says.
public struct Account: Sendable, Hashable {
    /// An opaque id that never changes. It names the account's files, and is safe as a file name.
    public var id: String
    /// A name for people.
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
