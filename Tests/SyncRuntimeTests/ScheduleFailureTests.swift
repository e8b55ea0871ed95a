import SyncCore
import SyncRuntime
import SyncSchedule
import Testing

/// Failures, networks that come and go, accounts that pause, clocks that jump.
@Suite struct ScheduleFailureTests {
    static let later = SyncEnding.failed(Setback(retry: .later))

    /// Seconds at which syncs began.
    private func starts(line: Timeline) -> [Double] { line.starts.map { Double($0) / 1_000_000 } }

    @Test func waitsDoubleUpToTheCap() {
        var line = Timeline()
        line.syncSeconds = 0
        line.usualEnding = Self.later
        line.write(at: 0)
        line.run(until: 1)
        #expect(line.phase == .backingOff(until: line.instant(seconds: 1.5), attempt: 1))
        #expect(line.state.snapshot.nextRetry == line.instant(seconds: 1.5))
        line.run(until: 1500)
        // Half of 2, 4, 8 ... 256 and of the cap, 300.
        let expected =
            [0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5, 127.5] + stride(from: 255.5, to: 1500, by: 150)
        #expect(starts(line: line) == expected)
    }

    @Test func noDrawMakesAWaitOfNothing() {
        var line = Timeline()
        line.syncSeconds = 0
        line.fraction = 0
        line.usualEnding = Self.later
        line.write(at: 0)
        line.run(until: 4)
        #expect(starts(line: line) == [0.5, 1.5, 2.5, 3.5])
    }

    @Test func aSuccessResetsTheBackoff() {
        var line = Timeline()
        line.syncSeconds = 0
        line.endings = [Self.later, Self.later, Self.later, .synced, Self.later, .partial]
        line.write(at: 0)
        line.write(at: 100)
        line.run(until: 200)
        #expect(starts(line: line) == [0.5, 1.5, 3.5, 7.5, 100.5, 101.5])
        #expect(line.state.snapshot.lastSuccess == line.instant(seconds: 101.5))
        #expect(line.state.snapshot.lastFailure == nil)
    }

    @Test(arguments: [(60.0, 61.5), (1_000_000, 3601.5), (-5, 1.5)])
    func theRemotesWishToWaitIsRespectedWithinBounds(asked: Double, next: Double) {
        var line = Timeline()
        line.syncSeconds = 0
        line.endings = [.failed(Setback(retry: .later, retryAfterSeconds: asked))]
        line.write(at: 0)
        line.at(seconds: 0.6, event: .connectivity(isOnline: false))
        line.at(seconds: 0.7, event: .connectivity(isOnline: true))
        line.run(until: 1.0)
        if asked > 0 {
            // Neither the network's return, nor the app's, ends it early.
            line.at(seconds: 30, event: .connectivity(isOnline: false))
            line.at(seconds: 31, event: .connectivity(isOnline: true))
        }
        line.run(until: 5000)
        #expect(starts(line: line).first == 0.5)
        #expect(starts(line: line).dropFirst().first == next)
    }

    @Test(arguments: [(60.0, 62.0), (1_000_000, 3602), (0.1, 31)])
    func aRemotesWishAfterASuccessDelaysTheNextAutomaticSync(asked: Double, next: Double) {
        var line = Timeline()
        line.syncSeconds = 1
        line.write(at: 0)
        line.at(seconds: 1, event: .remoteAsksToWait(until: line.instant(seconds: 1 + asked)))
        line.write(at: 30.5)
        line.run(until: 5000)
        #expect(starts(line: line) == [0.5, next])
    }

    @Test func aManualSyncAndAnotherAccountDoNotWaitForTheRemotesWish() {
        var line = Timeline()
        line.syncSeconds = 0
        line.at(seconds: 0, event: .remoteAsksToWait(until: line.instant(seconds: 1_000)))
        line.write(at: 1)
        line.at(seconds: 2, event: .manual(id: 1))
        line.write(at: 3)
        line.at(seconds: 10, event: .accountResumed)
        line.run(until: 20)
        #expect(starts(line: line) == [2, 10])
    }

