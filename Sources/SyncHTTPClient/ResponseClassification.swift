import SyncCore

/// The meaning of an answer for a call: a value or a retry. A refusal is thrown.
enum ResponseClassification<Value> {
    /// An answer that the call asked for.
    case value(Value)
    /// No usable answer: retry, after the given number of seconds if the server names one. `own` is the error of a
    /// server that says that it failed itself.
    case again(RetryCause, retryAfter: Double?, own: (any Error)? = nil)

    /// Classifies an answer. Answers with a status that the call names go to `read`. Throws the error of
    /// the conventions, and `SyncError` for a status without meaning.
    init(
        response: HTTPResponse,
        answers: Set<Int>,
        conventions: HTTPConventions,
        now: Timestamp,
        read: (HTTPResponse) throws -> Value
    ) throws {
        let retryAfter = response.retryAfterSeconds(now: now) ?? conventions.pauseSeconds(response)
        if answers.contains(response.status) {
            self = try Self.reading(response: response, read: read)
            return
        }
        if let cause = RetryCause(status: response.status) {
            let own = conventions.decodeOwnFailure(response, retryAfter)
            self = .again(cause, retryAfter: retryAfter, own: own)
            return
        }
        switch response.status {
        // A temporary conflict, such as two pushes at once. A permanent one has no `Retry-After`.
        case 409 where retryAfter != nil: self = .again(.status(409), retryAfter: retryAfter)
        case 200..<300: self = .again(.foreignAnswer, retryAfter: nil)
        // Only the server may blame a token or an account. Others with these statuses stand before it: a portal, a
        // proxy.
        case 401, 403, 407, 511:
            guard let error = conventions.decodeError(response, retryAfter) else {
                self = .again(.foreignAnswer, retryAfter: retryAfter)
                return
            }
            throw error
        case 400..<500:
            throw conventions.decodeError(response, retryAfter)
                ?? SyncError.unexpectedStatus(status: response.status)
        default: throw SyncError.unexpectedStatus(status: response.status)
        }
    }

    private static func reading(
        response: HTTPResponse,
        read: (HTTPResponse) throws -> Value
    ) throws -> ResponseClassification {
        do {
            return .value(try read(response))
        } catch let error where error is SyncError || error is CancellationError {
            throw error
        } catch {
            return .again(.foreignAnswer, retryAfter: nil)
        }
    }
}
