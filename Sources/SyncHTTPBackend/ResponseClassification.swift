import SyncCore
import SyncWire

/// What an answer means for the request: a value, or another attempt. A refusal is thrown.
enum ResponseClassification<Value> {
    /// The answer is one of the protocol.
    case value(Value)
    /// It is none, or says to come again, after some seconds if it names them.
    case again(RetryCause, retryAfter: Double?)

    /// Judges an answer. `read` judges those with status 2xx. Throws `WireProblem`, and `SyncError` for a status that the
    /// protocol does not know.
    init(response: HTTPResponse, now: Timestamp, read: (HTTPResponse) throws -> Value) throws {
        let retryAfter = response.retryAfterSeconds(now: now)
        if let cause = RetryCause(status: response.status) {
            self = .again(cause, retryAfter: retryAfter)
            return
        }
        switch response.status {
        // A conflict that is over soon, such as two pushes at once; one that stays does not say when to come back.
        case 409 where retryAfter != nil: self = .again(.status(409), retryAfter: retryAfter)
        case 200..<300: self = try Self.reading(response: response, read: read)
        case 400..<500:
            if var problem = WireError(response) {
                problem.retryAfterSeconds = retryAfter.map { Int(min($0.rounded(.up), 1e9)) }
                throw problem
            }
            throw SyncError.unexpectedStatus(status: response.status)
        default: throw SyncError.unexpectedStatus(status: response.status)
        }
    }

    private static func reading(
        response: HTTPResponse,
        read: (HTTPResponse) throws -> Value
    ) throws -> ResponseClassification {
        do {
            return .value(try read(response))
        } catch let error where error is SyncError || error is WireError || error is CancellationError {
            throw error
        } catch {
            return .again(.foreignAnswer, retryAfter: nil)
        }
    }
}

extension WireError {
    /// The problem that an answer reports in its body, or else by its status: 401, 403, 404, 410 and 413 say enough.
    fileprivate init?(_ response: HTTPResponse) {
        // A body that contradicts its status did not come from a sync server.
        if response.mediaType == WireProtocol.problemMediaType,
            let problem = WireError(body: response.body),
            problem.code.status == response.status
        {
            self = problem
            return
        }
        let code: Code
        switch response.status {
        case 401: code = .unauthorized
        case 403: code = .forbidden
        case 404: code = .notFound
        case 410: code = .cursorExpired
        case 413: code = .tooLarge
        default: return nil
        }
        self.init(code: code, detail: Self.detail(status: response.status))
    }
}

extension HTTPResponse {
    /// The media type in lower case, without parameters; empty when there is none.
    var mediaType: String {
        let field = header("Content-Type") ?? ""
        let type = field.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        return type.lowercased()
    }
}

/// What a reader throws for an answer that is none of the protocol.
struct ForeignAnswer: Error {}
