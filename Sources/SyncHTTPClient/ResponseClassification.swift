import SyncCore

/// What an answer means for a call: a value, or another attempt. A refusal is thrown.
enum ResponseClassification<Value> {
    /// The answer is one that was asked for.
    case value(Value)
    /// It is none, or says to come again, after some seconds if it names them.
    case again(RetryCause, retryAfter: Double?)

    /// Judges an answer. `read` judges those with a status that the call names. Throws what `refusal` finds, and
    /// `SyncError` for a status that has no meaning.
    init(
        response: HTTPResponse,
        answers: Set<Int>,
        refusal: HTTPConventions.Refusal,
        now: Timestamp,
        read: (HTTPResponse) throws -> Value
    ) throws {
        let retryAfter = response.retryAfterSeconds(now: now)
        if answers.contains(response.status) {
            self = try Self.reading(response: response, read: read)
            return
        }
        if let cause = RetryCause(status: response.status) {
            self = .again(cause, retryAfter: retryAfter)
            return
        }
        switch response.status {
        // A conflict that is over soon, such as two pushes at once; one that stays does not say when to come back.
        case 409 where retryAfter != nil: self = .again(.status(409), retryAfter: retryAfter)
        case 200..<300: self = .again(.foreignAnswer, retryAfter: nil)
        case 400..<500:
            throw refusal(response, retryAfter) ?? SyncError.unexpectedStatus(status: response.status)
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
