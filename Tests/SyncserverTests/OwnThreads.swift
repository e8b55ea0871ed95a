import Foundation
import Testing

/// Threads that run the tests of a suite, their child tasks and the hosts that they start. The pool that all tests of the
/// process share can be busy for minutes with others that only compute; here nothing waits for them.
@available(macOS 15, iOS 18, *)
final class OwnThreads: TaskExecutor, @unchecked Sendable {
    static let shared = OwnThreads(count: 8)

    private let condition = NSCondition()
    // Guarded by `condition`.
    private var jobs: [UnownedJob] = []

    private init(count: Int) {
        for _ in 0..<count { Thread.detachNewThread { self.work() } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    private func work() {
        while true {
            let job = condition.withLock {
                while jobs.isEmpty { condition.wait() }
                return jobs.removeFirst()
            }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// Runs each test of a suite on `OwnThreads`.
struct OwnThreadsTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        if #available(macOS 15, iOS 18, *) {
            try await withTaskExecutorPreference(OwnThreads.shared) { try await function() }
        } else {
            try await function()
        }
    }
}

extension Trait where Self == OwnThreadsTrait {
    /// For tests that talk to servers and programs.
    static var ownThreads: Self { OwnThreadsTrait() }
}

/// How long something that must come is waited for, in seconds. It only ends a test that would hang: no test can tell a slow
/// machine from a fast one by it.
let patienceSeconds = 900.0

/// Runs what blocks on a thread of its own, so that it takes none from the server in the same process.
func besides<Value: Sendable>(body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}

/// Waits for a moment.
///
/// NB: `Task.sleep` ends on the pool that all tests share, however long that is busy.
func pause(seconds: Double = 0.01) async throws {
    try await besides { Thread.sleep(forTimeInterval: seconds) }
}

/// A condition that did not come true.
struct NeverCame: Error {}

/// Waits until a condition holds. Throws, and fails the test, when it never does.
func eventually(
    what: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(patienceSeconds)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("It never came that \(what).", sourceLocation: sourceLocation)
            throw NeverCame()
        }
        try await pause()
    }
}
