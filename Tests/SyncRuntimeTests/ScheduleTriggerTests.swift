import SyncCore
import SyncRuntime
import SyncSchedule
import Testing

/// What happens outside starts a sync at once, each with a knob of its own.
@Suite struct ScheduleTriggerTests {
    private func starts(line: Timeline) -> [Double] { line.starts.map { Double($0) / 1_000_000 } }

    @Test(arguments: [ScheduleEvent.appBecameActive, .connectivity(isOnline: true), .hint(entities: nil)])
    func nothingIsTooFreshToBeSyncedAgainAfterAFewSeconds(event: ScheduleEvent) {
        var policy = SchedulePolicy()
        policy.debounceSeconds = 0
        var line = Timeline(policy: policy)
        line.at(seconds: 0, event: .appBecameActive)
        line.at(seconds: 5, event: .connectivity(isOnline: false))
        if event != .connectivity(isOnline: true) {
            line.at(seconds: 5.5, event: .connectivity(isOnline: true))
        }
        line.at(seconds: 20, event: event)
        line.run(until: 100)
        #expect(starts(line: line).last == 20)
    }

    @Test func backgroundTimeIsUsedThoughASyncEndedAMinuteAgo() {
        var line = Timeline(lastSuccess: 0)
        line.at(seconds: 60, event: .backgroundWindow(deadline: line.instant(seconds: 90)))
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
            line.at(seconds: 0, event: .appBecameActive)
            line.at(seconds: 10, event: .appEnteredBackground)
            line.at(seconds: 20, event: .appBecameActive)
            line.at(seconds: 30, event: .connectivity(isOnline: false))
            line.at(seconds: 40, event: .connectivity(isOnline: true))
            line.at(seconds: 50, event: .appEnteredBackground)
            line.at(seconds: 60, event: .backgroundWindow(deadline: line.instant(seconds: 90)))
            line.run(until: 1000)
            let all: [(PartialKeyPath<SchedulePolicy>, Double)] = [
                (\SchedulePolicy.activeQuietSeconds, 20), (\.connectivityQuietSeconds, 40),
                (\.backgroundQuietSeconds, 60),
            ]
            #expect(starts(line: line) == [0] + all.filter { $0.0 != knob }.map(\.1))
        }
    }

    @Test func aSyncThatRunsForLongIsFollowedByAnother() {
        var line = Timeline()
        line.syncSeconds = 60
        line.at(seconds: 0, event: .appBecameActive)
        line.at(seconds: 3, event: .connectivity(isOnline: false))
        line.at(seconds: 4, event: .connectivity(isOnline: true))
        line.at(seconds: 30, event: .connectivity(isOnline: false))
        line.at(seconds: 31, event: .connectivity(isOnline: true))
        line.run(until: 500)
        #expect(starts(line: line) == [0, 60])
    }

    @Test func quietTimeIsWaitedForHoweverLongItIs() {
        var policy = SchedulePolicy()
        policy.debounceSeconds = 30
        var line = Timeline(policy: policy)
        for second in 0..<20 { line.write(at: Double(second)) }
        line.run(until: 100)
        // Within 30 seconds of the first, as nobody asked for a longer delay.
        #expect(starts(line: line) == [30])
        var patient = Timeline(policy: policy)
        patient.write(at: 0)
        patient.run(until: 100)
        #expect(starts(line: patient) == [30])
    }

    @Test func failuresAreTriedAgainWithinFiveMinutes() {
        var line = Timeline()
        line.syncSeconds = 0
        line.fraction = 0.999
        line.usualEnding = .failed(Setback(retry: .later))
        line.write(at: 0)
        line.run(until: 36_000)
        let gaps = zip(starts(line: line), starts(line: line).dropFirst()).map { $1 - $0 }
        #expect(gaps.max().map { $0 > 250 && $0 <= 300 } == true)
    }

    @Test func backgroundTimeThatEndsInFailureSaysSo() {
        var line = Timeline()
        line.usualEnding = .failed(Setback(retry: .later))
        line.at(seconds: 0, event: .backgroundWindow(deadline: line.instant(seconds: 4.5)))
        line.run(until: 100)
        #expect(line.story == ["0.0 refresh[author,note,book] background", "1.0 release time, failed"])
    }
}
