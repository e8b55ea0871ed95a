import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

@testable import EntitySync

/// When an observation reads again, and when not: after a commit to its entity, but not after one to another entity or a
/// sync that brings none of it. How much it then reads is told by `ObservedReadTests`.
@Suite struct ReadCountTests {
    let scratch: Scratch
    let space: SyncSpace

    init() throws {
        scratch = try Scratch()
        space = try SyncSpace.open(scratch: scratch, remote: scratch.remote)
    }

    /// Reads that `event` causes in an observation of bookmarks.
    ///
    /// NB: a space that is closed ends the observation only after the signals that wait, so none is overlooked.
    private func reads(event: (SyncSpace) async throws -> Void) async throws -> Int {
        let count = Guarded(0)
        let observed = SyncObservation(store: space.store, entity: "bookmark") {
            {
                count.use { count -> Int in
                    count += 1
                    return count
                }
            }
        }
        var values = observed.makeAsyncIterator()
        #expect(try await values.next() == 1)
        try await event(space)
        space.close()
        while try await values.next() != nil {}
        return count.use { $0 } - 1
    }

    @Test func aCommitToTheEntityReadsOnce() async throws {
        #expect(try await reads { try $0.bookmarks.insert(.verse(verse: 1)) } == 1)
    }

    @Test func aCommitToAnotherEntityReadsNothing() async throws {
        #expect(try await reads { try $0.projects.insert(.named(id: "p")) } == 0)
    }

    @Test func aSyncWithNothingToDoReadsNothing() async throws {
        try await space.sync()
        #expect(try await reads { try await $0.sync() } == 0)
    }

    @Test func aSyncReadsOnlyWhatItBringsRecordsOf() async throws {
        let other = try SyncSpace.open(scratch: scratch, name: "b", remote: scratch.remote)
        try await other.projects.insert(.named(id: "p"))
        try await other.sync()
        try await space.sync()
        try await other.projects.insert(.named(id: "q"))
        try await other.sync()
        #expect(try await reads { try await $0.sync() } == 0)
    }

    @Test func aSyncThatBringsRecordsReads() async throws {
        let other = try SyncSpace.open(scratch: scratch, name: "b", remote: scratch.remote)
        try await other.bookmarks.insert(.verse(verse: 1))
        try await other.sync()
        #expect(try await reads { try await $0.sync() } == 1)
    }

    @Test func aSyncThatSendsReadsThoughNothingIsShownOtherwise() async throws {
        try await space.bookmarks.insert(.verse(verse: 1))
        #expect(try await reads { try await $0.sync() } == 1)
    }
}
