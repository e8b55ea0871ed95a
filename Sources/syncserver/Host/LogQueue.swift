import Foundation

/// Writes log lines on its own thread, so that logging never waits for the reader of the log.
///
/// The queue is bounded. Lines beyond the limit are dropped and counted. The next written line reports their
/// number.
final class LogQueue: @unchecked Sendable {
    private let capacity: Int
    private let write: @Sendable (String) -> Void
    private let droppedMessage: @Sendable (Int) -> String
    private let onDrop: @Sendable () -> Void
    private let condition = NSCondition()
    // All are guarded by `condition`.
    private var lines: [String] = []
    private var dropped = 0
    private var isWriting = false
    private var isClosed = false

    /// Makes a queue and starts its thread.
    ///
    /// - Parameters:
    ///   - capacity: The most queued lines.
    ///   - write: Writes lines, each with its line feed. May block.
    ///   - droppedMessage: Formats the line that reports the number of dropped lines.
    ///   - onDrop: Called for each dropped line.
    init(
        capacity: Int = 10_000,
        write: @escaping @Sendable (String) -> Void,
        droppedMessage: @escaping @Sendable (Int) -> String,
        onDrop: @escaping @Sendable () -> Void = {}
    ) {
        self.capacity = capacity
        self.write = write
        self.droppedMessage = droppedMessage
        self.onDrop = onDrop
        Thread.detachNewThread { self.work() }
    }

    /// Queues a line without line feed. Never waits.
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

    /// Writes the remaining lines and ends the thread. Waits no longer than some seconds.
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

    /// The next lines as one text; nil after the end.
    private func next() -> String? {
        condition.withLock {
            while lines.isEmpty, dropped == 0, !isClosed { condition.wait() }
            if lines.isEmpty, dropped == 0 { return nil }
            isWriting = true
            // Only a few lines at once, so that a slow write holds up little of the queue.
            let taken = lines.prefix(64)
            var text = taken.map { $0 + "\n" }.joined()
            lines.removeFirst(taken.count)
            if dropped > 0, lines.isEmpty {
                text += droppedMessage(dropped) + "\n"
                dropped = 0
            }
            return text
        }
    }
}
