import SyncCore
import SyncRuntime
import Testing

/// What happens outside starts a sync at once, each with a knob of its own.
@Suite struct ScheduleTriggerTests {
    private func starts(_ line: Timeline) -> [Double] { line.starts.map { Double($0) / 1_000_000 } }

    @Test(arguments: [ScheduleEvent.appBecameActive, .connectivity(isOnline: true), .hint(entities: nil)])
    func nothingIsTooFreshToBeSyncedAgainAfterAFewSeconds(event: ScheduleEvent) {
        var policy = SchedulePolicy()
        policy.debounceSeconds = 0
        var line = Timeline(policy: policy)
        line.at(0, .appBecameActive)
        line.at(5, .connectivity(isOnline: false))
        if event != .connectivity(isOnline: true) { line.at(5.5, .connectivity(isOnline: true)) }
        line.at(20, event)
        line.run(until: 100)
        #expect(starts(line).last == 20)
    }

    @Test func backgroundTimeIsUsedThoughASyncEndedAMinuteAgo() {
        var line = Timeline(lastSuccess: 0)
        line.at(60, .backgroundWindow(deadline: line.instant(90)))
        line.run(until: 100)
        #expect(line.story == ["60.0 refresh[author,note,book] background", "61.0 release time"])
    }

    @Test func eachTriggerHasAKnobOfItsOwn() {
        for knob in [
            \SchedulePolicy.activeQuietSeconds, \.connectivityQuietSeconds, \.backgroundQuietSeconds,
        ] {
            var policy = SchedulePolicy()
            policy.periodSeconds = .infinity
            policy[keyPath: knob] = .infinity
            var line = Timeline(policy: policy, lastSuccess: 0)
            line.at(0, .appBecameActive)
            line.at(10, .appEnteredBackground)
            line.at(20, .appBecameActive)
            line.at(30, .connectivity(isOnline: false))
            line.at(40, .connectivity(isOnline: true))
            line.at(50, .appEnteredBackground)
            line.at(60, .backgroundWindow(deadline: line.instant(90)))
            line.run(until: 1000)
            let all: [(PartialKeyPath<SchedulePolicy>, Double)] = [
                (\SchedulePolicy.activeQuietSeconds, 20), (\.connectivityQuietSeconds, 40),
                (\.backgroundQuietSeconds, 60),
            ]
            #expect(starts(line) == [0] + all.filter { $0.0 != knob }.map(\.1))
        }
    }

    @Test func aSyncThatRunsForLongIsFollowedByAnother() {
        var line = Timeline()
        line.syncSeconds = 60
        line.at(0, .appBecameActive)
        line.at(3, .connectivity(isOnline: false))
        line.at(4, .connectivity(isOnline: true))
        line.at(30, .connectivity(isOnline: false))
        line.at(31, .connectivity(isOnline: true))
        line.run(until: 500)
        #expect(starts(line) == [0, 60])
    }

    @Test func quietTimeIsWaitedForHoweverLongItIs() {
        var policy = SchedulePolicy()
        policy.debounceSeconds = 30
        var line = Timeline(policy: policy)
        for second in 0..<20 { line.write(at: Double(second)) }
        line.run(until: 100)
        // Within 30 seconds of the first, as nobody asked for a longer delay.
        #expect(starts(line) == [30])
        var patient = Timeline(policy: policy)
        patient.write(at: 0)
        patient.run(until: 100)
        #expect(starts(patient) == [30])
    }

    @Test func failuresAreTriedAgainWithinFiveMinutes() {
        var line = Timeline()
        line.syncSeconds = 0
        line.fraction = 0.999
        line.usualEnding = .failed(SyncFailure(.later))
        line.write(at: 0)
        line.run(until: 36_000)
        let gaps = zip(starts(line), starts(line).dropFirst()).map { $1 - $0 }
        #expect(gaps.max().map { $0 > 250 && $0 <= 300 } == true)
    }

    @Test func backgroundTimeThatEndsInFailureSaysSo() {
        var line = Timeline()
        line.usualEnding = .failed(SyncFailure(.later))
        line.at(0, .backgroundWindow(deadline: line.instant(4.5)))
        line.run(until: 100)
        #expect(line.story == ["0.0 refresh[author,note,book] background", "1.0 release time, failed"])
    }
}
