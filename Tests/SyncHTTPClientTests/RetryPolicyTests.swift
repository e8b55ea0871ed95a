import SyncChecks
import SyncCore
import Testing

@testable import SyncHTTPClient

@Suite struct RetryPolicyTests {
    /// 2026-01-01T00:00:00Z, where `ManualClock` begins.
    static let now = Timestamp(microseconds: 1_767_225_600_000_000)

    @Test func waitsAreDrawnBelowABoundThatDoublesUpToTheCap() {
        let policy = RetryPolicy()
        let bounds = [0.25, 0.5, 1, 2, 4, 8, 16, 20, 20]
        for (index, bound) in bounds.enumerated() {
            #expect(policy.wait(after: index + 1, fraction: 0) == 0)
            #expect(policy.wait(after: index + 1, fraction: 0.5) == bound / 2)
        }
        #expect(policy.wait(after: .max, fraction: 1) == 20)
    }

    @Test func attemptsEndAndEndSoonerWhereNoConnectionIsMade() {
        let policy = RetryPolicy()
        func attempts(cause: RetryCause) -> Int {
            (1...9).first { policy.step(after: $0, cause: cause, retryAfter: nil, fraction: 0.5) == .giveUp }
                ?? 0
        }
        for cause in [RetryCause.status(500), .interrupted, .foreignAnswer, .redirect(302)] {
            #expect(attempts(cause: cause) == 5)
        }
        #expect(attempts(cause: .unreachable) == 3)
        #expect(attempts(cause: .status(503)) == 3)
        #expect(attempts(cause: .timedOut) == 2)
        #expect(
            RetryPolicy(attempts: 0).step(after: 1, cause: .timedOut, retryAfter: nil, fraction: 0) == .giveUp
        )
    }

    @Test(arguments: [429, 503])
    func aServerThatIsBusyAndDoesNotSayUntilWhenIsAskedAfterFiveAndThirtySeconds(status: Int) {
        let policy = RetryPolicy()
        #expect(policy.step(after: 1, cause: .status(status), retryAfter: nil, fraction: 0) == .wait(5))
        #expect(
            policy.step(after: 2, cause: .status(status), retryAfter: nil, fraction: 0.5) == .wait(30.125)
        )
        #expect(policy.step(after: 3, cause: .status(status), retryAfter: nil, fraction: 0) == .giveUp)
        #expect(policy.step(after: 3, cause: .status(status), retryAfter: 1, fraction: 0) == .wait(1))
    }

    @Test func theServersWaitIsObeyedOrReported() {
        let policy = RetryPolicy()
        #expect(policy.step(after: 1, cause: .status(429), retryAfter: 7, fraction: 0) == .wait(7))
        #expect(policy.step(after: 1, cause: .status(429), retryAfter: 7, fraction: 0.5) == .wait(7.125))
        #expect(policy.step(after: 1, cause: .status(429), retryAfter: 60, fraction: 0) == .wait(60))
        #expect(policy.step(after: 1, cause: .status(429), retryAfter: 61, fraction: 0) == .askedToWait(61))
        #expect(policy.step(after: 5, cause: .status(429), retryAfter: 7, fraction: 0) == .giveUp)
    }

    @Test func waitsThatTheServerAsksForAreBoundedInTotal() {
        let policy = RetryPolicy()
        func step(waited: Double, retryAfter: Double) -> RetryPolicy.Step {
            policy.step(after: 2, cause: .status(503), retryAfter: retryAfter, waited: waited, fraction: 0)
        }
        #expect(step(waited: 30, retryAfter: 30) == .wait(30))
        #expect(step(waited: 30, retryAfter: 31) == .giveUp)
        #expect(step(waited: 60.25, retryAfter: 60) == .giveUp)
    }

    @Test func aFailureOfTheServerItselfIsWaitedForOnlyIfItIsSoonOver() {
        func step(retryAfter: Double) -> RetryPolicy.Step {
            RetryPolicy()
                .step(after: 1, cause: .status(503), retryAfter: retryAfter, isOwnFailure: true, fraction: 0)
        }
        #expect(step(retryAfter: 5) == .wait(5))
        #expect(step(retryAfter: 30) == .giveUp)
    }

    @Test func onlyWhatMayPassIsTriedAgain() {
        let retried = (100..<600).filter { RetryCause(status: $0) != nil && !(300..<400).contains($0) }
        #expect(retried == [408, 425, 429, 500, 502, 503, 504])
        #expect(RetryCause(status: 302) == .redirect(302))
        #expect(RetryCause(.tooLarge) == nil)
        #expect(RetryCause(.notSecure) == nil)
    }

    @Test(
        arguments: [
            ("0", 0), ("120", 120), ("31622400", 31_622_400),
            ("Thu, 01 Jan 2026 00:01:30 GMT", 90), ("Thursday, 01-Jan-26 00:01:30 GMT", 90),
            ("Thu Jan  1 00:01:30 2026", 90), ("Thu Jan 15 00:00:00 2026", 1_209_600),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sunday, 06-Nov-94 08:49:37 GMT", 0),
            ("Sun Nov  6 08:49:37 1994", 0), ("Thu, 01 Jan 2026 00:00:60 GMT", 60),
        ] as [(String, Double)]
    )
    func retryAfterIsReadInAllItsForms(text: String, seconds: Double) {
        let response = HTTPResponse(status: 503, headers: [HTTPHeader(name: "retry-after", value: text)])
        #expect(response.retryAfterSeconds(now: Self.now) == seconds)
    }

    @Test(
        arguments: [
            "", "-1", "1.5", "+3", "soon", "Thu, 32 Jan 2026 00:00:00 GMT", "Thu, 01 Jan 2026 24:00:00 GMT",
            "Thu, 01 Jan 2026 00:00:00 CET", "Thu, 01 Foo 2026 00:00:00 GMT", "2026-01-01T00:00:00Z",
            "Xyz, 01 Jan 2026 00:00:00 GMT", "Thu, 1 Jan 2026 00:00:00 GMT", "Thu, 01 Jan 26 00:00:00 GMT",
            "31622401", "99999999999999999999", "Fri, 01 Jan 2100 00:00:00 GMT", "Thu Jan 1 0:0:0 2026",
            "Thursday, 01-Jan-2026 00:01:30 GMT", "Thu, 30 Feb 2026 00:00:00 GMT",
        ]
    )
    func whatIsNoRetryAfterIsNone(text: String) {
        let response = HTTPResponse(status: 503, headers: [HTTPHeader(name: "Retry-After", value: text)])
        #expect(response.retryAfterSeconds(now: Self.now) == nil)
    }

    @Test func aYearOfTwoDigitsIsAtMostFiftyYearsAhead() {
        let ahead = HTTPDate.parse("Wednesday, 01-Jan-76 00:00:00 GMT", now: Self.now)
        let past = HTTPDate.parse("Saturday, 01-Jan-77 00:00:00 GMT", now: Self.now)
        #expect(ahead?.description == "2076-01-01T00:00:00Z")
        #expect(past?.description == "1977-01-01T00:00:00Z")
    }
}
