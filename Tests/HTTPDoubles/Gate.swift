/// A gate that opens once. Waiters continue then, or when they are cancelled.
package final class Gate: @unchecked Sendable {
    private let stream: AsyncStream<Void>
    private let feed: AsyncStream<Void>.Continuation

    package init() {
        (stream, feed) = AsyncStream.makeStream(of: Void.self)
    }

    package func open() { feed.finish() }

    package func wait() async throws {
        for await _ in stream {}
        try Task.checkCancellation()
    }
}