    @Test func afterTheLastAttemptNothingIsTriedUntilSomebodyAsks() {
        var policy = SchedulePolicy()
        policy.maxAttempts = 3
        var line = Timeline(policy: policy)
        line.syncSeconds = 0
        line.usualEnding = Self.later
        line.write(at: 0)
        line.run(until: 100)
        #expect(starts(line: line) == [0.5, 1.5, 3.5])
        #expect(line.phase == .gaveUp(attempts: 3))
        #expect(line.state.snapshot.nextStart == nil && line.state.snapshot.lastFailure != nil)
        // Neither a write, nor the app, nor the network begins it anew.
        line.write(at: 100)
        line.at(seconds: 110, event: .appBecameActive)
        line.at(seconds: 120, event: .connectivity(isOnline: false))
        line.at(seconds: 130, event: .connectivity(isOnline: true))
        line.run(until: 5000)
        #expect(starts(line: line).count == 3)
        line.at(seconds: 5000, event: .manual(id: 1))
        line.run(until: 6000)
        #expect(line.phase == .gaveUp(attempts: 3), "a request that fails changes nothing")
        #expect(starts(line: line).count == 4)
        line.usualEnding = .synced
        line.at(seconds: 6000, event: .manual(id: 2))
        line.write(at: 6001)
        line.run(until: 6010)
        #expect(starts(line: line).suffix(2) == [6000, 6001.5])
    }

    @Test func anotherAccountBeginsItsAttemptsAnew() {
        var policy = SchedulePolicy()
        policy.maxAttempts = 1
        var line = Timeline(policy: policy)
        line.syncSeconds = 0
        line.endings = [Self.later]
        line.write(at: 0)
        line.run(until: 50)
        #expect(line.phase == .gaveUp(attempts: 1))
        line.at(seconds: 50, event: .accountResumed)
        line.run(until: 60)
        #expect(starts(line: line) == [0.5, 50])
    }

    @Test func aRequestIgnoresTheBackoffAndDoesNotPushItAway() {
        var line = Timeline()
        line.syncSeconds = 0
        line.endings = [Self.later, Self.later, Self.later, Self.later, Self.later]
        line.write(at: 0)
        line.run(until: 5)
        #expect(starts(line: line) == [0.5, 1.5, 3.5])
        line.at(seconds: 5, event: .manual(id: 1))
        line.at(seconds: 6, event: .manual(id: 2))
        line.run(until: 50)
        // The wait of the third failure is drawn again, not a longer one.
        #expect(starts(line: line) == [0.5, 1.5, 3.5, 5, 6, 10])
    }

    @Test(arguments: [RetryAdvice.never, .afterAction])
    func whatCannotHelpIsNotTriedAgainUntilSomethingChanges(advice: RetryAdvice) {
        var line = Timeline()
        line.syncSeconds = 0
        line.usualEnding = .failed(Setback(retry: advice))
        line.write(at: 0)
        line.at(seconds: 100, event: .appBecameActive)
        line.at(seconds: 200, event: .hint(entities: nil))
        line.at(seconds: 300, event: .connectivity(isOnline: false))
        line.at(seconds: 301, event: .connectivity(isOnline: true))
        line.run(until: 10_000)
        #expect(starts(line: line) == [0.5])
        #expect(line.phase == .halted(advice))
        line.write(at: 20_000)
        line.at(seconds: 30_000, event: .manual(id: 1))
        line.at(seconds: 40_000, event: .accountPaused)
        line.at(seconds: 50_000, event: .accountResumed)
        line.run(until: 60_000)
        #expect(starts(line: line) == [0.5, 20_000, 30_000, 50_000])
    }

    /// Such as one of a record that another program holds at the remote.
    @Test(arguments: [true, false])
    func anEditThatTheRemoteCouldNotTakeIsSentAgainSoon(isForeground: Bool) {
        var line = Timeline()
        line.syncSeconds = 0
        if isForeground {
            line.at(seconds: 0, event: .appBecameActive)
            line.run(until: 50)
        }
        let before = starts(line: line).count
        line.endings = [.unfinished, .unfinished, .synced]
        line.write(at: 100)
        line.run(until: 200)
        #expect(starts(line: line).dropFirst(before) == [100.5, 101.5, 103.5])
        #expect(line.phase == .idle || isForeground)
    }

    /// A portal that intercepts what is sent, until somebody has signed in to it.
    @Test func whatStandsOnTheWayIsTriedAgainWhenItMayBeGone() {
        let events: [ScheduleEvent] = [.hint(entities: nil), .appBecameActive, .connectivity(isOnline: true)]
        for event in events {
            var line = Timeline()
            line.syncSeconds = 0
            line.endings = [.failed(Setback(fault: .way, retry: .afterAction))]
            line.write(at: 0)
            line.at(seconds: 99, event: .connectivity(isOnline: false))
            line.at(seconds: 100, event: event)
            line.at(seconds: 101, event: .connectivity(isOnline: true))
            line.run(until: 200)
            let started = starts(line: line)
            #expect(started.count == 2 && started[1] >= 100 && started[1] < 105, "\(event): \(started)")
        }
    }

