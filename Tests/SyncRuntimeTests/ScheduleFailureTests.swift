import SyncCore
import SyncRuntime
import Testing

/// Failures, networks that come and go, accounts that pause, clocks that jump.
@Suite struct ScheduleFailureTests {
    static let later = SyncEnding.failed(SyncFailure(.later))

    /// Seconds at which syncs began.
    private func starts(_ line: Timeline) -> [Double] { line.starts.map { Double($0) / 1_000_000 } }

    @Test func waitsDoubleUpToTheCap() {
        var line = Timeline()
        line.syncSeconds = 0
        line.usualEnding = Self.later
        line.write(at: 0)
        line.run(until: 1)
        #expect(line.phase == .backingOff(until: line.instant(1.5), attempt: 1))
        #expect(line.state.snapshot.nextRetry == line.instant(1.5))
        line.run(until: 1500)
        // Half of 2, 4, 8 ... 256 and of the cap, 300.
        let expected =
            [0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5, 127.5] + stride(from: 255.5, to: 1500, by: 150)
        #expect(starts(line) == expected)
    }

    @Test func noDrawMakesAWaitOfNothing() {
        var line = Timeline()
        line.syncSeconds = 0
        line.fraction = 0
        line.usualEnding = Self.later
        line.write(at: 0)
        line.run(until: 4)
        #expect(starts(line) == [0.5, 1.5, 2.5, 3.5])
    }

    @Test func aSuccessResetsTheBackoff() {
        var line = Timeline()
        line.syncSeconds = 0
        line.endings = [Self.later, Self.later, Self.later, .synced, Self.later, .partial]
        line.write(at: 0)
        line.write(at: 100)
        line.run(until: 200)
        #expect(starts(line) == [0.5, 1.5, 3.5, 7.5, 100.5, 101.5])
        #expect(line.state.snapshot.lastSuccess == line.instant(101.5))
        #expect(line.state.snapshot.lastFailure == nil)
    }

    @Test(arguments: [(60.0, 61.5), (1_000_000, 3601.5), (-5, 1.5)])
    func theRemotesWishToWaitIsRespectedWithinBounds(asked: Double, next: Double) {
        var line = Timeline()
        line.syncSeconds = 0
        line.endings = [.failed(SyncFailure(.later, retryAfterSeconds: asked))]
        line.write(at: 0)
        line.at(0.6, .connectivity(isOnline: false))
        line.at(0.7, .connectivity(isOnline: true))
        line.run(until: 1.0)
        if asked > 0 {
            // Neither the network's return, nor the app's, ends it early.
            line.at(30, .connectivity(isOnline: false))
            line.at(31, .connectivity(isOnline: true))
        }
        line.run(until: 5000)
        #expect(starts(line).first == 0.5)
        #expect(starts(line).dropFirst().first == next)
    }

    @Test func aRequestIgnoresTheBackoffAndDoesNotPushItAway() {
        var line = Timeline()
        line.syncSeconds = 0
        line.endings = [Self.later, Self.later, Self.later, Self.later, Self.later]
        line.write(at: 0)
        line.run(until: 5)
        #expect(starts(line) == [0.5, 1.5, 3.5])
        line.at(5, .manual(id: 1))
        line.at(6, .manual(id: 2))
        line.run(until: 50)
        // The wait of the third failure is drawn again, not a longer one.
        #expect(starts(line) == [0.5, 1.5, 3.5, 5, 6, 10])
    }

    @Test(arguments: [RetryAdvice.never, .afterAction])
    func whatCannotHelpIsNotTriedAgainUntilSomethingChanges(advice: RetryAdvice) {
        var line = Timeline()
        line.syncSeconds = 0
        line.usualEnding = .failed(SyncFailure(advice))
        line.write(at: 0)
        line.at(100, .appBecameActive)
        line.at(200, .hint(entities: nil))
        line.at(300, .connectivity(isOnline: false))
        line.at(301, .connectivity(isOnline: true))
        line.run(until: 10_000)
        #expect(starts(line) == [0.5])
        #expect(line.phase == .halted(advice))
        line.write(at: 20_000)
        line.at(30_000, .manual(id: 1))
        line.at(40_000, .accountPaused)
        line.at(50_000, .accountResumed)
        line.run(until: 60_000)
        #expect(starts(line) == [0.5, 20_000, 30_000, 50_000])
    }

    @Test func withoutANetworkNothingStartsAndNothingCounts() {
        var line = Timeline()
        line.at(0, .connectivity(isOnline: false))
        line.write(at: 1)
        line.at(2, .appBecameActive)
        line.at(3, .hint(entities: nil))
        line.at(4, .tick)
        line.at(5, .manual(id: 7))
        line.run(until: 3600)
        #expect(line.story == ["5.0 answer 7 offline"])
        #expect(line.phase == .offline)
        line.at(3600, .connectivity(isOnline: true))
        #expect(line.story.count == 2)
        #expect(line.story[1].hasPrefix("3600.0 launch"))
    }

