import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Records that an app brings along give way to what people write, whenever that was.
@Suite struct SeedTests {
    private static func settings(_ strategy: MergeStrategy, _ granularity: MergeGranularity)
        -> EntityDescriptor
    {
        EntityDescriptor(
            name: "settings",
            typeName: "Settings",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "theme", type: .string(), isRequired: true),
                FieldDescriptor(name: "size", type: .integer()),
            ] + Entities.times,
            key: ["id"],
            strategy: strategy,
            granularity: granularity,
            created: "createdAt",
            updated: "updatedAt"
        )
    }

    private func seed(_ device: World.Device, _ entity: EntityDescriptor, theme: String = "light") throws {
        let json = Array(#"{"id":"s","theme":"\#(theme)","size":12}"#.utf8)
        _ = try device.writer.seed(entity: entity, json: json)
    }

    private func each(
        strategy: MergeStrategy,
        granularity: MergeGranularity,
        story: (World, EntityDescriptor) async throws -> Void
    ) async throws {
        let entity = Self.settings(strategy, granularity)
        for place in World.Place.allCases {
            try await withWorld(count: 2, entities: entity, place: place) { try await story($0, entity) }
        }
    }

    private func expectNoTrace(_ world: World, _ entity: EntityDescriptor) throws {
        for device in world.devices {
            #expect(try device.journal().isEmpty && device.conflicts(entity: entity).isEmpty)
        }
    }

    @Test(arguments: MergeStrategy.allCases, [MergeGranularity.record, .field])
    func aNewPhoneDoesNotBeatWhatWasChosenOnTheOldOne(
        strategy: MergeStrategy,
        granularity: MergeGranularity
    ) async throws {
        for isSeededFirst in [true, false] {
            try await each(strategy: strategy, granularity: granularity) { world, entity in
                let (old, new) = (world.devices[0], world.devices[1])
                if isSeededFirst { try seed(old, entity) }
                old.clock.advance(seconds: 60)
                _ = try old.put(entity: entity, json: #"{"id":"s","theme":"dark"}"#)
                try await world.sync(0)
                try world.deliver()
                new.clock.advance(seconds: 600)
                try seed(new, entity)
                try await world.converge()
                for device in world.devices {
                    #expect(try device.value(entity: entity, key: "s", field: "theme")?.string == "dark")
                }
                try expectNoTrace(world, entity)
            }
        }
    }

    @Test(arguments: MergeStrategy.allCases, [MergeGranularity.record, .field])
    func twoSeedsMeetTheSameWayEverywhereAndAnEditAfterwardsStays(
        strategy: MergeStrategy,
        granularity: MergeGranularity
    ) async throws {
        try await each(strategy: strategy, granularity: granularity) { world, entity in
            try seed(world.devices[0], entity, theme: "light")
            world.devices[1].clock.advance(seconds: 60)
            try seed(world.devices[1], entity, theme: "sepia")
            try await world.converge()
            let themes = try world.devices.map {
                try $0.value(entity: entity, key: "s", field: "theme")?.string
            }
            #expect(Set(themes).count == 1)
            try expectNoTrace(world, entity)
            _ = try world.devices[0].put(entity: entity, json: #"{"id":"s","theme":"dark"}"#)
            try await world.converge()
            for device in world.devices {
                #expect(try device.value(entity: entity, key: "s", field: "theme")?.string == "dark")
            }
        }
    }

    @Test(arguments: MergeStrategy.allCases, [MergeGranularity.record, .field])
    func aSeedBringsNothingBack(strategy: MergeStrategy, granularity: MergeGranularity) async throws {
        try await each(strategy: strategy, granularity: granularity) { world, entity in
            let (old, new) = (world.devices[0], world.devices[1])
            _ = try old.put(entity: entity, json: #"{"id":"s","theme":"dark"}"#)
            try await world.sync(0)
            try old.delete(entity: entity, key: "s")
            try await world.sync(0)
            try world.deliver()
            try seed(old, entity)
            new.clock.advance(seconds: 600)
            try seed(new, entity)
            try await world.converge()
            for device in world.devices {
                #expect(try device.local(entity: entity, key: "s")?.visibility != .live)
            }
            try expectNoTrace(world, entity)
        }
    }

    @Test func valuesThatNobodyWroteGiveWayFieldByField() async throws {
        let entity = Self.settings(.lastWriteWins, .field)
        try await withWorld(count: 2, entities: entity) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try seed(a, entity)
            _ = try a.put(entity: entity, json: #"{"id":"s","theme":"dark"}"#)
            b.clock.advance(seconds: 600)
            try seed(b, entity, theme: "sepia")
            _ = try b.put(entity: entity, json: #"{"id":"s","size":20}"#)
            try await world.converge()
            for device in world.devices {
                #expect(try device.value(entity: entity, key: "s", field: "theme")?.string == "dark")
                #expect(try device.value(entity: entity, key: "s", field: "size") == .integer(20))
            }
            try expectNoTrace(world, entity)
        }
    }

    @Test func theVersionSaysThatItIsASeed() throws {
        let edit = EditTimestamp(time: Timestamp(microseconds: 5), device: DeviceID(bits: 7), sequence: 1)
        var detail = FieldTimestamps(origin: edit)
        detail.seeds = [edit]
        let text = FieldTimestampsCodec.text(detail: detail)
        #expect(try FieldTimestampsCodec.decode(text) == detail)
        #expect(text.contains(#""seeds":["\#(edit)"]"#))
    }
}
