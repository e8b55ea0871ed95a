import Foundation
package import SyncCore

/// A transport that answers from a script and remembers what was asked.
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

    /// Gives answers in turn, and the last one for ever.
    package convenience init(_ answers: [Result<HTTPResponse, TransportError>]) {
        self.init { _, index in try answers[min(index, answers.count - 1)].get() }
    }

    package var requests: [HTTPRequest] { lock.withLock { asked } }
    /// What streams are fed with, oldest first.
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
