public import SyncCore

/// A request whose head was let in: its body may be read now.
public struct AdmittedRequest: Sendable {
    let head: ServerRequest
    let route: Route
    let account: Account?
    let requestID: String
    let began: Timestamp

    /// The account that asks; nil on paths that are for everybody.
    public var accountID: String? { account?.id }
}

/// What the head of a request leads to.
public enum Admission: Sendable {
    /// Read the body and go on with it.
    case admitted(AdmittedRequest)
    /// Answer at once; the body, if there is one, is not wanted.
    case refused(HTTPResponse, RequestLog)
}
