import Foundation
import SyncCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Forwards a session's delegate calls to the exchange of each task.
final class ExchangeRouter: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var exchanges: [ObjectIdentifier: URLSessionExchange] = [:]

    func add(_ exchange: URLSessionExchange, for task: URLSessionTask) {
        lock.withLock { exchanges[ObjectIdentifier(task)] = exchange }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // NB: after `WWW-Authenticate: Basic`, the session on Linux asks for a password again and again. The
        // 401 response is the answer; its body is not needed.
        if let refusal = challenge.failureResponse {
            exchange(task: task)?.finish(refusal)
            completionHandler(.cancelAuthenticationChallenge, nil)
        } else {
            completionHandler(.performDefaultHandling, nil)
        }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let isWanted = exchange(task: dataTask)?.accept(response) ?? false
        completionHandler(isWanted ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(task: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = lock.withLock { exchanges.removeValue(forKey: ObjectIdentifier(task)) }
        exchange?.complete(error)
    }

    private func exchange(task: URLSessionTask) -> URLSessionExchange? {
        lock.withLock { exchanges[ObjectIdentifier(task)] }
    }
}
