import SyncCore
import SyncRuntime
import SyncSchedule
import Testing

/// Entities that a person does not want to sync at present.
@Suite struct ScheduleExclusionTests {
    @Test func aWriteOfWhatIsExcludedStartsNothing() {
        var line = Timeline()
        line.exclude("note")
        line.write(at: 0)
        line.run(until: 100)
        #expect(line.story == [])
        #expect(line.phase == .idle)
        // Once it is included, it is due with the next occasion, however recently the rest was synced.
        line.exclude()
        line.write(at: 100, name: "author")
        line.at(seconds: 102, event: .appBecameActive)
        line.run(until: 110)
        #expect(line.story == ["100.5 refresh[author] write", "102.0 launch[author,note,book] launch"])
    }

    @Test func aSyncThatIsPlannedLeavesOutWhatIsExcludedByThen() {
        var line = Timeline()
        line.write(at: 0)
        line.write(at: 0.1, name: "author")
        line.exclude("note")
        line.run(until: 100)
        #expect(line.story == ["0.6 refresh[author] write"])
    }

    @Test func ifAllThatIsPlannedIsExcludedNothingStarts() {
        var line = Timeline()
        line.write(at: 0)
        line.exclude("note")
        line.run(until: 100)
        #expect(line.story == [])
        #expect(line.phase == .idle)
    }

    @Test func aLaunchGoesOnWithTheRestIfWhatIsEssentialIsExcluded() {
        var line = Timeline(essential: ["note"])
        line.exclude("note")
        line.at(seconds: 0, event: .appBecameActive)
        line.run(until: 10)
        #expect(line.story == ["0.0 rest[author,book] launch"])
    }

    @Test func whatIsExcludedDoesNotMakeASyncDue() {
        var line = Timeline()
        line.exclude("note")
        line.at(seconds: 0, event: .appBecameActive)
        line.at(seconds: 3, event: .appEnteredBackground)
        line.at(seconds: 4, event: .appBecameActive)
        line.run(until: 20)
        #expect(line.story.count == 1)
    }

    @Test func aPersonWhoAsksGetsAnAnswerThoughAllIsExcluded() {
        var line = Timeline()
        line.exclude("author", "note", "book")
        line.at(seconds: 0, event: .manual(id: 1))
        line.run(until: 10)
        #expect(line.story == ["0.0 full[] manual", "1.0 answer 1 result"])
    }
}