    @Test func withoutANetworkNothingStartsAndNothingCounts() {
        var line = Timeline()
        line.at(seconds: 0, event: .connectivity(isOnline: false))
        line.write(at: 1)
        line.at(seconds: 2, event: .appBecameActive)
        line.at(seconds: 3, event: .hint(entities: nil))
        line.at(seconds: 4, event: .tick)
        line.at(seconds: 5, event: .manual(id: 7))
        line.run(until: 3600)
        #expect(line.story == ["5.0 answer 7 offline"])
        #expect(line.phase == .offline)
        line.at(seconds: 3600, event: .connectivity(isOnline: true))
        #expect(line.story.count == 2)
        #expect(line.story[1].hasPrefix("3600.0 launch"))
    }

    @Test func aSyncThatLosesItsNetworkIsNoFailedAttempt() {
        var line = Timeline()
        line.syncSeconds = 5
        line.endings = [Self.later, Self.later]
        line.write(at: 0)
        line.at(seconds: 2, event: .connectivity(isOnline: false))
        line.at(seconds: 20, event: .connectivity(isOnline: true))
        #expect(starts(line: line) == [0.5, 20])
        line.run(until: 25)
        #expect(line.phase == .backingOff(until: line.instant(seconds: 26), attempt: 1))
        line.run(until: 40)
        #expect(line.phase == .idle)
    }

    @Test func aReturningNetworkSyncsAtOnceUnlessASyncJustBegan() {
        var line = Timeline(lastSuccess: 0)
        line.at(seconds: 1, event: .connectivity(isOnline: false))
        line.at(seconds: 4, event: .connectivity(isOnline: true))
        #expect(line.story == [])
        line.at(seconds: 10, event: .connectivity(isOnline: false))
        line.write(at: 11)
        line.at(seconds: 20, event: .connectivity(isOnline: true))
        line.at(seconds: 21, event: .connectivity(isOnline: false))
        line.at(seconds: 24, event: .connectivity(isOnline: true))
        line.at(seconds: 30, event: .connectivity(isOnline: false))
        line.at(seconds: 31, event: .connectivity(isOnline: true))
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
        for second in 1...3600 {
            line.at(seconds: Double(second), event: .connectivity(isOnline: second % 2 == 0))
        }
        // At most one in 30 seconds, once it has failed for some time.
        #expect((100...140).contains(line.starts.count), "\(line.starts.count)")
    }

    @Test func aPausedAccountIsLeftAloneUntilItIsResumed() {
        var line = Timeline()
        line.at(seconds: 0, event: .accountPaused)
        line.write(at: 1)
        line.at(seconds: 2, event: .appBecameActive)
        line.at(seconds: 3, event: .hint(entities: nil))
        line.run(until: 5000)
        #expect(line.story == [])
        #expect(line.phase == .paused)
        line.at(seconds: 5000, event: .accountResumed)
        line.run(until: 5100)
        #expect(line.starts == [5_000_000_000])
        #expect(line.phase == .idle)
    }

    @Test func aPausedAccountStillAnswersWhoeverAsks() {
        var line = Timeline()
        line.at(seconds: 0, event: .accountPaused)
        line.at(seconds: 1, event: .manual(id: 1))
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
        #expect(starts(line: line) == [0.5])
        line.write(at: 20)
        line.run(until: 30)
        #expect(starts(line: line) == [0.5, 20.5])
    }

    @Test func aClockSetBackMakesNothingOld() {
        var line = Timeline()
        line.at(seconds: 0, event: .appBecameActive)
        line.run(until: 2)
        line.clockError -= 3_600_000_000
        line.at(seconds: 2, event: .appEnteredBackground)
        line.at(seconds: 3, event: .appBecameActive)
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
        #expect(starts(line: line) == [0.5, 1.5, 3.5, 7.5])
        line.clockError += Int64(jump * 1_000_000)
        // Something happens while the clock is wrong, then it is set right.
        line.at(seconds: 11, event: .appEnteredBackground)
        line.clockError = 0
        line.at(seconds: 12, event: .appEnteredBackground)
        line.run(until: 3600)
        let gaps = zip(starts(line: line), starts(line: line).dropFirst()).map { $1 - $0 }
        #expect((25...40).contains(line.starts.count), "\(starts(line: line))")
        #expect(gaps.allSatisfy { $0 <= 300 + 5 }, "\(gaps)")
    }
}
