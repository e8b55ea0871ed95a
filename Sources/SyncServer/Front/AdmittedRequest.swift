public import SyncCore

/// A request whose head was accepted. Its body may be read now.
public struct AdmittedRequest: Sendable {
    let head: ServerRequest
    let route: Route
    let account: Account?
    let requestID: String
    let began: Timestamp

    /// The account that asks; nil on public paths.
    public var accountID: String? { account?.id }
}

/// The decision about a request's head.
public enum Admission: Sendable {
    /// Read the body and continue.
    case admitted(AdmittedRequest)
    /// Answer at once without reading the body.
    case refused(HTTPResponse, RequestLog)
}
