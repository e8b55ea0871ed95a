import Foundation
import SyncCore
import Testing

/// Calls that wait hold up no task.
@Suite struct BlockingQueueTests {
    @Test(.timeLimit(.minutes(30))) func workThatWaitsLeavesTasksTheirThreads() async throws {
        // More than the machine has threads for tasks.
        let count = ProcessInfo.processInfo.activeProcessorCount * 2 + 2
        let queue = BlockingQueue(maxThreads: count)
        let door = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<count {
                group.addTask {
                    try await queue.run {
                        door.wait()
                        return number
                    }
                }
            }
            // Were the calls made on the threads of tasks, this one would never get one.
            group.addTask {
                await Task.yield()
                for _ in 0..<count { door.signal() }
                return -1
            }
            var found: Set<Int> = []
            for try await number in group { found.insert(number) }
            #expect(found == Set(-1..<count))
        }
    }

    @Test func moreWorkThanThreadsIsDoneInItsTurn() async throws {
        let queue = BlockingQueue(maxThreads: 3)
        let underWay = Guarded((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await queue.run {
                        underWay.use { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        underWay.use { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect((1...3).contains(underWay.use { $0.most }))
    }

    @Test func workThrowsWhatItThrows() async {
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await BlockingQueue(maxThreads: 1).run { throw Failure() }
        }
    }
}
