import Testing

/// Runs each test of a suite over every kind of log store: files, memory, and a PostgreSQL if it is built in.
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
        #if Server
            guard !test.traits.contains(where: { $0 is OfStores }) else { return }
            try await BenchDatabase.run { try await function() }
        #endif
    }
}

/// Marks a test of account files, which does not run with memory.
struct OfFiles: TestTrait {}

/// Marks a test or suite about log stores, which does not run with a database: it sets the server's clock, limits or
/// quotas, or it looks into what the handler keeps in memory.
struct OfStores: SuiteTrait, TestTrait {
    var isRecursive: Bool { true }
}

extension Trait where Self == OfStores {
    /// Marks a test or suite about log stores, which does not run with a database.
    static var ofStores: Self { OfStores() }
}

extension Trait where Self == EveryLogStore {
    /// Runs each test over every kind of log store.
    static var everyLogStore: Self { EveryLogStore() }
}

extension Trait where Self == OfFiles {
    /// Marks a test of account files, which does not run with memory.
    static var ofFiles: Self { OfFiles() }
}
