import Foundation
import SyncCore
import Testing

@testable import EntitySync

/// Time that the system grants reaches the space, also where it began before there was one.
@Suite struct BackgroundGrantTests {
    private final class Answers: @unchecked Sendable {
        private let lock = NSLock()
        // Guarded by `lock`.
        private var given: [Bool] = []

        var all: [Bool] { lock.withLock { given } }
        func add(_ success: Bool) { lock.withLock { given.append(success) } }
    }

    private final class Watch: @unchecked Sendable {
        private let lock = NSLock()
        // Guarded by `lock`.
        private var instant = ContinuousClock.now

        var now: ContinuousClock.Instant { lock.withLock { instant } }
        func advance(seconds: Double) { lock.withLock { instant += .seconds(seconds) } }
    }

    @Test func aGrantThatBeginsBeforeTheSpaceIsOpenIsKeptForIt() async {
        let (watch, answers) = (Watch(), Answers())
        let grants = BackgroundGrants(now: { watch.now })
        grants.began(seconds: 25) { answers.add($0) }
        watch.advance(seconds: 5)
        var events = grants.events().makeAsyncIterator()
        #expect(await events.next() == .began(seconds: 20))
        grants.finish(success: true)
        grants.finish(success: false)
        #expect(answers.all == [true], "it is given back once")
    }

    @Test func aGrantIsToldAsItBeginsAndExpires() async {
        let answers = Answers()
        let grants = BackgroundGrants()
        var events = grants.events().makeAsyncIterator()
        grants.began(seconds: 25) { answers.add($0) }
        grants.expired()
        #expect(await events.next() == .began(seconds: 25))
        #expect(await events.next() == .expired)
        #expect(answers.all == [], "whoever uses it gives it back")
        grants.finish(success: false)
        #expect(answers.all == [false])
    }

    @Test func aGrantThatNobodyUsesIsGivenBackAsAFailure() async {
        let answers = Answers()
        let grants = BackgroundGrants()
        grants.began(seconds: 25) { answers.add($0) }
        grants.expired()
        #expect(answers.all == [false])
        grants.began(seconds: 25) { answers.add($0) }
        grants.began(seconds: 25) { answers.add($0) }
        #expect(answers.all == [false, false], "one at a time")
    }
}
