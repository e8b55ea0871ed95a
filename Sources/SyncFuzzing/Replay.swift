/// Gives inputs to a reader once more.
package struct Replay {
    /// The input's name and what is wrong with it.
    package struct Finding: Sendable {
        /// The input.
        package var name: String
        /// The promise that it breaks, in words.
        package var words: String
    }

    private let check: ([UInt8]) throws -> Bool

    /// Makes a replay through any check; `FuzzReader.check` as a rule.
    package init(_ check: @escaping ([UInt8]) throws -> Bool) {
        self.check = check
    }

    /// The inputs that break a promise, in order.
    package func findings(inputs: [(name: String, bytes: [UInt8])]) -> [Finding] {
        inputs.compactMap { name, bytes in
            do {
                _ = try check(bytes)
                return nil
            } catch { return Finding(name: name, words: String(describing: error)) }
        }
    }
}
