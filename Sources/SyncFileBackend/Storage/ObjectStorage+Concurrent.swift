import SyncCore

extension ObjectStorage {
    /// Maps each element with `body`, concurrently up to the storage's limit, and returns results in the order of the
    /// elements. With a limit of one, elements are processed in order, and none after one that throws.
    ///
    /// Throws the error of the first element that has one.
    func concurrentMap<Element: Sendable, Value: Sendable>(
        _ elements: [Element],
        body: @escaping @Sendable (Element) async throws -> Value
    ) async throws -> [Value] {
        let width = min(maxConcurrentCalls, elements.count)
        guard width > 1 else {
            var values: [Value] = []
            for element in elements { values.append(try await body(element)) }
            return values
        }
        let results = await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            var results = [Result<Value, any Error>?](repeating: nil, count: elements.count)
            var next = 0
            func start() {
                guard next < elements.count else { return }
                let index = next
                next += 1
                group.addTask {
                    do { return (index, .success(try await body(elements[index]))) } catch {
                        return (index, .failure(error))
                    }
                }
            }
            for _ in 0..<width { start() }
            while let (index, result) = await group.next() {
                results[index] = result
                // After an error, no further element starts. All earlier ones have started.
                if case .failure = result { next = elements.count }
                start()
            }
            return results
        }
        return try results.compactMap { try $0?.get() }
    }
}
