import SyncCore

extension ObjectStorage {
    /// What `body` makes of each element, in the order of the elements, whichever is done first. As many run at once as
    /// the storage takes; with one at a time they run in order, and nothing runs after one that throws.
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
                // NB: the first error ends what was not begun; all before it in order was begun.
                if case .failure = result { next = elements.count }
                start()
            }
            return results
        }
        return try results.compactMap { try $0?.get() }
    }
}
