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
        func attempts(cause: Setback.Cause) -> Int {
            (1...9).first { Setback(cause).callWait(after: $0, policy: policy, fraction: 0.5) == nil } ?? 0
        }
        for cause in [
            Setback.Cause.status(500), .transport(.interrupted), .foreign(200), .foreign(302), .foreign(403),
        ] {
            #expect(attempts(cause: cause) == 5)
        }
        #expect(attempts(cause: .transport(.unreachable)) == 3)
        #expect(attempts(cause: .status(503)) == 3)
        #expect(attempts(cause: .transport(.timedOut)) == 2)
        for cause in [
            Setback.Cause.transport(.notSecure), .transport(.tooLarge), .unexpected(418), .foreign(404),
        ] {
            #expect(attempts(cause: cause) == 1)
        }
        let none = RetryPolicy(attempts: 0)
        #expect(Setback(.transport(.timedOut)).callWait(after: 1, policy: none, fraction: 0) == nil)
    }

    /// Seconds until a call is repeated that was answered with a status; nil if it is not.
    private func wait(
        _ status: Int,
        after attempt: Int = 1,
        asked: Double? = nil,
        waited: Double = 0,
        fraction: Double = 0
    ) -> Double? {
        Setback(.status(status), retryAfterSeconds: asked)
            .callWait(after: attempt, waited: waited, policy: RetryPolicy(), fraction: fraction)
    }

    @Test(arguments: [429, 503])
    func aServerThatIsBusyAndDoesNotSayUntilWhenIsAskedAfterFiveAndThirtySeconds(status: Int) {
        #expect(wait(status) == 5)
        #expect(wait(status, after: 2, fraction: 0.5) == 30.125)
        #expect(wait(status, after: 3) == nil)
        #expect(wait(status, after: 3, asked: 1) == 1)
    }

    @Test func theServersWaitIsObeyedOrReported() {
        #expect(wait(429, asked: 7) == 7)
        #expect(wait(429, asked: 7, fraction: 0.5) == 7.125)
        #expect(wait(429, asked: 60) == 60)
        #expect(wait(429, asked: 61) == nil)
        #expect(wait(429, after: 5, asked: 7) == nil)
    }

    @Test func waitsThatTheServerAsksForAreBoundedInTotal() {
        #expect(wait(503, after: 2, asked: 30, waited: 30) == 30)
        #expect(wait(503, after: 2, asked: 31, waited: 30) == nil)
        #expect(wait(503, after: 2, asked: 60, waited: 60.25) == nil)
    }

    @Test func aFailureOfTheServerItselfIsWaitedForOnlyIfItIsSoonOver() {
        func wait(asked: Double) -> Double? {
            let own = SyncError(kind: .unreachable, message: "The disk is full.", help: "Make place.")
            return Setback(.status(503), retryAfterSeconds: asked, own: own)
                .callWait(after: 1, policy: RetryPolicy(), fraction: 0)
        }
        #expect(wait(asked: 5) == 5)
        #expect(wait(asked: 30) == nil)
    }

    @Test func onlyWhatMayPassIsTriedAgain() {
        func isRepeated(status: Int) -> Bool {
            Setback(status: status, isServers: false, retryAfterSeconds: nil)
                .callWait(after: 1, policy: RetryPolicy(), fraction: 0) != nil
        }
        let retried = (100..<600).filter { isRepeated(status: $0) && !(200..<400).contains($0) }
        let passing = (500..<600).filter { $0 != 501 && $0 != 505 }
        #expect(retried == [401, 403, 407, 408, 425, 429] + passing)
        #expect(Setback(status: 302, isServers: true, retryAfterSeconds: nil).cause == .foreign(302))
        #expect(Setback(status: 409, isServers: true, retryAfterSeconds: 1).cause == .status(409))
    }

    /// Whoever stands between may answer with anything, and what never arrived says nothing of what was sent.
    @Test func whatTheServerDidNotWriteIsTheWaysFault() {
        for status in 100..<600 {
            let setback = Setback(status: status, isServers: false, retryAfterSeconds: 1)
            if case .status = setback.cause { continue }
            #expect(setback.fault == .way, "\(status)")
            #expect(!setback.isRecordsOnceOthersPass)
        }
        for failure in [TransportError.unreachable, .notSecure, .tooLarge] {
            #expect(Setback(.transport(failure)).fault == .way)
        }
        #expect(Setback(.transport(.timedOut)).fault == .unanswered)
        #expect(Setback(.status(503)).lastFault(policy: RetryPolicy()) == .remoteOrRecord)
        let long = Setback(.status(503), retryAfterSeconds: 61)
        #expect(long.lastFault(policy: RetryPolicy()) == .remote)
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
