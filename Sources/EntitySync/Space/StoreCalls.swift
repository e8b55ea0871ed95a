import SyncCore

/// The threads on which a space's `async` calls read and write.
///
/// Writes have one thread, as a store has one writer: they happen in the order of the calls. Reads have a few, as readers
/// do not wait for each other.
struct StoreCalls: Sendable {
    private static let maxReaders = 4
    private let writes = BlockingQueue(maxThreads: 1)
    private let reads = BlockingQueue(maxThreads: Self.maxReaders)

    init() {}

    func read<Result: Sendable>(body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await reads.runUnlessCancelled(work: body)
    }

    func write<Result: Sendable>(body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await writes.runUnlessCancelled(work: body)
    }
}
