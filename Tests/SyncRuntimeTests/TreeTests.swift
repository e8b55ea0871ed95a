import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Folders in folders: moves on several devices never make a circle, and a delete takes only what is still inside.
@Suite struct TreeTests {
    private func put(key: String, of folder: EntityDescriptor, in parent: String?, on device: World.Device)
        throws
    {
        let parent = parent.map { "\"\($0)\"" } ?? "null"
        try device.put(entity: folder, json: #"{"id":"\#(key)","parentId":\#(parent)}"#)
    }

    private func expectParents(
        _ expected: [String: String?],
        of folder: EntityDescriptor,
        in world: World,
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

    @Test(arguments: World.Place.allCases, MergeKind.allCases)
    func twoMovesIntoEachOtherUndoTheEarlierOne(place: World.Place, kind: MergeKind) async throws {
        let folder = kind.folder()
        for order in permutations(values: [0, 1, 2]) {
            try await withWorld(count: 3, entities: folder, place: place) { world in
                let (a, b) = (world.devices[0], world.devices[1])
                try put(key: "root", of: folder, in: nil, on: a)
                for key in ["x", "y"] { try put(key: key, of: folder, in: "root", on: a) }
                try await world.converge()
                a.clock.advance(seconds: 10)
                b.clock.advance(seconds: 20)
                try put(key: "x", of: folder, in: "y", on: a)
                try put(key: "y", of: folder, in: "x", on: b)
                try await world.converge(order: order)
                try expectParents(["x": "root", "y": "x"], of: folder, in: world, "\(order)")
                let entries = try world.devices.flatMap { try $0.journal() }.filter { $0.rule == "circle" }
                #expect(!entries.isEmpty)
                #expect(entries.allSatisfy { $0.lost.record.values.contains(.text("y")) })
            }
        }
    }

    @Test(arguments: World.Place.allCases, MergeKind.allCases)
    func aCircleOfThreeMovesIsBrokenAlikeEverywhere(place: World.Place, kind: MergeKind) async throws {
        let folder = kind.folder()
        for order in permutations(values: [0, 1, 2]) {
            try await withWorld(count: 3, entities: folder, place: place) { world in
                for key in ["x", "y", "z"] { try put(key: key, of: folder, in: nil, on: world.devices[0]) }
                try await world.converge()
                for (index, (key, parent)) in [("x", "y"), ("y", "z"), ("z", "x")].enumerated() {
                    world.devices[index].clock.advance(seconds: 10 * Int64(3 - index))
                    try put(key: key, of: folder, in: parent, on: world.devices[index])
                }
                try await world.converge(order: order)
                try expectParents(["x": "y", "y": "z", "z": nil], of: folder, in: world, "\(order)")
            }
        }
    }

    @Test(arguments: World.Place.allCases, MergeKind.allCases)
    func aMoveWhoseFormerPlaceIsInTheCircleEndsWithoutAParent(place: World.Place, kind: MergeKind)
        async throws
    {
        let folder = kind.folder()
        try await withWorld(count: 2, entities: folder, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try put(key: "root", of: folder, in: nil, on: a)
            try put(key: "x", of: folder, in: "root", on: a)
            try put(key: "y", of: folder, in: "x", on: a)
            try put(key: "z", of: folder, in: "y", on: a)
            try await world.converge()
            // A moves z out and y into it; B moves x into y, which is still inside of x there... from elsewhere.
            a.clock.advance(seconds: 5)
            b.clock.advance(seconds: 60)
            try put(key: "z", of: folder, in: "root", on: a)
            try put(key: "y", of: folder, in: "z", on: a)
            try put(key: "y", of: folder, in: "root", on: b)
            try put(key: "x", of: folder, in: "z", on: b)
            try put(key: "z", of: folder, in: "root", on: b)
            try await world.converge()
            for device in world.devices {
                #expect(try device.store.read { try $0.circles(entity: folder) }.isEmpty)
                #expect(try device.export(entity: folder).count == 4)
            }
        }
    }

    @Test(arguments: World.Place.allCases, MergeKind.allCases)
    func aRequiredParentIsTheFormerOne(place: World.Place, kind: MergeKind) async throws {
        let folder = kind.folder(isRequired: true)
        try await withWorld(count: 2, entities: folder, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            for key in ["x", "y"] { try put(key: key, of: folder, in: "outside", on: a) }
            try await world.converge()
            a.clock.advance(seconds: 10)
            b.clock.advance(seconds: 20)
            try put(key: "x", of: folder, in: "y", on: a)
            try put(key: "y", of: folder, in: "x", on: b)
            try await world.converge()
            for device in world.devices {
                #expect(try device.store.read { try $0.circles(entity: folder) }.isEmpty)
            }
        }
    }

    @Test(arguments: MergeKind.allCases)
    func aFolderIsNotPutIntoItself(kind: MergeKind) async throws {
        let folder = kind.folder()
        try await withWorld(count: 1, entities: folder) { world in
            let device = world.devices[0]
            try put(key: "x", of: folder, in: nil, on: device)
            try put(key: "y", of: folder, in: "x", on: device)
            try put(key: "z", of: folder, in: "y", on: device)
            for parent in ["x", "y", "z"] {
                let error = #expect(throws: SyncError.self) {
                    try put(key: "x", of: folder, in: parent, on: device)
                }
                #expect(error?.kind == .invalidInput)
                #expect(error?.message.contains("'parentId'") == true)
            }
            try put(key: "y", of: folder, in: nil, on: device)
            try put(key: "x", of: folder, in: "z", on: device)
        }
    }

    @Test func circlesAreLeftWhereTheSchemaAllowsThem() async throws {
        let folder = MergeKind.wholeRecord.folder(isCyclic: true)
        try await withWorld(count: 2, entities: folder) { world in
            let device = world.devices[0]
            try put(key: "x", of: folder, in: nil, on: device)
            try put(key: "y", of: folder, in: "x", on: device)
            try put(key: "x", of: folder, in: "y", on: device)
            try await world.converge()
            #expect(try world.devices[1].value(entity: folder, key: "x", field: "parentId")?.string == "y")
            #expect(try device.store.read { try $0.circles(entity: folder) }.isEmpty, "no tree, no circle")
        }
    }

    // MARK: Deletes

    @Test(arguments: World.Place.allCases, MergeKind.allCases)
    func aFolderThatWasMovedOutMeanwhileOutlivesItsFormerParent(place: World.Place, kind: MergeKind)
        async throws
    {
        let folder = kind.folder()
        for order in permutations(values: [0, 1, 2]) {
            for isLater in [false, true] {
                try await withWorld(count: 3, entities: folder, place: place) { world in
                    let (a, b) = (world.devices[0], world.devices[1])
                    for key in ["z", "q"] { try put(key: key, of: folder, in: nil, on: a) }
                    try put(key: "m", of: folder, in: "z", on: a)
                    try put(key: "leaf", of: folder, in: "m", on: a)
                    try await world.converge()
                    a.clock.advance(seconds: isLater ? 60 : 1)
                    b.clock.advance(seconds: 20)
                    try a.delete(entity: folder, key: "z")
                    try put(key: "m", of: folder, in: "q", on: b)
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
                        ["q": nil, "m": "q", "leaf": "m"],
                        of: folder,
                        in: world,
                        "\(order), \(isLater)"
                    )
                    for device in world.devices {
                        #expect(try device.local(entity: folder, key: "z")?.visibility == .deleted)
                    }
                }
            }
        }
    }

