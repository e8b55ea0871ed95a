import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Records that refer to their own kind, to each other in circles, to several others, or by keys of several fields.
@Suite struct RelationTests {
    private static func entity(
        _ name: String,
        fields: [FieldDescriptor],
        key: [String] = ["id"],
        strategy: MergeStrategy = .lastWriteWins,
        unique: [[String]] = [],
        references: [ReferenceDescriptor] = []
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: name,
            typeName: "Some" + name,
            fields: (key == ["id"] ? [FieldDescriptor(name: "id", type: .string(), isRequired: true)] : [])
                + fields + Entities.times,
            key: key,
            strategy: strategy,
            created: "createdAt",
            updated: "updatedAt",
            unique: unique,
            references: references
        )
    }

    private static func text(_ name: String, isRequired: Bool = false) -> FieldDescriptor {
        FieldDescriptor(name: name, type: .string(), isNullable: !isRequired, isRequired: isRequired)
    }

    private static func folder(
        _ strategy: MergeStrategy,
        rule: DeleteRule = .cascade,
        isCyclic: Bool = false
    ) -> EntityDescriptor {
        entity(
            "folder",
            fields: [text("name"), text("parentId")],
            strategy: strategy,
            references: [
                ReferenceDescriptor(field: "parentId", entity: "folder", onDelete: rule, isCyclic: isCyclic)
            ]
        )
    }

    private static let person = entity("person", fields: [text("name")], unique: [["name"]])

    private static func team(_ rule: DeleteRule, isSet: Bool = true) -> EntityDescriptor {
        entity(
            "team",
            fields: [
                text("name"),
                FieldDescriptor(
                    name: "memberIds",
                    type: .array(element: .string(), isSet: isSet),
                    merge: isSet ? .union : nil
                ),
            ],
            references: [ReferenceDescriptor(field: "memberIds", entity: "person", onDelete: rule)]
        )
    }

    private func isLive(_ device: World.Device, _ entity: EntityDescriptor, key: String) throws -> Bool {
        try device.local(entity: entity, key: key)?.visibility == .live
    }

    private func expectSame(_ world: World, _ entities: EntityDescriptor...) throws {
        for entity in entities {
            let exports = try world.devices.map { try $0.export(entity: entity, includeHidden: true) }
            for export in exports.dropFirst() { #expect(export == exports[0], "\(entity.name)") }
        }
    }

    // MARK: Records of one kind

    @Test(arguments: World.Place.allCases, MergeStrategy.allCases)
    func aDeletedFolderTakesAlongAllThatIsNestedInIt(place: World.Place, strategy: MergeStrategy) async throws
    {
        let folder = Self.folder(strategy)
        try await withWorld(count: 2, entities: folder, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: folder, json: #"{"id":"z","name":"top"}"#)
            try a.put(entity: folder, json: #"{"id":"m","name":"middle","parentId":"z"}"#)
            try a.put(entity: folder, json: #"{"id":"a","name":"leaf","parentId":"m"}"#)
            try a.put(entity: folder, json: #"{"id":"q","name":"other"}"#)
            try await world.converge()
            try a.delete(entity: folder, key: "z")
            for key in ["z", "m", "a"] { #expect(try !isLive(a, folder, key: key)) }
            try await world.converge()
            for device in world.devices {
                for key in ["z", "m", "a"] { #expect(try !isLive(device, folder, key: key)) }
                #expect(try isLive(device, folder, key: "q"))
            }
            try b.put(entity: folder, json: #"{"id":"z","name":"top again"}"#)
            try await world.converge()
            for device in world.devices {
                for key in ["z", "m", "a"] {
                    #expect(try isLive(device, folder, key: key), "brought back with it")
                }
            }
            try expectSame(world, folder)
        }
    }

    @Test(arguments: World.Place.allCases)
    func aFolderThatADeleteHadNotSeenBringsBackAllAboveIt(place: World.Place) async throws {
        let folder = Self.folder(.setUnion)
        try await withWorld(count: 2, entities: folder, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: folder, json: #"{"id":"z","name":"top"}"#)
            try a.put(entity: folder, json: #"{"id":"m","name":"middle","parentId":"z"}"#)
            try await world.converge()
            try a.delete(entity: folder, key: "z")
            try b.put(entity: folder, json: #"{"id":"new","name":"unseen","parentId":"m"}"#)
            try await world.converge()
            for device in world.devices {
                for key in ["z", "m", "new"] { #expect(try isLive(device, folder, key: key)) }
            }
            try expectSame(world, folder)
        }
    }

    @Test func aChainOfThousandsOfFoldersIsDeletedAndComesBack() async throws {
        let folder = Self.folder(.lastWriteWins)
        try await withWorld(count: 2, entities: folder) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            let depth = 3_000
            for number in 0..<depth {
                let parent = number == 0 ? "null" : "\"f\(number - 1)\""
                try a.put(entity: folder, json: #"{"id":"f\#(number)","name":"n","parentId":\#(parent)}"#)
            }
            try await world.converge()
            try a.delete(entity: folder, key: "f0")
            #expect(try a.export(entity: folder).isEmpty)
            try await world.converge()
            #expect(try b.export(entity: folder).isEmpty)
            try b.put(entity: folder, json: #"{"id":"f0","name":"again"}"#)
            #expect(try b.export(entity: folder).count == depth)
            try await world.converge()
            #expect(try a.export(entity: folder).count == depth)
        }
    }

    @Test(arguments: World.Place.allCases, MergeStrategy.allCases)
    func twoFoldersThatWerePutIntoEachOtherGoTogetherAndComeBack(
        place: World.Place,
        strategy: MergeStrategy
    ) async throws {
        let folder = Self.folder(strategy, isCyclic: true)
        try await withWorld(count: 2, entities: folder, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: folder, json: #"{"id":"x","name":"x"}"#)
            try a.put(entity: folder, json: #"{"id":"y","name":"y"}"#)
            try await world.converge()
            try a.put(entity: folder, json: #"{"id":"x","parentId":"y"}"#)
            try b.put(entity: folder, json: #"{"id":"y","parentId":"x"}"#)
            try await world.converge()
            try a.delete(entity: folder, key: "x")
            #expect(try !isLive(a, folder, key: "y"), "the circle goes as a whole")
            try await world.converge()
            for device in world.devices {
                #expect(try !isLive(device, folder, key: "x"))
                #expect(try !isLive(device, folder, key: "y"))
            }
            let again = #"{"id":"y","name":"again","parentId":"x"}"#
            if strategy == .lastWriteWins {
                #expect(throws: SyncError.self) { try b.put(entity: folder, json: again) }
            } else {
                try b.put(entity: folder, json: again)
            }
            try await world.converge()
            for key in try b.conflicts(entity: folder) {
                #expect(strategy == .preserveLocal, "only then a person is asked")
                try b.resolve(entity: folder, key: key, resolution: .local)
            }
            try await world.converge()
            try expectSame(world, folder)
            #expect(try isLive(a, folder, key: "x") == isLive(a, folder, key: "y"))
            if strategy != .lastWriteWins { #expect(try isLive(a, folder, key: "y")) }
        }
    }

    @Test func aRestrictedFolderIsDeletedOnceItIsEmpty() async throws {
        let folder = Self.folder(.lastWriteWins, rule: .restrict, isCyclic: true)
        try await withWorld(count: 1, entities: folder) { world in
            let device = world.devices[0]
            try device.put(entity: folder, json: #"{"id":"top"}"#)
            try device.put(entity: folder, json: #"{"id":"leaf","parentId":"top"}"#)
            #expect(throws: SyncError.self) { try device.delete(entity: folder, key: "top") }
            try device.delete(entity: folder, key: "leaf")
            try device.delete(entity: folder, key: "top")
            try device.put(entity: folder, json: #"{"id":"own","parentId":"own"}"#)
            try device.delete(entity: folder, key: "own")
            #expect(try device.export(entity: folder).isEmpty)
        }
    }

    // MARK: Circles of entities

    @Test(arguments: World.Place.allCases)
    func aTaskAndItsEventGoTogetherAndAreRestoredTogether(place: World.Place) async throws {
        let task = Self.entity(
            "task",
            fields: [Self.text("title"), Self.text("eventId")],
            references: [ReferenceDescriptor(field: "eventId", entity: "event", onDelete: .cascade)]
        )
        let event = Self.entity(
            "event",
            fields: [Self.text("title"), Self.text("taskId")],
            references: [ReferenceDescriptor(field: "taskId", entity: "task", onDelete: .cascade)]
        )
        try await withWorld(count: 2, entities: task, event, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: task, json: #"{"id":"t","title":"task","eventId":"e"}"#)
            try a.put(entity: event, json: #"{"id":"e","title":"event","taskId":"t"}"#)
            try await world.converge()
            #expect(try isLive(b, task, key: "t") && isLive(b, event, key: "e"))
            b.clock.advance(seconds: 5)
            try b.put(entity: event, json: #"{"id":"e","title":"edited"}"#)
            try a.delete(entity: task, key: "t")
            #expect(try !isLive(a, event, key: "e"))
            try await world.converge()
            try expectSame(world, task, event)
            #expect(
                try isLive(a, task, key: "t") == isLive(a, event, key: "e"),
                "one does not live without the other"
            )
            a.clock.advance(seconds: 60)
            b.clock.advance(seconds: 60)
            if try isLive(a, event, key: "e") { try a.delete(entity: event, key: "e") }
            try await world.converge()
            let owner = try #require(try world.devices.first { try !Self.lostEvents($0).isEmpty })
            let lost = try #require(try Self.lostEvents(owner).first)
            _ = try owner.writer.restore(journal: lost.id, withParents: true)
            try await world.converge()
            for device in world.devices {
                #expect(try isLive(device, task, key: "t") && isLive(device, event, key: "e"))
            }
            try expectSame(world, task, event)
        }
    }

    /// Entries of the journal with a value of an event.
    private static func lostEvents(_ device: World.Device) throws -> [JournalEntry] {
        try device.journal().filter { $0.lost.entity == "event" && !$0.lost.isDeleted }
    }

    // MARK: Lists of keys

    @Test(arguments: World.Place.allCases)
    func aDeletedPersonIsTakenOutOfEveryTeam(place: World.Place) async throws {
        let team = Self.team(.nullify)
        try await withWorld(count: 2, entities: Self.person, team, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            for key in ["p", "q", "r"] {
                try a.put(entity: Self.person, json: #"{"id":"\#(key)","name":"\#(key)"}"#)
            }
            try a.put(entity: team, json: #"{"id":"t","memberIds":["p","q"]}"#)
            try await world.converge()
            try b.put(entity: team, json: #"{"id":"t","memberIds":["p","q","r"]}"#)
            try b.put(entity: team, json: #"{"id":"unseen","memberIds":["p"]}"#)
            try a.delete(entity: Self.person, key: "p")
            #expect(try a.value(entity: team, key: "t", field: "memberIds")?.string == #"["q"]"#)
            try await world.converge()
            for device in world.devices {
                #expect(try device.value(entity: team, key: "t", field: "memberIds")?.string == #"["q","r"]"#)
                #expect(try device.value(entity: team, key: "unseen", field: "memberIds")?.string == "[]")
                #expect(try device.store.read { try $0.orphans(entity: team) } == 0)
            }
            try expectSame(world, Self.person, team)
        }
    }

    @Test func aListThatKeepsItsKeysNamesADeletedPersonStill() async throws {
        let team = Self.team(.keep, isSet: false)
        try await withWorld(count: 2, entities: Self.person, team) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: Self.person, json: #"{"id":"p","name":"p"}"#)
            try a.put(entity: team, json: #"{"id":"t","memberIds":["p","nobody"]}"#)
            try await world.converge()
            try a.delete(entity: Self.person, key: "p")
            try await world.converge()
            #expect(try b.value(entity: team, key: "t", field: "memberIds")?.string == #"["p","nobody"]"#)
            #expect(try b.store.read { try $0.orphans(entity: team) } == 0)
        }
    }

    @Test func aPersonInATeamThatNeedsItIsNotDeleted() async throws {
        let team = Self.team(.restrict)
        try await withWorld(count: 2, entities: Self.person, team) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: Self.person, json: #"{"id":"p","name":"p"}"#)
            try await world.converge()
            try b.put(entity: team, json: #"{"id":"t","memberIds":["p"]}"#)
            #expect(throws: SyncError.self) { try b.delete(entity: Self.person, key: "p") }
            try a.delete(entity: Self.person, key: "p")
            try await world.converge()
            for device in world.devices { #expect(try isLive(device, Self.person, key: "p")) }
            try expectSame(world, Self.person, team)
        }
    }

    @Test(arguments: World.Place.allCases)
    func aPersonThatWasMergedIsReplacedInListsByTheSurvivor(place: World.Place) async throws {
        let team = Self.team(.nullify)
        try await withWorld(count: 2, entities: Self.person, team, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: Self.person, json: #"{"id":"p2","name":"Kim"}"#)
            try a.put(entity: team, json: #"{"id":"t","memberIds":["p2"]}"#)
            try b.put(entity: Self.person, json: #"{"id":"p1","name":"Kim"}"#)
            try b.put(entity: team, json: #"{"id":"u","memberIds":["p1"]}"#)
            try await world.converge()
            for device in world.devices {
                for key in ["t", "u"] {
                    #expect(
                        try device.value(entity: team, key: key, field: "memberIds")?.string == #"["p1"]"#
                    )
                }
            }
            try expectSame(world, Self.person, team)
        }
    }

    /// The survivor's key sorts before what was in the list already.
    @Test(arguments: World.Place.allCases)
    func aListInWhichAMergedPersonWasReplacedStaysSorted(place: World.Place) async throws {
        let team = Self.team(.nullify)
        try await withWorld(count: 2, entities: Self.person, team, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: Self.person, json: #"{"id":"p5","name":"Lee"}"#)
            try a.put(entity: Self.person, json: #"{"id":"p9","name":"Kim"}"#)
            try a.put(entity: team, json: #"{"id":"t","memberIds":["p5","p9"]}"#)
            try b.put(entity: Self.person, json: #"{"id":"p1","name":"Kim"}"#)
            try await world.converge()
            for device in world.devices {
                #expect(
                    try device.value(entity: team, key: "t", field: "memberIds")?.string == #"["p1","p5"]"#
                )
            }
            try expectSame(world, Self.person, team)
        }
    }

    // MARK: Keys of several fields

    @Test(arguments: World.Place.allCases, [DeleteRule.cascade, .nullify, .restrict])
    func aReferenceToAKeyOfSeveralFieldsFollowsItsRecord(place: World.Place, rule: DeleteRule) async throws {
        let slot = Self.entity(
            "slot",
            fields: [
                Self.text("room", isRequired: true),
                FieldDescriptor(name: "hour", type: .integer(), isRequired: true),
            ],
            key: ["room", "hour"]
        )
        let booking = Self.entity(
            "booking",
            fields: [
                Self.text("room"), FieldDescriptor(name: "hour", type: .integer(), isNullable: true),
            ],
            references: [
                ReferenceDescriptor(field: "room", entity: "slot", onDelete: rule, fields: ["room", "hour"])
            ]
        )
        let room = #"é \"1\" \\ \n"#
        try await withWorld(count: 2, entities: slot, booking, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: booking, json: #"{"id":"b","room":"\#(room)","hour":9}"#)
            try a.put(entity: booking, json: #"{"id":"half","room":"\#(room)"}"#)
            #expect(try a.store.read { try $0.orphans(entity: booking) } == 1)
            let key = try a.put(entity: slot, json: #"{"room":"\#(room)","hour":9}"#)
            try a.put(entity: slot, json: #"{"room":"\#(room)","hour":10}"#)
            #expect(try a.store.read { try $0.orphans(entity: booking) } == 0)
            try await world.converge()
            if rule == .restrict {
                #expect(throws: SyncError.self) { try b.delete(entity: slot, key: key) }
                return
            }
            try b.delete(entity: slot, key: key)
            try await world.converge()
            for device in world.devices {
                #expect(try isLive(device, booking, key: "b") == (rule == .nullify))
                #expect(try isLive(device, booking, key: "half"))
            }
            if rule == .nullify {
                #expect(try a.value(entity: booking, key: "b", field: "room") == .null)
                #expect(try a.value(entity: booking, key: "b", field: "hour") == .integer(9))
            }
            try expectSame(world, slot, booking)
        }
    }
}
