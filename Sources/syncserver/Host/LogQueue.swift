import Foundation

/// Takes lines of the log, and writes them on a thread of its own: whoever logs never waits for who reads the log.
///
/// It holds a bounded number of lines. What comes beyond that is dropped and counted, and the next line that is written says
/// how many those were.
final class LogQueue: @unchecked Sendable {
    private let capacity: Int
    private let write: @Sendable (String) -> Void
    private let tellDropped: @Sendable (Int) -> String
    private let onDrop: @Sendable () -> Void
    private let condition = NSCondition()
    // All guarded by `condition`.
    private var lines: [String] = []
    private var dropped = 0
    private var isWriting = false
    private var isClosed = false

    /// Makes a queue and starts its thread.
    ///
    /// - Parameters:
    ///   - capacity: The most lines that wait.
    ///   - write: Writes lines, each with its line feed; may take as long as it likes.
    ///   - tellDropped: The line that tells how many were dropped.
    ///   - onDrop: Is called for each line that is dropped.
    init(
        capacity: Int = 10_000,
        write: @escaping @Sendable (String) -> Void,
        tellDropped: @escaping @Sendable (Int) -> String,
        onDrop: @escaping @Sendable () -> Void = {}
    ) {
        self.capacity = capacity
        self.write = write
        self.tellDropped = tellDropped
        self.onDrop = onDrop
        Thread.detachNewThread { self.work() }
    }

    /// Takes a line without line feed. Never waits.
    func put(_ line: String) {
        let isDropped = condition.withLock {
            guard lines.count < capacity else {
                dropped += 1
                return true
            }
            lines.append(line)
            condition.broadcast()
            return false
        }
        if isDropped { onDrop() }
    }

    /// Whether lines are being written.
    var isBusy: Bool { condition.withLock { isWriting } }

    /// Ends the thread once all lines are written, and waits for that, but no longer than some seconds.
    func close(within seconds: Double) {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.withLock {
            isClosed = true
            condition.broadcast()
            while isWriting || !lines.isEmpty || dropped > 0, condition.wait(until: deadline) {}
        }
    }

    private func work() {
        while let text = next() {
            write(text)
            condition.withLock {
                isWriting = false
                condition.broadcast()
            }
        }
    }

    /// Some lines as one text; nil once there will be no more.
    private func next() -> String? {
        condition.withLock {
            while lines.isEmpty, dropped == 0, !isClosed { condition.wait() }
            if lines.isEmpty, dropped == 0 { return nil }
            isWriting = true
            // Few at once, so that little of the queue hangs on one slow write.
            let taken = lines.prefix(64)
            var text = taken.map { $0 + "\n" }.joined()
            lines.removeFirst(taken.count)
            if dropped > 0, lines.isEmpty {
                text += tellDropped(dropped) + "\n"
                dropped = 0
            }
            return text
        }
    }
}
