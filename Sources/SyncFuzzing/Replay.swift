/// Runs a reader on saved inputs again.
package struct Replay {
    /// An input and the promise that it breaks.
    package struct Finding: Sendable {
        /// The input.
        package var name: String
        /// The broken promise as text.
        package var words: String
    }

    private let check: ([UInt8]) throws -> Bool

    /// Makes a replay with a check, usually `FuzzReader.check`.
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
