import EntitySync
import Foundation
import SyncChecks
import SyncEntities
import Testing

/// What a space is opened with.
@Suite struct OpeningTests {
    let stage: Stage

    init() throws { stage = try Stage() }

    @Test func aMissingParentIsAnErrorThatNamesIt() async throws {
        var configuration = SpaceConfiguration(
            folder: stage.scratch.path + "/phone",
            entities: [Bookmark.self, Clip.self]
        )
        let error = try #require(throws: SyncError.self) { try SyncSpace.open(configuration) }
        #expect(error.kind == .usage)
        #expect(error.message.contains("'pin'"))
        #expect(error.message.contains("clip") && error.message.contains("'pinId'"))
        #expect(!FileManager.default.fileExists(atPath: configuration.folder))
        let accounts = AccountsConfiguration(folder: configuration.folder, entities: [Clip.self]) {
            [stage] account in
            try stage.remote(device: "phone", person: account.text ?? "")
        }
        await #expect(throws: error) { try await SyncAccounts.open(accounts) }
        configuration.entities.append(Pin.self)
        try SyncSpace.open(configuration).close()
    }

    @Test func theRegistryOfAModuleIsEnough() throws {
        let types = SyncEntities.SyncRegistry.types
        let names = types.map { $0.adapter.descriptor.name }
        #expect(names == ["bookmark", "project", "read-status", "transaction"])
        #expect(names == SyncEntities.SyncRegistry.descriptors.map(\.name))
        let configuration = SpaceConfiguration(folder: stage.scratch.path + "/phone", entities: types)
        let space = try SyncSpace.open(configuration)
        try space.bookmarks.insert(.verse(verse: 1))
        #expect(try space.transactions.count == 0)
    }

    @Test func registriesOfTwoModulesStandBesideEachOther() throws {
        // This module's own, and that of a module that it imports.
        let own = SyncRegistry.types.map { $0.adapter.descriptor.name }
        #expect(
            own == [
                "article", "letter", "meeting", "member", "pin", "recipe", "seat", "shelf", "book", "clip",
                "club",
                "step",
            ]
        )
        let space = try SyncSpace.temporary(entities: SyncRegistry.types + SyncEntities.SyncRegistry.types)
        try space.collection(Pin.self).insert(Pin(id: "p", label: "home"))
        try space.collection(Clip.self).insert(Clip(id: "c", pinId: "p"))
        #expect(try space.bookmarks.count == 0)
    }

    @Test func aTemporarySpaceReadsWritesObservesAndSyncsAsAnyOther() async throws {
        let environment = SpaceEnvironment(clock: stage.time, random: SeededRandom(1), sleeper: stage.time)
        // Both are given the same seed, and are two spaces nevertheless.
        let spaces = try [1, 2].map { _ in
            try SyncSpace.temporary(
                entities: Stage.entities,
                remote: try stage.remote(device: "phone", person: "ada"),
                in: stage.scratch.path,
                environment: environment
            )
        }
        #expect(try folders().count == 2)
        var values = spaces[0].bookmarks.observe().makeAsyncIterator()
        #expect(try await values.next() == [])
        try await spaces[0].bookmarks.insert(.verse(verse: 1, notes: "kept"))
        #expect(try await values.next()?.map(\.notes) == ["kept"])
        #expect(try spaces[1].bookmarks.count == 0)
        try await spaces[0].sync()
        #expect(try spaces[0].status().isInSync)
        spaces[0].close()
        #expect(try folders().count == 1)
        #expect(try await values.next() == nil)
        #expect(throws: SyncError.self) { try spaces[0].bookmarks.all() }
        spaces[1].close()
    }

    @Test func aTemporarySpaceLivesAsLongAsSomebodyUsesIt() throws {
        do {
            let bookmarks = try temporary().bookmarks
            try bookmarks.insert(.verse(verse: 1))
            #expect(try bookmarks.count == 1)
            #expect(try folders().count == 1)
        }
        #expect(try folders().isEmpty)
    }

    @Test func aTemporarySpaceWithoutAPlaceIsAnError() throws {
        let error = #expect(throws: SyncError.self) {
            try SyncSpace.temporary(entities: Stage.entities, in: stage.scratch.path + "/none")
        }
        #expect(error?.kind == .inputOutput)
    }

    private func temporary() throws -> SyncSpace {
        try SyncSpace.temporary(entities: Stage.entities, in: stage.scratch.path)
    }

    private func folders() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: stage.scratch.path)
            .filter { $0.hasPrefix("entitysync-") }
    }
}
