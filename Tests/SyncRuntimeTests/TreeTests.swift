import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Folders in folders: moves on several devices never make a circle, and a delete takes only what is still inside.
@Suite struct TreeTests {
    /// How folders merge.
    enum Kind: CaseIterable, CustomTestStringConvertible {
        case wholeRecord, byField, addWins, asked, askedByField

        var testDescription: String { "\(strategy.rawValue), \(granularity.rawValue)" }

        var strategy: MergeStrategy {
            switch self {
            case .wholeRecord, .byField: .lastWriteWins
            case .addWins: .setUnion
            case .asked, .askedByField: .preserveLocal
            }
        }

        var granularity: MergeGranularity { self == .byField || self == .askedByField ? .field : .record }

        func folder(_ rule: DeleteRule = .cascade, isRequired: Bool = false, isCyclic: Bool = false)
            -> EntityDescriptor
        {
            EntityDescriptor(
                name: "folder",
                typeName: "Folder",
                fields: [
                    FieldDescriptor(name: "id", type: .string(), isRequired: true),
                    FieldDescriptor(name: "name", type: .string(), isNullable: true),
                    FieldDescriptor(
                        name: "parentId",
                        type: .string(),
                        isNullable: !isRequired,
                        isRequired: isRequired
                    ),
                ] + Entities.times,
                key: ["id"],
                strategy: strategy,
                granularity: granularity,
                created: "createdAt",
                updated: "updatedAt",
                references: [
                    ReferenceDescriptor(
                        field: "parentId",
                        entity: "folder",
                        onDelete: rule,
                        isCyclic: isCyclic
                    )
                ]
            )
        }
    }

