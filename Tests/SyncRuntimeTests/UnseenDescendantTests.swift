import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// A record is deleted whose author had not seen a child of it, nor that child's own children: the strategy of each
/// decides, at any depth.
@Suite struct UnseenDescendantTests {
    private static func entity(_ name: String, in parent: String? = nil, strategy: MergeStrategy)
        -> EntityDescriptor
    {
        let fields = ["id", "note", parent].compactMap { $0 }.map { field in
            FieldDescriptor(
                name: field,
                type: .string(),
                isNullable: field != "id",
                isRequired: field == "id"
            )
        }
        return EntityDescriptor(
            name: name,
            typeName: "Some" + name,
            fields: fields + Entities.times,
            key: ["id"],
            strategy: strategy,
            created: "createdAt",
            updated: "updatedAt",
            references: parent.map { [ReferenceDescriptor(field: $0, entity: $0, onDelete: .cascade)] } ?? []
        )
    }

    private static let shelf = entity("shelf", strategy: .lastWriteWins)
    private static let box = entity("box", in: "shelf", strategy: .lastWriteWins)

    /// Deletes a shelf on one device while another one puts a box with a page onto it, and gives both devices once they
    /// agree.
    private func withPage(
        _ strategy: MergeStrategy,
        place: World.Place,
        body: (_ page: EntityDescriptor, _ deleter: World.Device, _ writer: World.Device, _ world: World)
            async throws
            -> Void
    ) async throws {
        let page = Self.entity("page", in: "box", strategy: strategy)
        try await withWorld(count: 2, entities: Self.shelf, Self.box, page, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: Self.shelf, json: #"{"id":"s","note":"wood"}"#)
            try await world.converge()
            try a.delete(entity: Self.shelf, key: "s")
            try b.put(entity: Self.box, json: #"{"id":"b","note":"red","shelf":"s"}"#)
            try b.put(entity: page, json: #"{"id":"p","note":"written","box":"b"}"#)
            try await world.converge()
            try await body(page, a, b, world)
        }
    }

    private func expectLive(_ device: World.Device, page: EntityDescriptor, only expected: [String]) throws {
        let places = [(Self.shelf, "s"), (Self.box, "b"), (page, "p")]
        let live = try places.filter { try device.local(entity: $0.0, key: $0.1)?.visibility == .live }
        #expect(live.map(\.1) == expected)
    }

    @Test(arguments: World.Place.allCases)
    func aPageThatGoesWithItsBoxIsInTheJournal(place: World.Place) async throws {
        try await withPage(.lastWriteWins, place: place) { page, a, b, world in
            for device in world.devices { try expectLive(device, page: page, only: []) }
            let lost = try world.devices.flatMap { device in
                try device.journal().filter { !$0.lost.isDeleted }.map { (device: device, entry: $0) }
            }
            #expect(Set(lost.map(\.entry.lost.entity)) == ["box", "page"])
            let (owner, entry) = try #require(lost.first { $0.entry.lost.entity == "page" })
            _ = try owner.writer.restore(journal: entry.id, withParents: true)
            try await world.converge()
            for device in world.devices { try expectLive(device, page: page, only: ["s", "b", "p"]) }
        }
    }

    @Test(arguments: World.Place.allCases)
    func aPageThatNeedsItsBoxBringsBackAllAboveIt(place: World.Place) async throws {
        try await withPage(.setUnion, place: place) { page, _, _, world in
            for device in world.devices { try expectLive(device, page: page, only: ["s", "b", "p"]) }
        }
    }

    @Test(arguments: World.Place.allCases)
    func theWriterOfAPageIsAskedAndKeepingItBringsBackAllAboveIt(place: World.Place) async throws {
        try await withPage(.preserveLocal, place: place) { page, a, b, world in
            try expectLive(b, page: page, only: ["p"])
            #expect(try b.local(entity: page, key: "p")?.state == .conflict)
            try b.resolve(entity: page, key: "p", resolution: .local)
            try expectLive(b, page: page, only: ["s", "b", "p"])
            try await world.converge()
            for device in world.devices { try expectLive(device, page: page, only: ["s", "b", "p"]) }
        }
    }

    @Test(arguments: World.Place.allCases)
    func theWriterOfAPageIsAskedAndMayLetItGo(place: World.Place) async throws {
        try await withPage(.preserveLocal, place: place) { page, a, b, world in
            try b.resolve(entity: page, key: "p", resolution: .remote)
            try await world.converge()
            for device in world.devices { try expectLive(device, page: page, only: []) }
        }
    }
}