    @Test func aSyncThatLosesItsNetworkIsNoFailedAttempt() {
        var line = Timeline()
        line.syncSeconds = 5
        line.endings = [Self.later, Self.later]
        line.write(at: 0)
        line.at(2, .connectivity(isOnline: false))
        line.at(20, .connectivity(isOnline: true))
        #expect(starts(line) == [0.5, 20])
        line.run(until: 25)
        #expect(line.phase == .backingOff(until: line.instant(26), attempt: 1))
        line.run(until: 40)
        #expect(line.phase == .idle)
    }

    @Test func aReturningNetworkSyncsAtOnceUnlessASyncJustBegan() {
        var line = Timeline(lastSuccess: 0)
        line.at(1, .connectivity(isOnline: false))
        line.at(4, .connectivity(isOnline: true))
        #expect(line.story == [])
        line.at(10, .connectivity(isOnline: false))
        line.write(at: 11)
        line.at(20, .connectivity(isOnline: true))
        line.at(21, .connectivity(isOnline: false))
        line.at(24, .connectivity(isOnline: true))
        line.at(30, .connectivity(isOnline: false))
        line.at(31, .connectivity(isOnline: true))
        line.run(until: 500)
        #expect(
            line.story == [
                "20.0 refresh[author,note,book] connectivity+write",
                "31.0 refresh[author,note,book] connectivity",
            ]
        )
    }

    @Test func aNetworkThatComesAndGoesIsNoStormOfAttempts() {
        var line = Timeline()
        line.syncSeconds = 0
        line.usualEnding = Self.later
        line.write(at: 0)
        for second in 1...3600 { line.at(Double(second), .connectivity(isOnline: second % 2 == 0)) }
        // At most one in 30 seconds, once it has failed for some time.
        #expect((100...140).contains(line.starts.count), "\(line.starts.count)")
    }

    @Test func aPausedAccountIsLeftAloneUntilItIsResumed() {
        var line = Timeline()
        line.at(0, .accountPaused)
        line.write(at: 1)
        line.at(2, .appBecameActive)
        line.at(3, .hint(entities: nil))
        line.run(until: 5000)
        #expect(line.story == [])
        #expect(line.phase == .paused)
        line.at(5000, .accountResumed)
        line.run(until: 5100)
        #expect(line.starts == [5_000_000_000])
        #expect(line.phase == .idle)
    }

    @Test func aPausedAccountStillAnswersWhoeverAsks() {
        var line = Timeline()
        line.at(0, .accountPaused)
        line.at(1, .manual(id: 1))
        line.run(until: 10)
        #expect(line.story == ["1.0 full[author,note,book] manual", "2.0 answer 1 result"])
    }

    @Test(arguments: [-31_536_000.0, -3600, 3600, 31_536_000])
    func aClockThatJumpsStallsNoWrite(jump: Double) {
        var line = Timeline()
        line.write(at: 0)
        line.run(until: 0.2)
        line.clockError += Int64(jump * 1_000_000)
        line.run(until: 10)
        #expect(starts(line) == [0.5])
        line.write(at: 20)
        line.run(until: 30)
        #expect(starts(line) == [0.5, 20.5])
    }

    @Test func aClockSetBackMakesNothingOld() {
        var line = Timeline()
        line.at(0, .appBecameActive)
        line.run(until: 2)
        line.clockError -= 3_600_000_000
        line.at(2, .appEnteredBackground)
        line.at(3, .appBecameActive)
        line.run(until: 300)
        #expect(line.story == ["0.0 launch[author,note,book] launch"])
    }

    @Test(arguments: [-31_536_000.0, 31_536_000])
    func aClockThatJumpsNeitherStallsNorStormsTheBackoff(jump: Double) {
        var line = Timeline()
        line.syncSeconds = 0
        line.usualEnding = Self.later
        line.write(at: 0)
        line.run(until: 10)
        #expect(starts(line) == [0.5, 1.5, 3.5, 7.5])
        line.clockError += Int64(jump * 1_000_000)
        // Something happens while the clock is wrong, then it is set right.
        line.at(11, .appEnteredBackground)
        line.clockError = 0
        line.at(12, .appEnteredBackground)
        line.run(until: 3600)
        let gaps = zip(starts(line), starts(line).dropFirst()).map { $1 - $0 }
        #expect((25...40).contains(line.starts.count), "\(starts(line))")
        #expect(gaps.allSatisfy { $0 <= 300 + 5 }, "\(gaps)")
    }
}
