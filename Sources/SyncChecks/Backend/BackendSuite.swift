/// The guarantees of every backend, as a list of checks that run against any remote, including a live one.
///
/// ```swift
/// let results = await BackendSuite.run(subject: subject) { print($0) }
/// ```
public enum BackendSuite {
    /// All checks, ordered from fundamental to rare ones.
    public static let checks: [BackendCheck] =
        pagingChecks + pushChecks + conflictChecks + deleteChecks + cursorChecks + contentChecks
        + batchChecks + sessionChecks

    /// Runs each check with a new scratch remote, and continues after a failure. Calls `onResult` after each
    /// check. Cancelling the task ends the run; the results then lack the remaining checks.
    @discardableResult
    public static func run(
        subject: any BackendSubject,
        checks: [BackendCheck] = checks,
        onResult: (CheckResult) -> Void = { _ in }
    ) async -> [CheckResult] {
        var results: [CheckResult] = []
        for check in checks {
            if Task.isCancelled { break }
            let result = CheckResult(check: check, outcome: await check.outcome(subject: subject))
            onResult(result)
            results.append(result)
        }
        return results
    }
}

/// One guarantee of backends, and its test.
public struct BackendCheck: Sendable {
    /// A stable name in kebab-case.
    public let id: String
    /// The guarantee in words.
    public let guarantee: String
    /// Runs the check with a new scratch remote. Rethrows unexpected errors of the backend.
    public let run: @Sendable (any BackendSubject) async throws -> CheckOutcome

    /// Makes a check.
    public init(
        id: String,
        guarantee: String,
        run: @escaping @Sendable (any BackendSubject) async throws -> CheckOutcome
    ) {
        self.id = id
        self.guarantee = guarantee
        self.run = run
    }

    /// Makes a check from a story in a scratch remote. It passes unless the story throws.
    init(id: String, guarantee: String, story: @escaping @Sendable (Scene) async throws -> Void) {
        self.init(id: id, guarantee: guarantee) { subject in
            let scene: Scene
            do {
                scene = try await Scene(subject)
            } catch let end as CheckError {
                return end.outcome
            }
            var outcome = CheckOutcome.passed
            do {
                try await story(scene)
            } catch let end as CheckError {
                outcome = end.outcome
            } catch {
                try await scene.dispose()
                throw error
            }
            try await scene.dispose()
            return outcome
        }
    }

    /// Runs the check and reports an error as a failure with its message.
    public func outcome(subject: any BackendSubject) async -> CheckOutcome {
        do {
            return try await run(subject)
        } catch {
            return .failed("Expected no error, but the backend threw: \(error.words)")
        }
    }
}

/// The outcome of a check.
public enum CheckOutcome: Sendable, Hashable {
    /// The guarantee held.
    case passed
    /// The guarantee does not hold: one sentence with the expected and the actual result.
    case failed(String)
    /// The remote does not promise this, or the situation cannot be created: one sentence with the reason.
    case notApplicable(String)
}

/// A check and its outcome. The description is one line of text.
public struct CheckResult: Sendable, CustomStringConvertible {
    /// The check.
    public let check: BackendCheck
    /// The outcome.
    public let outcome: CheckOutcome

    /// Makes a result.
    public init(check: BackendCheck, outcome: CheckOutcome) {
        self.check = check
        self.outcome = outcome
    }

    /// Whether the check failed.
    public var isFailure: Bool {
        if case .failed = outcome { true } else { false }
    }

    public var description: String {
        switch outcome {
        case .passed: "ok    \(check.id)  \(check.guarantee)"
        case .failed(let why): "FAIL  \(check.id)  \(check.guarantee): \(why)"
        case .notApplicable(let why): "n/a   \(check.id)  \(check.guarantee): \(why)"
        }
    }
}
