import SyncCore
import Testing

/// What becomes of a push that failed, while the remote answers other requests.
@Suite struct PushTrialTests {
    private static let start = Timestamp(microseconds: 1_767_225_600_000_000)
    /// A failure of a server that says when to come back.
    private static let full = Setback(.status(503), retryAfterSeconds: 1)
    private static let page = Setback(.foreign(200))

    /// The steps after failures of pushes of one change, `minutes` minutes after the start.
    private func steps(
        of setback: Setback,
        intents: String...,
        trial: inout PushTrial,
        failing: inout FailingPush?,
        minutes: Int64 = 0
    ) -> [PushTrial.Step] {
        let now = Timestamp(microseconds: Self.start.microseconds + minutes * 60_000_000)
        return intents.map { intent in
            trial.noteFailed()
            return trial.step(after: setback, intent: intent, changes: 1, failing: &failing, now: now)
        }
    }

    @Test(arguments: [full, page, Setback(.transport(.interrupted)), Setback(fault: .record, retry: .never)])
    func aPushOfSeveralChangesIsHalvedWhateverFailed(setback: Setback) {
        var trial = PushTrial()
        var failing: FailingPush?
        let step = trial.step(after: setback, intent: "a", changes: 2, failing: &failing, now: Self.start)
        #expect(step == .halve)
        #expect(failing == nil)
    }

    @Test(arguments: [
        Setback(fault: .remote, retry: .later), Setback(fault: .ours, retry: .later), Setback(.status(429)),
    ])
    func whatIsNoRecordsFaultEndsTheSyncAtOnce(setback: Setback) {
        var trial = PushTrial()
        var failing: FailingPush?
        #expect(steps(of: setback, intents: "a", trial: &trial, failing: &failing) == [.end])
    }

    @Test(arguments: [Setback(.unexpected(422)), Setback(fault: .record, retry: .later)])
    func aChangeThatFailsAloneTwiceIsRejectedIfTheServerDoesNotMeanItself(setback: Setback) {
        var trial = PushTrial()
        var failing: FailingPush?
        let found = steps(of: setback, intents: "a", "a", "b", "b", trial: &trial, failing: &failing)
        #expect(found == [.resend, .reject, .resend, .reject])
    }

    /// A proxy whose server restarts, or a path that swallows what is sent, is no record's fault.
    @Test(arguments: [
        (Setback(.status(500)), 8), (Setback(.status(502)), 8), (Setback(.transport(.timedOut)), 3),
        (Setback(.transport(.interrupted)), 3), (Setback(.status(408)), 3),
    ])
    func whileTheRemoteTakesNothingNoChangeIsRejectedForAFailureThatMayPass(setback: Setback, held: Int) {
        var trial = PushTrial()
        var failing: FailingPush?
        for intent in (0..<held).map({ "held \($0)" }) {
            let found = steps(of: setback, intents: intent, intent, trial: &trial, failing: &failing)
            #expect(found == [.resend, .hold])
        }
        #expect(steps(of: setback, intents: "d", "d", trial: &trial, failing: &failing) == [.resend, .end])
        trial.noteAccepted()
        let blamed = steps(of: setback, intents: "e", "e", trial: &trial, failing: &failing)
        // A longer record takes longer on a slow way, whatever others do.
        #expect(blamed == [.resend, setback.fault == .unanswered ? .hold : .reject])
        // For the next one, the remote has to show it again.
        #expect(steps(of: setback, intents: "f", "f", trial: &trial, failing: &failing) == [.resend, .hold])
    }

    /// A way may be slow for hours. In the end, the record is to blame for what comes of it.
    @Test func aRecordWithoutAnAnswerIsRejectedOnlyAfterADay() {
        let slow = Setback(.transport(.timedOut))
        var failing: FailingPush?
        for (hour, last) in [(0, PushTrial.Step.end), (23, .end), (25, .reject)] {
            for sync in 0..<(hour == 0 ? 25 : 1) {
                var trial = PushTrial()
                let minutes = Int64(hour * 60 + sync)
                let found = steps(
                    of: slow,
                    intents: "a",
                    "a",
                    "a",
                    trial: &trial,
                    failing: &failing,
                    minutes: minutes
                )
                #expect(found == [.resend, .hold, last], "hour \(hour)")
            }
        }
    }

    @Test func aServerThatSaysWhenToComeBackIsBelievedUntilItTakesAnother() {
        var trial = PushTrial()
        var failing: FailingPush?
        let held = steps(of: Self.full, intents: "a", "b", "c", trial: &trial, failing: &failing)
        #expect(held == [.hold, .hold, .hold])
        #expect(failing == FailingPush(intent: "a", failures: 1, since: Self.start))
        trial.noteAccepted()
        let later = steps(of: Self.full, intents: "b", "b", trial: &trial, failing: &failing)
        #expect(later == [.resend, .reject])
    }

    @Test(arguments: [(4, Int64(1000), false), (5, 59, false), (5, 60, true)])
    func theOnlyChangeIsRejectedAfterFiveSyncsOverAnHour(syncs: Int, minutes: Int64, isRejected: Bool) {
        var failing: FailingPush?
        for sync in 1...syncs {
            var trial = PushTrial()
            let now = sync == syncs ? minutes : 0
            let found = steps(
                of: Self.full,
                intents: "a",
                "a",
                trial: &trial,
                failing: &failing,
                minutes: now
            )
            #expect(found == [.hold, sync == syncs && isRejected ? .reject : .end])
        }
        #expect((failing == nil) == isRejected)
    }

    @Test func whatTheWayFailsOnIsHeldBackOnceAndNeverRejected() {
        var trial = PushTrial()
        var failing: FailingPush?
        for _ in 0..<9 {
            let found = steps(of: Self.page, intents: "a", "b", "a", trial: &trial, failing: &failing)
            #expect(found == [.hold, .hold, .end])
            trial.noteAccepted()
        }
        #expect(failing == nil, "it is not counted against the change")
        let many = (0..<9).flatMap {
            steps(of: Self.page, intents: "\($0)", trial: &trial, failing: &failing)
        }
        #expect(many == Array(repeating: .hold, count: 8) + [.end])
    }
}
