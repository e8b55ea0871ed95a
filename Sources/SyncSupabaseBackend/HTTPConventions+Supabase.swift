import SyncCore
package import SyncHTTPClient
import SyncServerBackend
import SyncWire

extension HTTPConventions {
    /// The conventions of PostgREST behind Supabase's gateway.
    ///
    /// Source: «API Keys» in Supabase's documentation, and «Errors» in PostgREST's (version 12).
    ///
    /// `onElsewhere` is called when nothing of PostgREST's is at the path of a request.
    package static func supabase(
        publishableKey: String,
        onElsewhere: @escaping @Sendable () -> Void = {}
    ) -> HTTPConventions {
        HTTPConventions(
            accept: "\(WireProtocol.mediaType), \(WireProtocol.problemMediaType)",
            answerTypes: [WireProtocol.mediaType, WireProtocol.problemMediaType],
            headers: publishableKey.isEmpty ? [] : [HTTPHeader(name: "apikey", value: publishableKey)],
            decodeError: { response, retryAfter in
                if let message = PostgRESTError.gatewayMessage(of: response) {
                    return SyncError.badPublishableKey(isMissing: message.contains("No API key"))
                }
                if let known = PostgRESTError(response).flatMap({ SyncError($0) }) { return known }
                if response.status == 404 { onElsewhere() }
                var error = WireError(body: response.body)
                if error?.code == .unauthorized, response.status == 401 { return SyncError.noUser() }
                // A body that contradicts its status did not come from the exchange, and one without a code from
                // neither PostgREST nor the database: it blames no account.
                if error?.code.status != response.status {
                    let isAboutAccount = response.status == 401 || response.status == 403
                    guard !isAboutAccount || PostgRESTError(response) != nil else { return nil }
                    if response.status == 404, PostgRESTError(response) == nil {
                        return SyncError.nothingThere()
                    }
                    error = WireError(status: response.status)
                }
                error?.retryAfterSeconds = retryAfter.map { Int(min($0.rounded(.up), 1e9)) }
                return error
            },
            // Another token of the user does not help where the gateway refused the key, or something in between the
            // request.
            refusesToken: { $0.status == 401 && PostgRESTError($0) != nil },
            pauseSeconds: { PostgRESTError($0)?.isAboutOthers == true ? 1 : nil }
        )
    }
}
