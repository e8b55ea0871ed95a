import Foundation
package import SyncCore

/// A transport that answers from a script and records the requests.
package final class RecordingTransport: HTTPTransport, @unchecked Sendable {
    /// Answers request number `index` (from 0).
    package typealias Script = @Sendable (_ request: HTTPRequest, _ index: Int) async throws -> HTTPResponse

    private let script: Script
    private let lock = NSLock()
    // Guarded by `lock`.
    private var asked: [HTTPRequest] = []
    private var feeds: [AsyncThrowingStream<[UInt8], any Error>.Continuation] = []

    package init(_ script: @escaping Script) {
        self.script = script
    }

    /// Gives the answers in turn, and repeats the last one for ever.
    package convenience init(_ answers: [Result<HTTPResponse, TransportError>]) {
        self.init { _, index in try answers[min(index, answers.count - 1)].get() }
    }

    package var requests: [HTTPRequest] { lock.withLock { asked } }
    /// The continuations of all streams, oldest first.
    package var streams: [AsyncThrowingStream<[UInt8], any Error>.Continuation] { lock.withLock { feeds } }

    package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let index = lock.withLock {
            asked.append(request)
            return asked.count - 1
        }
        return try await script(request, index)
    }

    package func stream(_ request: HTTPRequest) async throws -> HTTPStream {
        let head = try await send(request)
        let (pieces, feed) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        lock.withLock { feeds.append(feed) }
        return HTTPStream(head: head, pieces: pieces)
    }
}
