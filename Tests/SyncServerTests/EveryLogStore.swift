import Testing

/// Runs each test of a suite over every kind of log store: files, and memory.
struct EveryLogStore: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        guard testCase != nil, !test.traits.contains(where: { $0 is OfFiles }) else { return }
        try await ExchangeBench.$isInMemory.withValue(true) { try await function() }
    }
}

/// Marks a test of account files, which does not run with memory.
struct OfFiles: TestTrait {}

extension Trait where Self == EveryLogStore {
    /// Runs each test over every kind of log store.
    static var everyLogStore: Self { EveryLogStore() }
}

extension Trait where Self == OfFiles {
    /// Marks a test of account files, which does not run with memory.
    static var ofFiles: Self { OfFiles() }
}