    @Test(arguments: World.Place.allCases, [MergeKind.wholeRecord, .byField])
    func whatLosesToTheValuesOfAChildThatWasMovedOutIsInTheJournal(place: World.Place, kind: MergeKind)
        async throws
    {
        let folder = kind.folder()
        try await withWorld(count: 2, entities: folder, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try put(key: "z", of: folder, in: nil, on: a)
            try await world.converge()
            a.clock.advance(seconds: 60)
            try a.put(entity: folder, json: #"{"id":"m","name":"later","parentId":"z"}"#)
            try a.delete(entity: folder, key: "z")
            try b.put(entity: folder, json: #"{"id":"m","name":"a word"}"#)
            try await world.converge()
            let shown = try world.devices.map {
                try $0.value(entity: folder, key: "m", field: "name")?.string
            }
            let lost = try world.devices.flatMap { try $0.journal() }
            #expect(
                shown.contains("a word")
                    || lost.contains { $0.lost.record.values.contains(.text("a word")) }
            )
        }
    }

    @Test(arguments: World.Place.allCases, [MergeKind.wholeRecord, .byField])
    func anEditThatGoesWithItsParentIsInTheJournalAndCounted(place: World.Place, kind: MergeKind) async throws
    {
        let folder = kind.folder()
        for isLater in [false, true] {
            try await withWorld(count: 2, entities: folder, place: place) { world in
                let (a, b) = (world.devices[0], world.devices[1])
                try put(key: "z", of: folder, in: nil, on: a)
                try put(key: "m", of: folder, in: "z", on: a)
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

extension MergeKind {
    fileprivate func folder(_ rule: DeleteRule = .cascade, isRequired: Bool = false, isCyclic: Bool = false)
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
