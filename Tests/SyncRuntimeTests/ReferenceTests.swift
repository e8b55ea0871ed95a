import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Children and parents, apart and together, in folders and at a server.
@Suite struct ReferenceTests {
    let project = Entities.note(.lastWriteWins)

    private func task(_ strategy: MergeStrategy, _ rule: DeleteRule) -> EntityDescriptor {
        EntityDescriptor(
            name: "task",
            typeName: "TaskItem",
            fields: [
                FieldDescriptor("id", type: .string(), isRequired: true),
                FieldDescriptor("title", type: .string(), isRequired: true),
                FieldDescriptor("projectId", type: .string(), isNullable: true),
            ] + Entities.times,
            key: ["id"],
            strategy: strategy,
            created: "createdAt",
            updated: "updatedAt",
            references: [ReferenceDescriptor(field: "projectId", entity: "note", onDelete: rule)]
        )
    }

    private func fill(_ device: World.Device, _ task: EntityDescriptor) throws {
        try device.put(project, #"{"id":"p","title":"project"}"#)
        for key in ["a", "b"] {
            try device.put(task, #"{"id":"\#(key)","title":"task","projectId":"p"}"#)
        }
    }

    private func isLive(_ device: World.Device, _ entity: EntityDescriptor, _ key: String) throws -> Bool {
        try device.local(entity, key)?.visibility == .live
    }

    private func expectEqual(_ world: World, _ entities: EntityDescriptor...) throws {
        for entity in entities {
            let exports = try world.devices.map { try $0.export(entity, includeHidden: true) }
            for export in exports.dropFirst() { #expect(export == exports[0]) }
        }
    }

    @Test(arguments: MergeStrategy.allCases, World.Place.allCases)
    func aCascadeReachesAllDevicesWithItsChildren(strategy: MergeStrategy, place: World.Place) async throws {
        let task = task(strategy, .cascade)
        try await withWorld(2, project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task)
            try await world.settle()
            try a.delete(project, "p")
            #expect(try !isLive(a, task, "a"), "gone at once")
            #expect(try a.local(task, "a")?.state == .pending, "and on its way")
            try await world.settle()
            for key in ["a", "b"] { #expect(try !isLive(b, task, key)) }
            try expectEqual(world, project, task)
        }
    }

    @Test(arguments: World.Place.allCases)
    func aDeletedParentLetsItsChildrenGo(place: World.Place) async throws {
        let task = task(.lastWriteWins, .nullify)
        try await withWorld(2, project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task)
            try await world.settle()
            try b.put(task, #"{"id":"new","title":"unseen","projectId":"p"}"#)
            try a.delete(project, "p")
            #expect(try a.value(task, "a", "projectId") == .null)
            try await world.settle()
            for device in world.devices {
                for key in ["a", "b", "new"] { #expect(try device.value(task, key, "projectId") == .null) }
            }
            try expectEqual(world, project, task)
        }
    }

    @Test func aDeleteThatASchemaRestrictsIsRefusedAndWritesNothing() async throws {
        let task = task(.lastWriteWins, .restrict)
        try await withWorld(1, project, task) { world in
            let device = world.devices[0]
            try fill(device, task)
            let error = #expect(throws: SyncError.self) { try device.delete(project, "p") }
            #expect(error?.message == "2 task records need that note record.")
            #expect(try isLive(device, project, "p"))
            for key in ["a", "b"] { try device.delete(task, key) }
            try device.delete(project, "p")
            #expect(try !isLive(device, project, "p"))
        }
    }

    @Test(arguments: World.Place.allCases)
    func aDeleteThatDidNotSeeARestrictingChildIsTakenBack(place: World.Place) async throws {
        let task = task(.preserveLocal, .restrict)
        try await withWorld(2, project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(project, #"{"id":"p","title":"project"}"#)
            try await world.settle()
            try a.delete(project, "p")
            try b.put(task, #"{"id":"new","title":"unseen","projectId":"p"}"#)
            try await world.settle()
            for device in world.devices {
                #expect(try isLive(device, project, "p"))
                #expect(try isLive(device, task, "new"))
            }
            try expectEqual(world, project, task)
        }
    }

    @Test(arguments: World.Place.allCases)
    func anUnseenChildOfADeletedParentIsDeletedIntoTheJournalByLastWriteWins(place: World.Place) async throws
    {
        let task = task(.lastWriteWins, .cascade)
        try await withWorld(2, project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task)
            try await world.settle()
            try a.delete(project, "p")
            b.clock.advance(seconds: 5)
            try b.put(task, #"{"id":"new","title":"unseen","projectId":"p"}"#)
            try await world.settle()
            for device in world.devices { #expect(try !isLive(device, task, "new")) }
            let lost = try world.devices.flatMap { try $0.journal() }.map(\.lost)
            #expect(
                lost.contains { $0.key == RecordKey("new") && !$0.isDeleted },
                "what was written can be restored"
            )
            let entities = [project, task]
            func told(_ device: World.Device) throws -> Int {
                try device.store.read { try SyncStatus($0, entities) }.deletedWithParent
            }
            #expect(try world.devices.contains { try told($0) > 0 }, "somebody is told")
            for device in world.devices {
                #expect(try told(device) == device.journal().count { $0.rule == "cascade" })
                try device.store.markDecisionsSeen()
                #expect(try told(device) == 0)
            }
            try expectEqual(world, project, task)
        }
    }

    @Test(arguments: World.Place.allCases)
    func anUnseenChildRevivesItsParentAndSiblingsUnderSetUnion(place: World.Place) async throws {
        let task = task(.setUnion, .cascade)
        try await withWorld(2, project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task)
            try await world.settle()
            try a.delete(project, "p")
            b.clock.advance(seconds: 5)
            try b.put(task, #"{"id":"new","title":"unseen","projectId":"p"}"#)
            try await world.settle()
            for device in world.devices {
                #expect(try isLive(device, project, "p"))
                for key in ["a", "b", "new"] { #expect(try isLive(device, task, key), "\(key)") }
            }
            try expectEqual(world, project, task)
        }
    }

    @Test(arguments: World.Place.allCases, [true, false])
    func anUnseenChildIsAConflictWhereItWasWrittenUnderPreserveLocal(place: World.Place, keeps: Bool)
        async throws
    {
        let task = task(.preserveLocal, .cascade)
        try await withWorld(2, project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task)
            try await world.settle()
            try a.delete(project, "p")
            b.clock.advance(seconds: 5)
            try b.put(task, #"{"id":"new","title":"unseen","projectId":"p"}"#)
            try await world.settle()
            #expect(try b.conflicts(task) == ["new"])
            #expect(try a.conflicts(task).isEmpty)
            #expect(try b.value(task, "new", "title")?.string == "unseen")
            try b.resolve(task, "new", keeps ? .local : .remote)
            try await world.settle()
            for device in world.devices {
                #expect(try device.conflicts(task).isEmpty)
                #expect(try isLive(device, task, "new") == keeps)
                #expect(try isLive(device, project, "p") == keeps)
                #expect(
                    try isLive(device, task, "a") == keeps,
                    "who keeps the parent keeps what it took along"
                )
            }
            try expectEqual(world, project, task)
        }
    }

    @Test(arguments: World.Place.allCases)
    func aCascadeIsVoidWhenItsDeleteLoses(place: World.Place) async throws {
        let task = task(.lastWriteWins, .cascade)
        try await withWorld(3, project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task)
            try await world.settle()
            try a.delete(project, "p")
            b.clock.advance(seconds: 60)
            try b.put(project, #"{"id":"p","title":"edited later"}"#)
            // A child that a person deleted by itself stays deleted.
            try b.delete(task, "b")
            try await world.settle()
            for device in world.devices {
                #expect(try isLive(device, project, "p"))
                #expect(try isLive(device, task, "a"))
                #expect(try !isLive(device, task, "b"))
            }
            try expectEqual(world, project, task)
        }
    }

    @Test func aParentThatIsBroughtBackBringsWhatItTookAlong() async throws {
        let task = task(.lastWriteWins, .cascade)
        try await withWorld(2, project, task) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task)
            try await world.settle()
            try a.delete(project, "p")
            try await world.settle()
            try b.put(project, #"{"id":"p","title":"again"}"#)
            #expect(try isLive(b, task, "a"))
            try await world.settle()
            #expect(try isLive(a, task, "a"))
            try expectEqual(world, project, task)
        }
    }

    @Test(arguments: World.Place.allCases)
    func aChildThatComesBeforeItsParentIsKeptCountedAndReleased(place: World.Place) async throws {
        let task = task(.lastWriteWins, .cascade)
        try await withWorld(2, project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(task, #"{"id":"early","title":"task","projectId":"p"}"#)
            try await world.settle()
            #expect(try isLive(b, task, "early"))
            #expect(try b.store.read { try $0.orphans(task) } == 1)
            try a.put(project, #"{"id":"p","title":"project"}"#)
            try await world.settle()
            #expect(try b.store.read { try $0.orphans(task) } == 0)
        }
    }
}
