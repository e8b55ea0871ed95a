import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Children and parents, apart and together, in folders and at a server.
@Suite struct ReferenceTests {
    let project = Entities.note(strategy: .lastWriteWins)

    private func task(
        strategy: MergeStrategy,
        rule: DeleteRule,
        granularity: MergeGranularity = .record
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: "task",
            typeName: "TaskItem",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "title", type: .string(), isRequired: true),
                FieldDescriptor(name: "projectId", type: .string(), isNullable: true),
            ] + Entities.times,
            key: ["id"],
            strategy: strategy,
            granularity: granularity,
            created: "createdAt",
            updated: "updatedAt",
            references: [ReferenceDescriptor(field: "projectId", entity: "note", onDelete: rule)]
        )
    }

    private func fill(_ device: World.Device, task: EntityDescriptor) throws {
        try device.put(entity: project, json: #"{"id":"p","title":"project"}"#)
        for key in ["a", "b"] {
            try device.put(entity: task, json: #"{"id":"\#(key)","title":"task","projectId":"p"}"#)
        }
    }

    private func isLive(device: World.Device, entity: EntityDescriptor, key: String) throws -> Bool {
        try device.local(entity: entity, key: key)?.visibility == .live
    }

    private func expectEqual(_ world: World, entities: EntityDescriptor...) throws {
        for entity in entities {
            let exports = try world.devices.map { try $0.export(entity: entity, includeHidden: true) }
            for export in exports.dropFirst() { #expect(export == exports[0]) }
        }
    }

    @Test(arguments: MergeStrategy.allCases, World.Place.allCases)
    func aCascadeReachesAllDevicesWithItsChildren(strategy: MergeStrategy, place: World.Place) async throws {
        let task = task(strategy: strategy, rule: .cascade)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task: task)
            try await world.converge()
            try a.delete(entity: project, key: "p")
            #expect(try !isLive(device: a, entity: task, key: "a"), "gone at once")
            #expect(try a.local(entity: task, key: "a")?.state == .pending, "and on its way")
            try await world.converge()
            for key in ["a", "b"] { #expect(try !isLive(device: b, entity: task, key: key)) }
            try expectEqual(world, entities: project, task)
        }
    }

    @Test(arguments: World.Place.allCases)
    func aDeletedParentLetsItsChildrenGo(place: World.Place) async throws {
        let task = task(strategy: .lastWriteWins, rule: .nullify)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task: task)
            try await world.converge()
            try b.put(entity: task, json: #"{"id":"new","title":"unseen","projectId":"p"}"#)
            try a.delete(entity: project, key: "p")
            #expect(try a.value(entity: task, key: "a", field: "projectId") == .null)
            try await world.converge()
            for device in world.devices {
                for key in ["a", "b", "new"] {
                    #expect(try device.value(entity: task, key: key, field: "projectId") == .null)
                }
            }
            try expectEqual(world, entities: project, task)
        }
    }

    @Test(arguments: World.Place.allCases, [MergeStrategy.lastWriteWins, .setUnion])
    func aDeletedChildDoesNotComeBackBecauseItsParentIsDeletedLater(
        place: World.Place,
        strategy: MergeStrategy
    ) async throws {
        let task = task(strategy: strategy, rule: .nullify)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task: task)
            try await world.converge()
            try b.delete(entity: task, key: "a")
            a.clock.advance(seconds: 60)
            try a.delete(entity: project, key: "p")
            try await world.converge()
            for device in world.devices {
                #expect(try !isLive(device: device, entity: task, key: "a"))
                #expect(try isLive(device: device, entity: task, key: "b"))
                #expect(try device.value(entity: task, key: "b", field: "projectId") == .null)
            }
            try expectEqual(world, entities: project, task)
        }
    }

    @Test(arguments: World.Place.allCases)
    func aRecordIsNotWrittenUnderAParentWithWhichOtherDevicesWouldDeleteIt(place: World.Place) async throws {
        let task = task(strategy: .lastWriteWins, rule: .cascade)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task: task)
            try a.put(entity: task, json: #"{"id":"free","title":"task"}"#)
            try await world.converge()
            try b.delete(entity: project, key: "p")
            try await world.converge()
            for json in [#"{"id":"new","title":"x","projectId":"p"}"#, #"{"id":"free","projectId":"p"}"#] {
                let error = #expect(throws: SyncError.self) { try a.put(entity: task, json: json) }
                #expect(error?.kind == .invalidInput)
                #expect(error?.message.contains("'projectId'") == true)
            }
            #expect(try a.local(entity: task, key: "new") == nil, "nothing was written")
            try a.put(entity: task, json: #"{"id":"early","title":"x","projectId":"unknown"}"#)
            try a.put(entity: project, json: #"{"id":"p","title":"again"}"#)
            try a.put(entity: task, json: #"{"id":"new","title":"x","projectId":"p"}"#)
            try await world.converge()
            for key in ["new", "free", "early"] { #expect(try isLive(device: b, entity: task, key: key)) }
            try expectEqual(world, entities: project, task)
        }
    }

    @Test(arguments: World.Place.allCases)
    func anEditUnderAParentThatThisDeviceDeletedIsDecidedAtOnce(place: World.Place) async throws {
        for (strategy, rule) in [
            (MergeStrategy.preserveLocal, DeleteRule.cascade), (.setUnion, .cascade),
            (.lastWriteWins, .restrict),
        ] {
            let task = task(strategy: strategy, rule: rule)
            try await withWorld(count: 2, entities: project, task, place: place) { world in
                let (a, b) = (world.devices[0], world.devices[1])
                try a.put(entity: project, json: #"{"id":"p","title":"project"}"#)
                try await world.converge()
                try a.delete(entity: project, key: "p")
                try await world.converge()
                try a.put(entity: task, json: #"{"id":"t","title":"written","projectId":"p"}"#)
                let isAsked = try a.conflicts(entity: task) == ["t"]
                #expect(
                    isAsked == (strategy == .preserveLocal),
                    "a person is asked where the strategy says so"
                )
                #expect(
                    try isLive(device: a, entity: project, key: "p") == !isAsked,
                    "or else the parent is back"
                )
                if isAsked { try a.resolve(entity: task, key: "t", resolution: .local) }
                try await world.converge()
                for device in [a, b] {
                    #expect(try isLive(device: device, entity: task, key: "t"))
                    #expect(try isLive(device: device, entity: project, key: "p"))
                }
                try expectEqual(world, entities: project, task)
            }
        }
    }

    @Test(arguments: World.Place.allCases)
    func aDecisionAboutADeletedParentStandsOnWhatTheRemoteHas(place: World.Place) async throws {
        let task = task(strategy: .preserveLocal, rule: .cascade)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: project, json: #"{"id":"p","title":"project"}"#)
            try await world.converge()
            try b.put(entity: task, json: #"{"id":"t","title":"sent","projectId":"p"}"#)
            _ = try await world.sync(1)
            let sent = try b.local(entity: task, key: "t")?.version
            try a.delete(entity: project, key: "p")
            try await world.converge()
            #expect(try b.conflicts(entity: task) == ["t"], "its author is asked")
            try b.delete(entity: task, key: "t")
            let decided = try b.store.read { try $0.recordState(entity: task, key: RecordKey("t")) }
            #expect(decided.seenAtRemote == sent, "that a parent was deleted is no version of the remote")
            try await world.converge()
            for device in world.devices { #expect(try !isLive(device: device, entity: task, key: "t")) }
            try expectEqual(world, entities: project, task)
        }
    }

    /// A task is moved into a project that somebody deletes meanwhile: where it was, it lives.
    @Test(arguments: World.Place.allCases, [true, false])
    func aMoveIntoADeletedParentIsKeptOrUndone(place: World.Place, takesRemote: Bool)
        async throws
    {
        let task = task(strategy: .preserveLocal, rule: .cascade)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            for key in ["p", "q"] { try a.put(entity: project, json: #"{"id":"\#(key)","title":"project"}"#) }
            try a.put(entity: task, json: #"{"id":"t","title":"written","projectId":"p"}"#)
            try await world.converge()
            try a.put(entity: task, json: #"{"id":"t","title":"moved","projectId":"q"}"#)
            try b.delete(entity: project, key: "q")
            _ = try await world.sync(1)
            try await world.converge()
            #expect(try a.conflicts(entity: task) == ["t"])
            let other = try a.store.read { try $0.side(entity: task, key: RecordKey("t"), kind: .remote) }
            #expect(other?.isDeleted == false, "the other device still has it")
            try a.resolve(entity: task, key: "t", resolution: takesRemote ? .remote : .local)
            try await world.converge()
            for device in [a, b] {
                #expect(try isLive(device: device, entity: task, key: "t"))
                let parent = try device.value(entity: task, key: "t", field: "projectId")?.string
                #expect(parent == (takesRemote ? "p" : "q"))
                #expect(try isLive(device: device, entity: project, key: "q") == !takesRemote)
            }
            try expectEqual(world, entities: project, task)
        }
    }

    @Test(arguments: World.Place.allCases)
    func theDeviceThatDeletedAParentIsAskedAboutAnEditOfItsOwnOfAChild(place: World.Place) async throws {
        let task = task(strategy: .preserveLocal, rule: .cascade)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: project, json: #"{"id":"p","title":"project"}"#)
            try await world.converge()
            try b.put(entity: task, json: #"{"id":"t","title":"unseen","projectId":"p"}"#)
            try a.delete(entity: project, key: "p")
            try await world.converge()
            #expect(try b.conflicts(entity: task) == ["t"], "its author is asked")
            try a.put(entity: task, json: #"{"id":"t","title":"edited"}"#)
            try await world.converge()
            let asked = try world.devices.filter { try !$0.conflicts(entity: task).isEmpty }
            #expect(!asked.isEmpty, "somebody is asked as long as a live task has a deleted project")
            for device in asked { try device.resolve(entity: task, key: "t", resolution: .local) }
            try await world.converge()
            for device in world.devices { #expect(try isLive(device: device, entity: project, key: "p")) }
            #expect(try a.value(entity: task, key: "t", field: "title")?.string != nil)
        }
    }

    @Test(arguments: World.Place.allCases)
    func aParentThatAPersonChoseMeanwhileIsNotClearedByTheDeleteOfTheFormerOne(place: World.Place)
        async throws
    {
        let task = task(strategy: .lastWriteWins, rule: .nullify, granularity: .field)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task: task)
            try a.put(entity: project, json: #"{"id":"q","title":"another"}"#)
            try await world.converge()
            try b.put(entity: task, json: #"{"id":"a","projectId":"q"}"#)
            a.clock.advance(seconds: 60)
            try a.delete(entity: project, key: "p")
            try await world.converge()
            for device in world.devices {
                #expect(try device.value(entity: task, key: "a", field: "projectId")?.string == "q")
                #expect(try device.value(entity: task, key: "b", field: "projectId") == .null)
            }
            try expectEqual(world, entities: project, task)
        }
    }

    @Test func aDeleteThatASchemaRestrictsIsRefusedAndWritesNothing() async throws {
        let task = task(strategy: .lastWriteWins, rule: .restrict)
        try await withWorld(count: 1, entities: project, task) { world in
            let device = world.devices[0]
            try fill(device, task: task)
            let error = #expect(throws: SyncError.self) { try device.delete(entity: project, key: "p") }
            #expect(error?.message == "2 task records need that note record.")
            #expect(try isLive(device: device, entity: project, key: "p"))
            for key in ["a", "b"] { try device.delete(entity: task, key: key) }
            try device.delete(entity: project, key: "p")
            #expect(try !isLive(device: device, entity: project, key: "p"))
        }
    }

    @Test(arguments: World.Place.allCases)
    func aDeleteThatDidNotSeeARestrictingChildIsTakenBack(place: World.Place) async throws {
        let task = task(strategy: .preserveLocal, rule: .restrict)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: project, json: #"{"id":"p","title":"project"}"#)
            try await world.converge()
            try a.delete(entity: project, key: "p")
            try b.put(entity: task, json: #"{"id":"new","title":"unseen","projectId":"p"}"#)
            try await world.converge()
            for device in world.devices {
                #expect(try isLive(device: device, entity: project, key: "p"))
                #expect(try isLive(device: device, entity: task, key: "new"))
            }
            try expectEqual(world, entities: project, task)
        }
    }

    /// Both tombstones follow from the parent's delete, so they agree. Only one of them has the last edit.
    @Test(arguments: World.Place.allCases, [MergeGranularity.record, .field])
    func anUnsentEditOfAChildThatTwoDevicesDeleteWithItsParentIsInTheJournal(
        place: World.Place,
        granularity: MergeGranularity
    ) async throws {
        let task = task(strategy: .lastWriteWins, rule: .cascade, granularity: granularity)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task: task)
            try await world.converge()
            try a.put(entity: task, json: #"{"id":"a","title":"the last words","projectId":"p"}"#)
            try a.delete(entity: project, key: "p")
            b.clock.advance(seconds: 5)
            try b.delete(entity: project, key: "p")
            _ = try await world.sync(1)
            try await world.converge()
            try expectEqual(world, entities: project, task)
            let found = try world.devices.flatMap { device in
                try device.journal().map(\.lost).filter { $0.entity == "task" }
                    + [device.local(entity: task, key: "a")?.version].compactMap { $0 }
            }
            let title = try #require(task.layout.position(of: "title"))
            #expect(found.contains { $0.record.values[title] == .text("the last words") })
        }
    }

    @Test(arguments: World.Place.allCases)
    func anUnseenChildOfADeletedParentIsDeletedIntoTheJournalByLastWriteWins(place: World.Place) async throws
    {
        let task = task(strategy: .lastWriteWins, rule: .cascade)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task: task)
            try await world.converge()
            try a.delete(entity: project, key: "p")
            b.clock.advance(seconds: 5)
            try b.put(entity: task, json: #"{"id":"new","title":"unseen","projectId":"p"}"#)
            try await world.converge()
            for device in world.devices { #expect(try !isLive(device: device, entity: task, key: "new")) }
            let lost = try world.devices.flatMap { try $0.journal() }.map(\.lost)
            #expect(
                lost.contains { $0.key == RecordKey("new") && !$0.isDeleted },
                "what was written can be restored"
            )
            let entities = [project, task]
            func told(device: World.Device) throws -> Int {
                try device.store.read { try SyncStatus(snapshot: $0, entities: entities) }.deletedWithParent
            }
            #expect(try world.devices.contains { try told(device: $0) > 0 }, "somebody is told")
            for device in world.devices {
                #expect(try told(device: device) == device.journal().count { $0.rule == "cascade" })
                try device.store.markDecisionsSeen()
                #expect(try told(device: device) == 0)
            }
            try expectEqual(world, entities: project, task)
        }
    }

    @Test(arguments: World.Place.allCases)
    func anUnseenChildRevivesItsParentAndSiblingsUnderSetUnion(place: World.Place) async throws {
        let task = task(strategy: .setUnion, rule: .cascade)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task: task)
            try await world.converge()
            try a.delete(entity: project, key: "p")
            b.clock.advance(seconds: 5)
            try b.put(entity: task, json: #"{"id":"new","title":"unseen","projectId":"p"}"#)
            try await world.converge()
            for device in world.devices {
                #expect(try isLive(device: device, entity: project, key: "p"))
                for key in ["a", "b", "new"] {
                    #expect(try isLive(device: device, entity: task, key: key), "\(key)")
                }
            }
            try expectEqual(world, entities: project, task)
        }
    }

    @Test(arguments: World.Place.allCases, [true, false])
    func anUnseenChildIsAConflictWhereItWasWrittenUnderPreserveLocal(place: World.Place, keeps: Bool)
        async throws
    {
        let task = task(strategy: .preserveLocal, rule: .cascade)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task: task)
            try await world.converge()
            try a.delete(entity: project, key: "p")
            b.clock.advance(seconds: 5)
            try b.put(entity: task, json: #"{"id":"new","title":"unseen","projectId":"p"}"#)
            try await world.converge()
            #expect(try b.conflicts(entity: task) == ["new"])
            #expect(try a.conflicts(entity: task).isEmpty)
            #expect(try b.value(entity: task, key: "new", field: "title")?.string == "unseen")
            try b.resolve(entity: task, key: "new", resolution: keeps ? .local : .remote)
            try await world.converge()
            for device in world.devices {
                #expect(try device.conflicts(entity: task).isEmpty)
                #expect(try isLive(device: device, entity: task, key: "new") == keeps)
                #expect(try isLive(device: device, entity: project, key: "p") == keeps)
                #expect(
                    try isLive(device: device, entity: task, key: "a") == keeps,
                    "who keeps the parent keeps what it took along"
                )
            }
            try expectEqual(world, entities: project, task)
        }
    }

    @Test(arguments: World.Place.allCases)
    func aCascadeIsVoidWhenItsDeleteLoses(place: World.Place) async throws {
        let task = task(strategy: .lastWriteWins, rule: .cascade)
        try await withWorld(count: 3, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task: task)
            try await world.converge()
            try a.delete(entity: project, key: "p")
            b.clock.advance(seconds: 60)
            try b.put(entity: project, json: #"{"id":"p","title":"edited later"}"#)
            // A child that a person deleted by itself stays deleted.
            try b.delete(entity: task, key: "b")
            try await world.converge()
            for device in world.devices {
                #expect(try isLive(device: device, entity: project, key: "p"))
                #expect(try isLive(device: device, entity: task, key: "a"))
                #expect(try !isLive(device: device, entity: task, key: "b"))
            }
            try expectEqual(world, entities: project, task)
        }
    }

    @Test(arguments: World.Place.allCases)
    func aDeleteByAPersonWinsOverTheReturnOfARecordWithItsParent(place: World.Place) async throws {
        try await returnsAParent(place: place) {
            try await $0.converge()
        } then: { live in
            #expect(live == ["a"])
        }
    }

    /// A parent that comes back with a child, another child that a person has deleted meanwhile, and how the devices
    /// `meet`; which children live then.
    func returnsAParent(
        place: World.Place,
        meet: (World) async throws -> Void,
        then check: (Set<String>) throws -> Void
    ) async throws {
        let task = task(strategy: .lastWriteWins, rule: .cascade)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task: task)
            try await world.converge()
            try a.delete(entity: project, key: "p")
            b.clock.advance(seconds: 60)
            try b.put(entity: project, json: #"{"id":"p","title":"edited later"}"#)
            _ = try await world.sync(1)
            b.clock.advance(seconds: 60)
            try b.delete(entity: task, key: "b")
            a.clock.advance(seconds: 600)
            try await meet(world)
            try check(Set(["a", "b"].filter { try isLive(device: a, entity: task, key: $0) }))
        }
    }

    @Test func aParentThatIsBroughtBackBringsWhatItTookAlong() async throws {
        let task = task(strategy: .lastWriteWins, rule: .cascade)
        try await withWorld(count: 2, entities: project, task) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, task: task)
            try await world.converge()
            try a.delete(entity: project, key: "p")
            try await world.converge()
            try b.put(entity: project, json: #"{"id":"p","title":"again"}"#)
            #expect(try isLive(device: b, entity: task, key: "a"))
            try await world.converge()
            #expect(try isLive(device: a, entity: task, key: "a"))
            try expectEqual(world, entities: project, task)
        }
    }

    @Test(arguments: World.Place.allCases)
    func aChildThatComesBeforeItsParentIsKeptCountedAndReleased(place: World.Place) async throws {
        let task = task(strategy: .lastWriteWins, rule: .cascade)
        try await withWorld(count: 2, entities: project, task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: task, json: #"{"id":"early","title":"task","projectId":"p"}"#)
            try await world.converge()
            #expect(try isLive(device: b, entity: task, key: "early"))
            #expect(try b.store.read { try $0.orphans(entity: task) } == 1)
            try a.put(entity: project, json: #"{"id":"p","title":"project"}"#)
            try await world.converge()
            #expect(try b.store.read { try $0.orphans(entity: task) } == 0)
        }
    }
}
