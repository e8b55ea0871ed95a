import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// What the remote refused, and what a strategy decided: listed, and in a person's hands.
@Suite struct RefusedTests {
    let stage: Stage
    let phone: SyncSpace

    init() throws {
        stage = try Stage()
        phone = try stage.space(device: "phone")
        stage.server.setFaults { _, request in
            let isPoisoned = String(decoding: request.body, as: UTF8.self).contains("poison")
            return isPoisoned ? .answer(HTTPResponse(status: 503)) : nil
        }
    }

    /// Syncs while time passes, as a refused record is tried again after waits.
    private func sync() async throws {
        let phone = phone
        _ = try await stage.passing(seconds: 60) { try await phone.sync() }
    }

    @Test func aRefusedRecordIsListedBlocksNoOtherAndGoesOnceItIsEdited() async throws {
        try await phone.bookmarks.insert(.verse(verse: 1, notes: "poison"))
        try await phone.bookmarks.insert(.verse(verse: 2, notes: "fine"))
        try await sync()
        let refused = try #require(try phone.bookmarks.rejected().first)
        #expect(refused.local?.notes == "poison")
        #expect(refused.side == .local)
        #expect(try phone.bookmarks.find(id: refused.id)?.notes == "poison")
        #expect(try phone.status().rejected == 1)
        #expect(try phone.status().pending == 0)
        try await phone.bookmarks.save(.verse(verse: 1, notes: "harmless"))
        try await sync()
        #expect(try phone.bookmarks.rejected().isEmpty)
        #expect(try phone.status().isInSync)
    }

    @Test func aRefusedRecordIsExportedRetriedOrDiscardedAndStaysInTheJournal() async throws {
        try await phone.bookmarks.insert(.verse(verse: 1, notes: "poison"))
        try await phone.bookmarks.insert(.verse(verse: 2, notes: "fine"))
        try await sync()
        let refused = try #require(try phone.bookmarks.rejected().first)
        let lines = String(decoding: try phone.exportRejected(), as: UTF8.self)
        #expect(lines.contains("poison") && lines.hasSuffix("}\n"))
        try phone.bookmarks.retry(refused)
        #expect(try phone.status().pending == 1)
        try await phone.bookmarks.insert(.verse(verse: 3, notes: "fine"))
        try await sync()
        #expect(try phone.bookmarks.rejected().map(\.attempts) == [2])
        try phone.bookmarks.discard(refused)
        #expect(try phone.bookmarks.rejected().isEmpty)
        #expect(try phone.bookmarks.count == 2)
        let decision = try #require(try phone.bookmarks.journal().first)
        #expect(decision.lost?.notes == "poison")
        #expect(throws: SyncError.self) { try phone.bookmarks.discard(refused) }
    }

    @Test func whatLostIsBroughtBackFromTheJournal() async throws {
        let tablet = try stage.space(device: "tablet")
        try await phone.projects.insert(.named(id: "p1"))
        try await phone.sync()
        try await tablet.sync()
        func rename(_ title: String, on space: SyncSpace) throws {
            var project = try #require(try space.projects.find("p1"))
            project.title = title
            try space.projects.update(project)
        }
        try rename("from the phone", on: phone)
        await stage.time.advance(seconds: 1)
        try rename("from the tablet", on: tablet)
        try await tablet.sync()
        try await phone.sync()
        let decision = try #require(try phone.projects.journal().first)
        #expect(decision.rule == "last-write-wins")
        #expect(decision.kept?.title == "from the tablet")
        #expect(decision.lost?.title == "from the phone")
        try phone.projects.restore(decision)
        try await phone.sync()
        try await tablet.sync()
        #expect(try await tablet.projects.find("p1")?.title == "from the phone")
    }
}
