import SyncChecks
import SyncCore
import Testing

@testable import SyncHTTPClient

@Suite struct CircuitBreakerTests {
    static let start = RetryPolicyTests.now

    static func at(seconds: Int64) -> Timestamp {
        Timestamp(microseconds: start.microseconds + seconds * 1_000_000)
    }

    static func opened(fraction: Double = 0) -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<8 { breaker.record(Setback(.transport(.timedOut)), now: start, fraction: fraction) }
        return breaker
    }

    @Test func eightFailuresInARowOpenIt() {
        var breaker = CircuitBreaker()
        for _ in 0..<7 { breaker.record(Setback(.transport(.timedOut)), now: Self.start, fraction: 0) }
        #expect(breaker.state == .closed(failures: 7))
        breaker.record(Setback(.transport(.interrupted)), now: Self.start, fraction: 0)
        breaker.record(nil, now: Self.start, fraction: 0)
        #expect(breaker.state == .closed(failures: 0))
        #expect(Self.opened().state == .open(until: Self.at(seconds: 30)))
        #expect(
            Self.opened(fraction: 0.5).state
                == .open(until: Timestamp(microseconds: Self.at(seconds: 37).microseconds + 500_000))
        )
    }

    @Test func afterTheCoolDownOneProbePassesAndDecides() {
        var breaker = Self.opened()
        #expect(breaker.blockedUntil(now: Self.at(seconds: 29)) == Self.at(seconds: 30))
        #expect(breaker.blockedUntil(now: Self.at(seconds: 30)) == nil)
        #expect(breaker.blockedUntil(now: Self.at(seconds: 31)) == Self.at(seconds: 60))

        var failing = breaker
        failing.record(Setback(.transport(.timedOut)), now: Self.at(seconds: 32), fraction: 0)
        #expect(failing.state == .open(until: Self.at(seconds: 62)))

        breaker.record(nil, now: Self.at(seconds: 32), fraction: 0)
        #expect(breaker.blockedUntil(now: Self.at(seconds: 32)) == nil)
        #expect(breaker.state == .closed(failures: 0))
    }

    @Test func aProbeThatTellsNothingLetsAnotherPass() {
        var breaker = Self.opened()
        #expect(breaker.blockedUntil(now: Self.at(seconds: 30)) == nil)
        breaker.record(Setback(.transport(.interrupted)), now: Self.at(seconds: 31), fraction: 0)
        #expect(breaker.blockedUntil(now: Self.at(seconds: 31)) == nil)
        // The probe was lost.
        #expect(breaker.blockedUntil(now: Self.at(seconds: 32)) != nil)
        #expect(breaker.blockedUntil(now: Self.at(seconds: 90)) == nil)
    }

    @Test func aClockThatIsSetBackLocksNobodyOut() {
        var breaker = Self.opened()
        #expect(breaker.blockedUntil(now: Self.at(seconds: -86_400)) == nil)
        #expect(breaker.blockedUntil(now: Self.at(seconds: -172_800)) == nil)
    }

    @Test func hostsFailApartAndABreakerCanBeCleared() throws {
        let box = SharedCircuitBreaker(CircuitBreaker.Settings(failures: 1))
        let first = try ServerURL("https://a.example/one")
        let other = try ServerURL("https://a.example:444")
        box.record(Setback(.transport(.timedOut)), server: first, now: Self.start, fraction: 0)
        #expect(
            box.state(of: try ServerURL("https://A.example/two")) == .open(until: Self.at(seconds: 30))
        )
        #expect(box.state(of: other) == .closed(failures: 0))
        box.clear(first)
        #expect(box.state(of: first) == .closed(failures: 0))
    }
}
