/// What every backend guarantees, as a list of plain values: any remote can be held to it, a live one too.
///
/// ```swift
/// let results = await BackendSuite.run(MemorySubject()) { print($0) }
/// ```
public enum BackendSuite {
    /// All checks, in the order in which they run: from what all else relies on to what is rare.
    public static let checks: [BackendCheck] =
        pagingChecks + pushChecks + conflictChecks + deleteChecks + cursorChecks + contentChecks
        + batchChecks + sessionChecks

    /// Runs each check in a fresh scratch remote, and goes on after a failure. `onResult` hears of each when it ends.
    /// A cancelled task ends the run; the checks that did not run are not in the results.
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

/// One guarantee and how to see whether a backend keeps it.
public struct BackendCheck: Sendable {
    /// A stable name in kebab-case.
    public let id: String
    /// The guarantee in words.
    public let guarantee: String
    /// Runs the check in a fresh scratch remote. Throws what the backend throws, where the check does not expect it.
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

    /// A check that is a story in a scratch remote: it ends well unless it throws.
    init(id: String, guarantee: String, story: @escaping @Sendable (Scene) async throws -> Void) {
        self.init(id: id, guarantee: guarantee) { subject in
            let scene: Scene
            do {
                scene = try await Scene(subject)
            } catch let end as CheckEnd {
                return end.outcome
            }
            var outcome = CheckOutcome.passed
            do {
                try await story(scene)
            } catch let end as CheckEnd {
                outcome = end.outcome
            } catch {
                try await scene.dispose()
                throw error
            }
            try await scene.dispose()
            return outcome
        }
    }

    /// Like `run`, but with an error as a failure that tells its message.
    public func outcome(subject: any BackendSubject) async -> CheckOutcome {
        do {
            return try await run(subject)
        } catch {
            return .failed("Expected no error, but the backend threw: \(error.words)")
        }
    }
}

/// How a check ended.
public enum CheckOutcome: Sendable, Hashable {
    /// The guarantee held.
    case passed
    /// It did not: one sentence with what was expected and what came.
    case failed(String)
    /// The remote does not promise it, or cannot be brought into the situation: one sentence why.
    case notApplicable(String)
}

/// One check and how it ended; its description is one line of text.
public struct CheckResult: Sendable, CustomStringConvertible {
    /// The check.
    public let check: BackendCheck
    /// How it ended.
    public let outcome: CheckOutcome

    /// Makes a result.
    public init(check: BackendCheck, outcome: CheckOutcome) {
        self.check = check
        self.outcome = outcome
    }

    /// Whether the guarantee was broken.
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
