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

    /// What a system does that an app asks for time.
    @MainActor private final class System {
        var seconds: Double? = 20
        var ended = 0
        var takeBack: (@Sendable () -> Void)?

        func time() -> AppBackgroundTime {
            AppBackgroundTime { expired in
                self.takeBack = expired
                guard let seconds = self.seconds else { return nil }
                return (seconds, { self.ended += 1 })
            }
        }
    }

    @Test @MainActor func anAppPassesTheCallsOfItsSystem() async {
        let system = System()
        let time = system.time()
        var events = time.events().makeAsyncIterator()
        time.request()
        #expect(await events.next() == .began(seconds: 20))
        time.release()
        time.release()
        while system.ended == 0 { await Task.yield() }
        system.seconds = .greatestFiniteMagnitude
        time.request()
        #expect(await events.next() == .began(seconds: 30), "no system lets an app work for ever")
        #expect(system.ended == 1, "a grant is ended once")
    }

    @Test @MainActor func timeIsGivenBackBeforeTheSystemHasTakenIt() async {
        let system = System()
        let time = system.time()
        var events = time.events().makeAsyncIterator()
        time.request()
        #expect(await events.next() == .began(seconds: 20))
        system.takeBack?()
        #expect(system.ended == 1)
        #expect(await events.next() == .expired)
    }

    @Test @MainActor func aSystemThatGrantsNothingIsAskedAgain() async {
        let system = System()
        system.seconds = nil
        let time = system.time()
        var events = time.events().makeAsyncIterator()
        time.request()
        while system.takeBack == nil { await Task.yield() }
        system.seconds = 5
        time.request()
        #expect(await events.next() == .began(seconds: 5))
    }
}
