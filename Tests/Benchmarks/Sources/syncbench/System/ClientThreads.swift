import Foundation

/// Clients at once, each on a thread of its own.
final class ClientThreads: Sendable {
    private let done = DispatchGroup()
    private let failures = Failures()

    /// Starts so many.
    init(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
        for index in 0..<count {
            done.enter()
            Thread.detachNewThread { [done, failures] in
                do { try body(index) } catch { failures.add(error) }
                done.leave()
            }
        }
    }

    /// Whether one of them is still at work.
    var isGoingOn: Bool { done.wait(timeout: .now()) == .timedOut }

    /// Waits for all. Throws the first error.
    func end() throws {
        done.wait()
        if let error = failures.first { throw error }
    }
}
