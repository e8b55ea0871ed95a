import SyncCore
import SyncHTTPClient
package import SyncWire

extension WireError {
    /// The error in a response's body, or otherwise from its status: 404, 410 and 413 are sufficient, and the head of
    /// a stream, which has no body, with 401 or 403.
    init?(_ response: HTTPResponse) {
        let error = WireError(body: response.body)
        if Self.mayBe(in: response), let error {
            self = error
            return
        }
        let isAboutAccount = response.status == 401 || response.status == 403
        guard !isAboutAccount || Self.mayBe(in: response) else { return nil }
        self.init(status: response.status)
    }

    /// Whether a response has the form of the protocol's errors. Whatever has not comes from something in between, and
    /// may blame neither token nor account. A body that contradicts its status did not come from a sync server.
    static func mayBe(in response: HTTPResponse) -> Bool {
        guard response.mediaType == WireProtocol.problemMediaType else { return false }
        return response.body.isEmpty || WireError(body: response.body)?.code.status == response.status
    }

    /// The error that a status alone says; nil if it does not say enough.
    package init?(status: Int) {
        let code: Code
        switch status {
        case 401: code = .unauthorized
        case 403: code = .forbidden
        case 404: code = .notFound
        case 410: code = .cursorExpired
        case 413: code = .tooLarge
        default: return nil
        }
        self.init(code: code, detail: Self.detail(status: status))
    }

    /// The meaning of a status for the person who reads it.
    private static func detail(status: Int) -> String {
        switch status {
        case 403: "The account may not do this (status 403)."
        case 404: "There is nothing of the protocol under this URL (status 404)."
        case 410: "The cursor is too old (status 410)."
        case 413: "The request is too large (status 413)."
        default: "The server refuses the request (status \(status))."
        }
    }
}
