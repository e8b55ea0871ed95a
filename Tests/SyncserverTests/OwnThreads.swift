import Foundation
import Testing

/// Threads for the tests of a suite, their child tasks and the hosts that they start. The shared pool of all
/// tests in the process can be busy for minutes; tests on these threads do not wait for it.
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

/// The longest wait in seconds for something that must happen. It only ends tests that would hang, and is not
/// a performance limit.
let maxWaitSeconds = 900.0

/// Runs blocking work on its own thread, so that it takes none from the server in the same process.
func onOwnThread<Value: Sendable>(body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}

/// Waits for a short time.
///
/// NB: `Task.sleep` would resume on the shared pool, however long that is busy.
func pause(seconds: Double = 0.01) async throws {
    try await onOwnThread { Thread.sleep(forTimeInterval: seconds) }
}

/// Thrown if a condition was never true.
struct NeverCame: Error {}

/// Waits until a condition is true. Throws, and fails the test, if that takes too long.
func eventually(
    what: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(maxWaitSeconds)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("It never came that \(what).", sourceLocation: sourceLocation)
            throw NeverCame()
        }
        try await pause()
    }
}
