/// Thrown if a test waited in vain.
public struct NeverCame: Error, CustomStringConvertible {
    /// What it waited for.
    public let what: String
    /// The file and the line of the wait.
    public let place: String

    public var description: String { "\(place): it never came that \(what)." }
}

/// Waits until a condition holds.
///
/// NB: it sleeps between two looks. A loop over `Task.yield()` does not see that its test was cancelled, so that a time
/// limit cannot end it, and it takes a thread from what it waits for.
///
/// - Parameters:
///   - what: What comes, for the error: "the list is shown".
///   - seconds: How long to wait; far longer than it ever takes.
///   - fileID: The file of the wait, for the error.
///   - line: The line of the wait, for the error.
/// - Throws: ``NeverCame`` if it does not come; `CancellationError` if the test is cancelled.
public func eventually(
    what: String,
    seconds: Double = 120,
    fileID: String = #fileID,
    line: Int = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw NeverCame(what: what, place: "\(fileID):\(line)")
        }
        try await Task.sleep(for: .milliseconds(1))
    }
}
