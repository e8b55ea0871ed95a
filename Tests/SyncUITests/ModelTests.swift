import EntitySync
import Foundation
import SyncCore
import SyncEntities
import Testing
import Waits

@testable import SyncUI

/// Models of queries and records, without a view.
@Suite(.timeLimit(.minutes(30))) @MainActor struct ModelTests {
    let space: SyncSpace

    init() throws { space = try SyncSpace.temporary(entities: [Bookmark.self, Project.self]) }

    /// Waits until a model says so.
    private func until(_ isSo: @MainActor () -> Bool) async throws {
        try await eventually(what: "the model says so") { isSo() }
    }

    @Test func aPreviewReadsATemporarySpaceWithoutWaiting() throws {
        let mark = try space.bookmarks.insert(.verse(1))
        let list = SyncQueryModel<Bookmark>()
        #expect(list.isLoading && list.records.isEmpty)
        list.load(in: space)
        #expect(list.records == [mark] && !list.isLoading && list.error == nil)
        let record = SyncRecordModel<Bookmark>()
        record.load(mark.id, in: space)
        #expect(record.record == mark && record.state == .pendingSync && !record.isLoading)
    }

    @Test func aQueryShowsEachChangeAndEndsWithItsSpace() async throws {
        let model = SyncQueryModel<Bookmark>()
        let query = SyncQuery<Bookmark>().sort(by: Bookmark.Fields.createdAt)
        let following = Task { await model.follow(query, in: space) }
        try await until { !model.isLoading }
        #expect(model.records.isEmpty)
        let mark = try await space.bookmarks.insert(.verse(1))
        try await until { model.records == [mark] }
        try await space.bookmarks.delete(mark.id)
        try await until { model.records.isEmpty }
        space.close()
        await following.value
        #expect(model.error == nil)
    }

    @Test func nothingOfAnotherSpaceStaysOnTheScreen() async throws {
        let mark = try await space.bookmarks.insert(.verse(1))
        let (list, record) = (SyncQueryModel<Bookmark>(), SyncRecordModel<Bookmark>())
        list.start(SyncQuery(), in: space)
        record.start(mark.id, in: space)
        try await until { list.records == [mark] && record.record == mark }
        let other = try SyncSpace.temporary(entities: [Bookmark.self, Project.self])
        list.start(SyncQuery(), in: other)
        record.start(mark.id, in: other)
        #expect(list.records.isEmpty && list.isLoading && record.record == nil)
        list.start(SyncQuery(), in: space)
        try await until { list.records == [mark] }
        list.stop()
        record.stop()
        #expect(list.records.isEmpty && record.record == nil && list.isLoading)
    }

    @Test func aQueryWithoutAnIndexIsAnErrorThatNamesIt() async {
        let model = SyncQueryModel<Bookmark>()
        await model.follow(SyncQuery().filter(Bookmark.Fields.notes == "x"), in: space)
        #expect(model.error?.message.contains("notes") == true)
        #expect(!model.isLoading && model.records.isEmpty)
        // The next query is not held up by it.
        model.load(in: space)
        #expect(model.error == nil)
    }

    @Test func anotherQueryTakesThePlaceOfTheFirst() async throws {
        let marks = await [try space.bookmarks.insert(.verse(1)), try space.bookmarks.insert(.verse(2))]
        let model = SyncQueryModel<Bookmark>()
        model.start(SyncQuery().filter(Bookmark.Fields.id == marks[0].id), in: space)
        model.start(SyncQuery().filter(Bookmark.Fields.id == marks[1].id), in: space)
        try await until { !model.isLoading }
        #expect(model.records == [marks[1]])
        var changed = marks[0]
        changed.notes = "not asked for"
        try await space.bookmarks.update(changed)
        try await space.bookmarks.delete(marks[1].id)
        try await until { model.records.isEmpty }
        #expect(model.error == nil)
    }

    @Test func aQueryThatFailsForAnotherReasonTellsThatOne() async throws {
        let model = SyncQueryModel<Bookmark>()
        for field in ["notes", "surahName"] {
            let condition =
                field == "notes" ? Bookmark.Fields.notes == "x" : Bookmark.Fields.surahName == "x"
            model.start(SyncQuery().filter(condition), in: space)
            try await until { !model.isLoading }
            #expect(model.error?.message.contains(field) == true)
        }
    }

    /// Such as of a store that another program locks for a while.
    @Test func aReadThatFailsForATimeIsTriedAgain() async throws {
        let failures = Guarded(2)
        let values = space.bookmarks.observe { _, _ in
            let fails = failures.use { count in
                defer { count -= 1 }
                return count > 0
            }
            if fails { throw SyncError.storeBusy() }
            return 7
        }
        let shown = Task { @MainActor in
            var (found, errors): ([Int], Int) = ([], 0)
            await values.follow(
                sleeper: NoSleep(),
                show: { value in
                    found.append(value)
                    space.close()
                },
                fail: { _ in errors += 1 }
            )
            return (found, errors)
        }
        let (found, errors) = await shown.value
        #expect(found == [7] && errors == 2)
    }

    @Test func aReadThatFailsForGoodIsNotTriedAgain() async throws {
        let values = space.bookmarks.observe { _, _ -> Int in throw SyncError.noSuchRecord(entity: "bookmark")
        }
        var errors = 0
        await values.follow(
            sleeper: NoSleep(),
            show: { _ in },
            fail: { _ in errors += 1 }
        )
        #expect(errors == 1)
    }

    @Test func aRecordComesAndGoesWithItsState() async throws {
        let devices = try Devices()
        let model = SyncRecordModel<Bookmark>()
        let mark = Bookmark.verse(1)
        let following = Task { await model.follow(mark.id, in: devices.phone) }
        try await until { !model.isLoading }
        #expect(model.record == nil && model.state == nil)
        try await devices.phone.bookmarks.insert(mark)
        try await until { model.state == .pendingSync }
        try await devices.phone.sync()
        try await until { model.state == .synced }
        try await devices.phone.bookmarks.delete(mark.id)
        try await until { model.record == nil && model.state == nil }
        devices.phone.close()
        await following.value
    }

    @Test func theConflictsOfAnEntityAreFollowedUntilTheyAreResolved() async throws {
        let devices = try Devices()
        let model = ConflictListModel<Bookmark>()
        let following = Task { await model.follow(devices.tablet) }
        _ = try await devices.disagree()
        try await until { model.conflicts.count == 1 }
        let conflict = try #require(model.conflicts.first)
        #expect(conflict.resolve(in: devices.tablet))
        try await until { model.conflicts.isEmpty }
        devices.tablet.close()
        await following.value
        #expect(model.error == nil)
    }
}

/// Time passes at once.
private struct NoSleep: SyncSleeper {
    func sleep(seconds: Double) async throws { try Task.checkCancellation() }
}
