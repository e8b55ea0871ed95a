import SyncChecks
import SyncCore
import SyncWire
import Testing

@testable import SyncServer

@Suite struct FrontRateTests {
    @Test func anAccountThatAsksTooOftenWaitsAndOthersDoNot() async throws {
        let door = Door(rates: RatePolicy(requestsPerSecond: 0.5, requestBurst: 3))
        for _ in 0..<3 { #expect(await door.exchange()?.0.status == 200) }
        let (answer, _) = try #require(await door.exchange())
        #expect(answer.status == 429 && answer.header("Retry-After") == "2")
        #expect(answer.errorCode == .tooManyRequests)
        #expect(await door.exchange(token: "est_bob")?.0.status == 200)
        door.clock.advance(seconds: 2)
        #expect(await door.exchange()?.0.status == 200)
        #expect(await door.exchange()?.0.status == 429)
    }

    @Test func aPeerThatGuessesTokensWaitsAndAValidTokenBesideItDoesNot() async throws {
        let door = Door(rates: RatePolicy(failuresPerSecond: 1, failureBurst: 2))
        #expect(await door.exchange(token: "wrong")?.0.status == 401)
        #expect(await door.exchange(token: "wrong")?.0.status == 401)
        #expect(await door.exchange(token: "wrong")?.0.status == 429)
        #expect(await door.exchange(token: "wrong", peer: "192.0.2.2")?.0.status == 401)
        #expect(await door.exchange()?.0.status == 200)
        door.clock.advance(seconds: 1)
        #expect(await door.exchange(token: "wrong")?.0.status == 401)
    }

    @Test func aLoginWithoutAnAccountThatComesTooOftenWaits() async throws {
        let authenticator = FakeAuthenticator(failure: WireError(code: .forbidden, detail: "No account."))
        let door = Door(
            authenticator: authenticator,
            rates: RatePolicy(failuresPerSecond: 1, failureBurst: 2)
        )
        for _ in 0..<2 { #expect(await door.exchange()?.0.errorCode == .forbidden) }
        #expect(await door.exchange()?.0.status == 429)
    }

    @Test func aFloodOfFirstLoginsWaitsAndThoseWithAnAccountDoNot() async throws {
        let door = Door(
            authenticator: FakeAuthenticator(newLogins: Set((0..<9).map { "new-\($0)" })),
            rates: RatePolicy(newLoginsPerSecond: 0.5, newLoginBurst: 3)
        )
        for number in 0..<3 { #expect(await door.exchange(token: "new-\(number)")?.0.status == 200) }
        let (answer, _) = try #require(await door.exchange(token: "new-3"))
        #expect(answer.status == 429 && answer.header("Retry-After") == "2")
        #expect(await door.exchange(token: "wrong")?.0.status == 401, "failures have a limit of their own")
        #expect(await door.exchange()?.0.status == 200)
        #expect(await door.exchange(token: "new-4", peer: "192.0.2.2")?.0.status == 200)
        door.clock.advance(seconds: 2)
        #expect(await door.exchange(token: "new-3")?.0.status == 200)
    }

    @Test func anOpenStreamOfALoginWhoseAccountIsGoneEndsAndAddsNone() async throws {
        let door = Door(authenticator: FakeAuthenticator(newLogins: ["new"]))
        func isStillAdmitted(_ token: String) -> Bool {
            let header = HTTPHeader(name: "Authorization", value: "Bearer \(token)")
            let head = ServerRequest(method: "GET", path: "/v1/events", headers: [header])
            guard case .admitted(let request) = door.handler.admit(head, declaredBytes: 0) else {
                Issue.record("the stream is refused")
                return true
            }
            return door.handler.isStillAdmitted(request)
        }
        #expect(isStillAdmitted("est_ada"))
        #expect(!isStillAdmitted("new"))
    }

    @Test(arguments: [1024, 8192]) func aTokenIsAsLongAsTheAuthenticatorSaysAndNoLonger(limit: Int) async {
        let longest = String(repeating: "t", count: limit)
        let known = [longest, longest + "t"].map { ($0, Account(id: "id-ada", name: "ada")) }
        let authenticator = FakeAuthenticator(
            tokens: Dictionary(uniqueKeysWithValues: known),
            maxTokenBytes: limit
        )
        let door = Door(authenticator: authenticator)
        #expect(await door.exchange(token: longest)?.0.status == 200)
        #expect(await door.exchange(token: longest + "t")?.0.status == 401)
    }

    @Test func healthIsNeverAskedToWait() async throws {
        let door = Door(rates: RatePolicy(requestsPerSecond: 0, requestBurst: 1))
        for _ in 0..<10 { #expect(await door.response(method: "GET", path: "/health")?.0.status == 200) }
    }

    @Test func aClockThatGoesBackRefillsNothingAndLocksNobodyOut() async throws {
        let clock = ManualClock()
        let buckets = TokenBuckets(perSecond: 1, burst: 1, maxCount: 10)
        #expect(buckets.take("a", at: clock.now()) == nil)
        clock.advance(seconds: -1_000_000)
        #expect(buckets.take("a", at: clock.now()) == 1)
        clock.advance(seconds: 1)
        #expect(buckets.take("a", at: clock.now()) == nil)
    }

    @Test func aBucketNeverHoldsMoreThanItsBurst() async throws {
        let clock = ManualClock()
        let buckets = TokenBuckets(perSecond: 1000, burst: 2, maxCount: 10)
        #expect(buckets.take("a", at: clock.now()) == nil)
        clock.advance(seconds: 1_000_000)
        #expect((0..<3).map { _ in buckets.take("a", at: clock.now()) } == [nil, nil, 1])
    }

    @Test func theNumberOfBucketsIsBoundedAndTheIdleOnesGoFirst() async throws {
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
