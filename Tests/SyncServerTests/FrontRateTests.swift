import SyncChecks
import SyncCore
import SyncWire
import Testing

@testable import SyncServer

@Suite struct FrontRateTests {
    @Test func anAccountThatAsksTooOftenWaitsAndOthersDoNot() throws {
        let door = Door(rates: RatePolicy(requestsPerSecond: 0.5, requestBurst: 3))
        for _ in 0..<3 { #expect(door.exchange()?.0.status == 200) }
        let (answer, _) = try #require(door.exchange())
        #expect(answer.status == 429 && answer.header("Retry-After") == "2")
        #expect(answer.problem == .tooManyRequests)
        #expect(door.exchange(token: "est_bob")?.0.status == 200)
        door.clock.advance(seconds: 2)
        #expect(door.exchange()?.0.status == 200)
        #expect(door.exchange()?.0.status == 429)
    }

    @Test func aPeerThatGuessesTokensWaitsAndAValidTokenBesideItDoesNot() {
        let door = Door(rates: RatePolicy(failuresPerSecond: 1, failureBurst: 2))
        #expect(door.exchange(token: "wrong")?.0.status == 401)
        #expect(door.exchange(token: "wrong")?.0.status == 401)
        #expect(door.exchange(token: "wrong")?.0.status == 429)
        #expect(door.exchange(token: "wrong", peer: "192.0.2.2")?.0.status == 401)
        #expect(door.exchange()?.0.status == 200)
        door.clock.advance(seconds: 1)
        #expect(door.exchange(token: "wrong")?.0.status == 401)
    }

    @Test func healthIsNeverAskedToWait() {
        let door = Door(rates: RatePolicy(requestsPerSecond: 0, requestBurst: 1))
        for _ in 0..<10 { #expect(door.response(method: "GET", path: "/health")?.0.status == 200) }
    }

    @Test func aClockThatGoesBackRefillsNothingAndLocksNobodyOut() {
        let clock = ManualClock()
        let buckets = TokenBuckets(perSecond: 1, burst: 1, maxCount: 10)
        #expect(buckets.take("a", at: clock.now()) == nil)
        clock.advance(seconds: -1_000_000)
        #expect(buckets.take("a", at: clock.now()) == 1)
        clock.advance(seconds: 1)
        #expect(buckets.take("a", at: clock.now()) == nil)
    }

    @Test func aBucketNeverHoldsMoreThanItsBurst() {
        let clock = ManualClock()
        let buckets = TokenBuckets(perSecond: 1000, burst: 2, maxCount: 10)
        #expect(buckets.take("a", at: clock.now()) == nil)
        clock.advance(seconds: 1_000_000)
        #expect((0..<3).map { _ in buckets.take("a", at: clock.now()) } == [nil, nil, 1])
    }

    @Test func theNumberOfBucketsIsBoundedAndTheIdleOnesGoFirst() {
        let clock = ManualClock()
        let buckets = TokenBuckets(perSecond: 0.001, burst: 1, maxCount: 100)
        for number in 0..<10_000 {
            _ = buckets.take("busy", at: clock.now())
            #expect(buckets.take("key \(number)", at: clock.now()) == nil)
            #expect(buckets.count <= 100)
        }
        #expect(buckets.take("busy", at: clock.now()) != nil)
    }
}