    private func put(_ device: World.Device, _ folder: EntityDescriptor, _ key: String, in parent: String?)
        throws
    {
        let parent = parent.map { "\"\($0)\"" } ?? "null"
        try device.put(entity: folder, json: #"{"id":"\#(key)","parentId":\#(parent)}"#)
    }

    private func expectParents(
        _ world: World,
        _ folder: EntityDescriptor,
        _ expected: [String: String?],
        _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for device in world.devices {
            for (key, parent) in expected {
                let local = try device.local(entity: folder, key: key)
                #expect(local?.visibility == .live, "\(key)", sourceLocation: sourceLocation)
                let value = try device.value(entity: folder, key: key, field: "parentId")?.string
                #expect(value == parent, "\(key): \(comment ?? "")", sourceLocation: sourceLocation)
            }
            #expect(
                try device.store.read { try $0.circles(entity: folder) }.isEmpty,
                sourceLocation: sourceLocation
            )
        }
        let exports = try world.devices.map { try $0.export(entity: folder, includeHidden: true) }
        for export in exports { #expect(export == exports[0], sourceLocation: sourceLocation) }
    }

    @Test(arguments: World.Place.allCases, Kind.allCases)
    func twoMovesIntoEachOtherUndoTheEarlierOne(place: World.Place, kind: Kind) async throws {
        let folder = kind.folder()
        for order in permutations(values: [0, 1, 2]) {
            try await withWorld(count: 3, entities: folder, place: place) { world in
                let (a, b) = (world.devices[0], world.devices[1])
                try put(a, folder, "root", in: nil)
                for key in ["x", "y"] { try put(a, folder, key, in: "root") }
                try await world.converge()
                a.clock.advance(seconds: 10)
                b.clock.advance(seconds: 20)
                try put(a, folder, "x", in: "y")
                try put(b, folder, "y", in: "x")
                try await world.converge(order: order)
                try expectParents(world, folder, ["x": "root", "y": "x"], "\(order)")
                let entries = try world.devices.flatMap { try $0.journal() }.filter { $0.rule == "circle" }
                #expect(!entries.isEmpty)
                #expect(entries.allSatisfy { $0.lost.record.values.contains(.text("y")) })
            }
        }
    }

    @Test(arguments: World.Place.allCases, Kind.allCases)
    func aCircleOfThreeMovesIsBrokenAlikeEverywhere(place: World.Place, kind: Kind) async throws {
        let folder = kind.folder()
        for order in permutations(values: [0, 1, 2]) {
            try await withWorld(count: 3, entities: folder, place: place) { world in
                for key in ["x", "y", "z"] { try put(world.devices[0], folder, key, in: nil) }
                try await world.converge()
                for (index, (key, parent)) in [("x", "y"), ("y", "z"), ("z", "x")].enumerated() {
                    world.devices[index].clock.advance(seconds: 10 * Int64(3 - index))
                    try put(world.devices[index], folder, key, in: parent)
                }
                try await world.converge(order: order)
                try expectParents(world, folder, ["x": "y", "y": "z", "z": nil], "\(order)")
            }
        }
    }

    @Test(arguments: World.Place.allCases, Kind.allCases)
    func aMoveWhoseFormerPlaceIsInTheCircleEndsWithoutAParent(place: World.Place, kind: Kind) async throws {
        let folder = kind.folder()
        try await withWorld(count: 2, entities: folder, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try put(a, folder, "root", in: nil)
            try put(a, folder, "x", in: "root")
            try put(a, folder, "y", in: "x")
            try put(a, folder, "z", in: "y")
            try await world.converge()
            // A moves z out and y into it; B moves x into y, which is still inside of x there... from elsewhere.
            a.clock.advance(seconds: 5)
            b.clock.advance(seconds: 60)
            try put(a, folder, "z", in: "root")
            try put(a, folder, "y", in: "z")
            try put(b, folder, "y", in: "root")
            try put(b, folder, "x", in: "z")
            try put(b, folder, "z", in: "root")
            try await world.converge()
            for device in world.devices {
                #expect(try device.store.read { try $0.circles(entity: folder) }.isEmpty)
                #expect(try device.export(entity: folder).count == 4)
            }
        }
    }

    @Test(arguments: World.Place.allCases, Kind.allCases)
    func aRequiredParentIsTheFormerOne(place: World.Place, kind: Kind) async throws {
        let folder = kind.folder(isRequired: true)
        try await withWorld(count: 2, entities: folder, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            for key in ["x", "y"] { try put(a, folder, key, in: "outside") }
            try await world.converge()
            a.clock.advance(seconds: 10)
            b.clock.advance(seconds: 20)
            try put(a, folder, "x", in: "y")
            try put(b, folder, "y", in: "x")
            try await world.converge()
            for device in world.devices {
                #expect(try device.store.read { try $0.circles(entity: folder) }.isEmpty)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func aFolderIsNotPutIntoItself(kind: Kind) async throws {
        let folder = kind.folder()
        try await withWorld(count: 1, entities: folder) { world in
            let device = world.devices[0]
            try put(device, folder, "x", in: nil)
            try put(device, folder, "y", in: "x")
            try put(device, folder, "z", in: "y")
            for parent in ["x", "y", "z"] {
                let error = #expect(throws: SyncError.self) { try put(device, folder, "x", in: parent) }
                #expect(error?.kind == .invalidInput)
                #expect(error?.message.contains("'parentId'") == true)
            }
            try put(device, folder, "y", in: nil)
            try put(device, folder, "x", in: "z")
        }
    }

    @Test func circlesAreLeftWhereTheSchemaAllowsThem() async throws {
        let folder = Kind.wholeRecord.folder(isCyclic: true)
        try await withWorld(count: 2, entities: folder) { world in
            let device = world.devices[0]
            try put(device, folder, "x", in: nil)
            try put(device, folder, "y", in: "x")
            try put(device, folder, "x", in: "y")
            try await world.converge()
            #expect(try world.devices[1].value(entity: folder, key: "x", field: "parentId")?.string == "y")
            #expect(try device.store.read { try $0.circles(entity: folder) }.isEmpty, "no tree, no circle")
        }
    }

    // MARK: Deletes

    @Test(arguments: World.Place.allCases, Kind.allCases)
    func aFolderThatWasMovedOutMeanwhileOutlivesItsFormerParent(place: World.Place, kind: Kind) async throws {
        let folder = kind.folder()
        for order in permutations(values: [0, 1, 2]) {
            for isLater in [false, true] {
                try await withWorld(count: 3, entities: folder, place: place) { world in
                    let (a, b) = (world.devices[0], world.devices[1])
                    for key in ["z", "q"] { try put(a, folder, key, in: nil) }
                    try put(a, folder, "m", in: "z")
                    try put(a, folder, "leaf", in: "m")
                    try await world.converge()
                    a.clock.advance(seconds: isLater ? 60 : 1)
                    b.clock.advance(seconds: 20)
                    try a.delete(entity: folder, key: "z")
                    try put(b, folder, "m", in: "q")
                    try await world.converge(order: order)
                    for device in world.devices {
                        for key in try device.conflicts(entity: folder) {
                            let isDeleted =
                                try device.local(entity: folder, key: key)?.version.isDeleted == true
                            try device.resolve(
                                entity: folder,
                                key: key,
                                resolution: isDeleted ? .remote : .local
                            )
                        }
                    }
                    try await world.converge(order: order)
                    try expectParents(
                        world,
                        folder,
                        ["q": nil, "m": "q", "leaf": "m"],
                        "\(order), \(isLater)"
                    )
                    for device in world.devices {
                        #expect(try device.local(entity: folder, key: "z")?.visibility == .deleted)
                    }
                }
            }
        }
    }

    @Test(arguments: World.Place.allCases, [Kind.wholeRecord, .byField])
    func anEditThatGoesWithItsParentIsInTheJournalAndCounted(place: World.Place, kind: Kind) async throws {
        let folder = kind.folder()
        for isLater in [false, true] {
            try await withWorld(count: 2, entities: folder, place: place) { world in
                let (a, b) = (world.devices[0], world.devices[1])
                try put(a, folder, "z", in: nil)
                try put(a, folder, "m", in: "z")
                try await world.converge()
                a.clock.advance(seconds: isLater ? 60 : 1)
                b.clock.advance(seconds: 20)
                try a.delete(entity: folder, key: "z")
                try b.put(entity: folder, json: #"{"id":"m","name":"a word"}"#)
                try await world.converge()
                let counts = try world.devices.map { device in
                    try device.store.read {
                        try SyncStatus(snapshot: $0, entities: [folder]).deletedWithParent
                    }
                }
                #expect(counts.contains { $0 > 0 }, "\(isLater)")
                let lost = try world.devices.flatMap { try $0.journal() }.filter { !$0.lost.isDeleted }
                #expect(lost.contains { $0.lost.record.values.contains(.text("a word")) })
            }
        }
    }
}
