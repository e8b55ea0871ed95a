import SyncCore
import SyncRuntime
import SyncSchedule
import Testing

/// Writes, hints, and people who ask.
@Suite struct ScheduleWriteTests {
    @Test func fiveQuickWritesMakeOneSync() {
        var line = Timeline()
        for tenth in 0..<5 { line.write(at: Double(tenth) / 10) }
        #expect(line.phase == .waiting(until: line.instant(seconds: 0.9), why: [.write]))
        line.run(until: 100)
        #expect(line.story == ["0.9 refresh[note] write"])
        #expect(line.phase == .idle)
    }

    @Test func eachWriteMovesTheSync() {
        var line = Timeline()
        line.write(at: 0.0)
        line.write(at: 0.3)
        line.run(until: 100)
        #expect(line.story == ["0.8 refresh[note] write"])
    }

    @Test func aStreamOfWritesIsNotStarved() {
        var line = Timeline()
        for step in 0..<67 { line.write(at: Double(step) * 0.3) }
        line.run(until: 100)
        #expect(
            line.story == [
                "5.0 refresh[note] write", "10.1 refresh[note] write", "15.2 refresh[note] write",
                "20.3 refresh[note] write",
            ]
        )
    }

    @Test func writesDuringASyncMakeExactlyOneMore() {
        var line = Timeline()
        line.syncSeconds = 10
        line.write(at: 0.0)
        for second in [2.0, 3.0, 9.0] { line.write(at: second) }
        line.run(until: 100)
        #expect(line.story == ["0.5 refresh[note] write", "10.5 refresh[note] write"])
    }

    @Test func aWriteJustBeforeTheEndOfASyncStillWaitsForQuiet() {
        var line = Timeline()
        line.syncSeconds = 10
        line.write(at: 0.0)
        line.write(at: 10.4)
        line.run(until: 100)
        #expect(line.story == ["0.5 refresh[note] write", "10.9 refresh[note] write"])
    }

    @Test func aRefreshCoversWhatWasWrittenAndWhatThatRefersTo() {
        var line = Timeline()
        line.write(at: 0.0, name: "book")
        line.at(seconds: 20, event: .hint(entities: ["note"]))
        line.at(seconds: 20.1, event: .hint(entities: ["book"]))
        line.at(seconds: 40, event: .hint(entities: nil))
        line.run(until: 100)
        #expect(
            line.story == [
                "0.5 refresh[author,book] write", "20.6 refresh[author,note,book] hint",
                "40.5 refresh[author,note,book] hint",
            ]
        )
    }

    @Test func twoPullsToRefreshAtOnceAreOneSync() {
        var line = Timeline()
        line.at(seconds: 1.0, event: .manual(id: 1))
        line.at(seconds: 1.2, event: .manual(id: 2))
        line.run(until: 100)
        #expect(line.story == ["1.0 full[author,note,book] manual", "2.0 answer 1,2 result"])
    }

    @Test func aRequestDuringAnotherSyncRunsOnceAfterIt() {
        var line = Timeline()
        line.syncSeconds = 10
        line.write(at: 0.0)
        line.at(seconds: 1.0, event: .manual(id: 1))
        line.at(seconds: 2.0, event: .manual(id: 2))
        line.run(until: 100)
        #expect(
            line.story == [
                "0.5 refresh[note] write", "10.5 full[author,note,book] manual", "20.5 answer 1,2 result",
            ]
        )
    }

    @Test func aRequestAfterAWriteNeverJoinsASyncThatBeganBeforeIt() {
        var line = Timeline()
        line.at(seconds: 1.0, event: .manual(id: 1))
        line.write(at: 1.1)
        line.at(seconds: 1.2, event: .manual(id: 2))
        line.run(until: 100)
        #expect(
            line.story == [
                "1.0 full[author,note,book] manual", "2.0 answer 1 result",
                "2.0 full[author,note,book] manual+write", "3.0 answer 2 result",
            ]
        )
    }

    @Test func aRequestTakesWaitingWritesAlong() {
        var line = Timeline()
        line.write(at: 0.0)
        line.at(seconds: 0.1, event: .manual(id: 1))
        line.run(until: 100)
        #expect(line.story == ["0.1 full[author,note,book] manual+write", "1.1 answer 1 result"])
    }

    @Test func nothingStartsAfterTheStop() {
        var line = Timeline()
        line.syncSeconds = 10
        line.at(seconds: 0, event: .appBecameActive)
        line.at(seconds: 1, event: .manual(id: 1))
        line.at(seconds: 2, event: .stop)
        line.at(seconds: 3, event: .manual(id: 2))
        line.write(at: 4)
        line.run(until: 10_000)
        #expect(
            line.story == [
                "0.0 launch[author,note,book] launch", "2.0 cancel", "2.0 answer 1 stopped",
                "3.0 answer 2 stopped",
            ]
        )
        #expect(line.phase == .stopped)
    }
}
