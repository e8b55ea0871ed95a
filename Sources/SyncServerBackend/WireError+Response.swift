import SyncCore
import SyncHTTPClient
package import SyncWire

extension WireError {
    /// The error in a response's body, or otherwise from its status: 401, 403, 404, 410 and 413 are sufficient.
    init?(_ response: HTTPResponse) {
        // A body that contradicts its status did not come from a sync server.
        if response.mediaType == WireProtocol.problemMediaType,
            let error = WireError(body: response.body),
            error.code.status == response.status
        {
            self = error
            return
        }
        self.init(status: response.status)
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
