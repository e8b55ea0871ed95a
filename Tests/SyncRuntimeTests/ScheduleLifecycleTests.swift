import SyncCore
import SyncRuntime
import SyncSchedule
import Testing

/// An app that starts, leaves, is woken and comes back.
@Suite struct ScheduleLifecycleTests {
    @Test func theRestIsExactlyWhatTheLaunchHasLeft() {
        // A book refers to an author, which is essential and synced already.
        var line = Timeline(essential: ["author"])
        line.at(seconds: 0, event: .appBecameActive)
        line.run(until: 5)
        #expect(line.story == ["0.0 launch[author] launch", "1.0 rest[note,book] launch"])
    }

    @Test func theEssentialEntitiesComeFirstAndTheRestAfterThem() {
        var line = Timeline(essential: ["book"])
        line.at(seconds: 0, event: .appBecameActive)
        line.run(until: 10)
        // A book refers to its author, who comes before it.
        #expect(line.story == ["0.0 launch[author,book] launch", "1.0 rest[note] launch"])
    }

    @Test func aLaunchThatFailsBeginsAgainWithTheEssentialOnes() {
        var line = Timeline(essential: ["note"])
        line.endings = [
            .failed(Setback(retry: .later)), .synced, .failed(Setback(retry: .later)), .synced,
        ]
        line.at(seconds: 0, event: .appBecameActive)
        line.run(until: 10)
        #expect(
            line.story == [
                "0.0 launch[note] launch", "2.0 launch[note] launch", "3.0 rest[author,book] launch",
                "5.0 rest[author,book] launch",
            ]
        )
    }

    @Test func writesDuringTheLaunchGoWithTheRest() {
        var line = Timeline(essential: ["note"])
        line.at(seconds: 0, event: .appBecameActive)
        line.write(at: 0.2, name: "book")
        line.run(until: 10)
        #expect(line.story == ["0.0 launch[note] launch", "1.0 rest[author,book] launch+write"])
    }

    @Test func comingBackSyncsAtOnceUnlessASyncJustBegan() {
        var line = Timeline()
        line.at(seconds: 0, event: .appBecameActive)
        line.at(seconds: 4, event: .appEnteredBackground)
        line.at(seconds: 5, event: .appBecameActive)
        line.at(seconds: 9, event: .appEnteredBackground)
        line.at(seconds: 10, event: .appBecameActive)
        line.at(seconds: 10.5, event: .appBecameActive)
        line.run(until: 100)
        #expect(
            line.story == [
                "0.0 launch[author,note,book] launch", "10.0 refresh[author,note,book] active",
            ]
        )
    }

    @Test func theForegroundIsSyncedPeriodicallyWithJitterAndTheBackgroundIsNot() {
        var line = Timeline()
        line.at(seconds: 0, event: .appBecameActive)
        line.run(until: 2000)
        line.at(seconds: 2000, event: .appEnteredBackground)
        line.run(until: 20_000)
        // 900 seconds and half of a tenth after the end of the sync before.
        #expect(
            line.story == [
                "0.0 launch[author,note,book] launch", "946.0 full[author,note,book] periodic",
                "1892.0 full[author,note,book] periodic",
            ]
        )
    }

    @Test func leavingSendsWhatWasJustWrittenAndAsksForTime() {
        var line = Timeline(lastSuccess: 0)
        line.write(at: 1)
        line.at(seconds: 1.1, event: .appEnteredBackground)
        line.at(seconds: 1.2, event: .backgroundWindow(deadline: line.instant(seconds: 31)))
        line.run(until: 100)
        #expect(line.story == ["1.1 request time", "1.1 refresh[note] write", "2.1 release time"])
    }

    @Test func backgroundTimeRefreshesAndIsGivenBack() {
        var line = Timeline()
        line.syncSeconds = 4
        line.at(seconds: 100, event: .backgroundWindow(deadline: line.instant(seconds: 130)))
        line.run(until: 200)
        #expect(line.story == ["100.0 refresh[author,note,book] background", "104.0 release time"])
    }

    @Test func aSyncIsCancelledBeforeTheGrantedTimeEnds() {
        var line = Timeline()
        line.syncSeconds = 60
        line.at(seconds: 100, event: .backgroundWindow(deadline: line.instant(seconds: 130)))
        line.run(until: 1000)
        #expect(
            line.story == [
                "100.0 refresh[author,note,book] background", "127.0 cancel", "127.0 release time, failed",
            ]
        )
        #expect(line.phase == .suspended)
        line.syncSeconds = 1
        line.at(seconds: 1000, event: .appBecameActive)
        #expect(line.story.last == "1000.0 launch[author,note,book] launch")
    }

    @Test func timeThatTheSystemTakesBackEndsTheSyncAtOnceAndTheWritesStay() {
        var line = Timeline(lastSuccess: 0)
        line.syncSeconds = 60
        line.write(at: 1)
        line.at(seconds: 1.1, event: .appEnteredBackground)
        line.at(seconds: 1.2, event: .backgroundWindow(deadline: line.instant(seconds: 31)))
        line.at(seconds: 5, event: .backgroundWindowEnded)
        line.run(until: 1000)
        line.syncSeconds = 1
        line.at(seconds: 1000, event: .backgroundWindow(deadline: line.instant(seconds: 1030)))
        line.run(until: 2000)
        #expect(
            line.story == [
                "1.1 request time", "1.1 refresh[note] write", "5.0 cancel", "5.0 release time, failed",
                "1000.0 refresh[author,note,book] background+write", "1001.0 release time",
            ]
        )
    }

    @Test func timeTooShortToUseIsGivenBackUnused() {
        var line = Timeline()
        line.at(seconds: 100, event: .backgroundWindow(deadline: line.instant(seconds: 102)))
        line.run(until: 200)
        #expect(line.story == ["100.0 release time, failed"])
    }

    @Test func aRetryThatFallsWithinTheGrantedTimeIsTaken() {
        var line = Timeline()
        line.endings = [.failed(Setback(retry: .later))]
        line.at(seconds: 100, event: .backgroundWindow(deadline: line.instant(seconds: 130)))
        line.run(until: 200)
        #expect(
            line.story == [
                "100.0 refresh[author,note,book] background", "102.0 refresh[author,note,book] background",
                "103.0 release time",
            ]
        )
    }

    @Test func comingBackDuringGrantedTimeLetsTheSyncGoOn() {
        var line = Timeline()
        line.syncSeconds = 60
        line.at(seconds: 0, event: .backgroundWindow(deadline: line.instant(seconds: 30)))
        line.at(seconds: 10, event: .appBecameActive)
        line.run(until: 70)
        #expect(
            line.story == [
                "0.0 refresh[author,note,book] background", "10.0 release time",
                "60.0 launch[author,note,book] launch",
            ]
        )
    }
}
