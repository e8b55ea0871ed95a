import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// What seeded worlds found about pulls that end early, and about what devices make of published versions.
@Suite struct InterruptedPullTests {
    /// With one record of each device, or with so many that they are looked at together.
    @Test(arguments: MergeStrategy.allCases, [World.Place.folders])
    func whatAPullThatFailedMidwayTookInIsMergedByTheNext(strategy: MergeStrategy, place: World.Place)
        async throws
    {
        for others in strategy == .lastWriteWins ? [0, 600] : [0] {
            let records = try await recordsAfterAFailedPull(strategy: strategy, place: place, others: others)
            #expect(records == 1 + 2 * others)
        }
    }

    /// How many records a device has after a pull that failed midway, in `fail`, and the next one.
    func recordsAfterAFailedPull(
        strategy: MergeStrategy,
        place: World.Place,
        others: Int,
        fail: (() async throws -> SyncReport) async throws -> SyncReport = { try await $0() }
    ) async throws -> Int {
        let note = UniqueConflictTests.place(strategy: strategy)
        var count = 0
        try await withWorld(count: 3, entities: note, place: place) { world in
            // C has looked through its records once: what follows is found by what the failed pull remembers.
            try await world.sync(2)
            let c = world.devices[2]
            let known = try c.store.read { try $0.value(name: "cursor") }
            for (index, key) in ["b", "a"].enumerated() {
                world.devices[index].clock.advance(seconds: Int64(index) * 10)
                try world.devices[index].put(
                    entity: note,
                    json: #"{"id":"\#(key)","title":"same","place":7}"#
                )
                try world.devices[index].writer.write { session in
                    for number in 0..<others {
                        let place = 100 + 2 * number + index
                        let json = #"{"id":"\#(place)","title":"other","place":\#(place)}"#
                        _ = try session.put(entity: note, json: Array(json.utf8))
                    }
                }
                try await world.sync(index)
            }
            // Nobody but C has seen both yet.
            try world.deliver(from: 0, to: 2)
            try world.deliver(from: 1, to: 2)
            c.clock.advance(seconds: 30)
            let failing = SyncEngine(
                store: c.store,
                backend: BusyBackend(base: c.backend) { moment in
                    guard moment == "before it pulls",
                        try c.store.read({ try $0.value(name: "cursor") }) != known
                    else { return }
                    throw SyncError(kind: .unreachable, message: "The remote is gone.", help: "")
                },
                environment: SyncEnvironment(clock: c.clock, random: SeededRandom(3), label: "C")
            )
            await #expect(throws: SyncError.self) { try await fail { try await failing.sync() } }
            try await world.sync(2)
            count = try c.export(entity: note).count
        }
        return count
    }

    @Test(arguments: MergeStrategy.allCases)
    func whatStaysOnThisDeviceOutlivesEveryMerge(strategy: MergeStrategy) throws {
        let fields = [
            FieldDescriptor(name: "place", type: .integer(), isRequired: true),
            FieldDescriptor(name: "draft", type: .string(), isLocalOnly: true),
        ]
        let note = Entities.note(strategy: strategy, fields: fields, unique: [["place"]])
        let draft = try #require(note.layout.position(of: "draft"))
        let (head, other) = (
            try version(note: note, key: "a", by: 1), try version(note: note, key: "b", by: 2)
        )
        var shown = head
        shown.record.values[draft] = .text("only here")
        var members = [
            UniqueConflict.Member(
                key: head.key,
                recordState: RecordState(
                    local: LocalRecord(version: shown, state: .synced),
                    heads: [head]
                )
            ),
            UniqueConflict.Member(
                key: other.key,
                recordState: RecordState(local: LocalRecord(version: other, state: .synced))
            ),
        ]
        for _ in 0..<3 {
            members =
                UniqueConflict(descriptor: note, own: OwnDevices(current: DeviceID(bits: 9))).plan(
                    group: members
                ).members
            #expect(members[0].recordState.local?.version.record.values[draft] == .text("only here"))
        }
    }

    @Test func aPublishedVersionIsTakenThoughItComesToTheSameMarkAndVectorAsWhatIsHere() throws {
        let note = Entities.note(strategy: .lastWriteWins)
        let (one, two) = (try version(note: note, key: "n", by: 1), try version(note: note, key: "n", by: 2))
        let heads = HeadSet(note)
        let here = heads.view(heads: heads.maximal(versions: [one, two])).shown
        let published = Merge(descriptor: note).agreed(left: one, right: two)
        #expect(here.metadata == published.metadata && here.record != published.record)
        for known in [here, published] {
            let plan = Reconcile(note, own: OwnDevices(current: DeviceID(bits: 9)), remote: .forked)(
                RecordState(local: LocalRecord(version: known, state: .synced)),
                on: .remote(published)
            )
            #expect(plan.state.local?.version == published)
        }
    }

    /// A first edit that says the same whoever made it, each device at a time of its own.
    private func version(note: EntityDescriptor, key: String, by device: UInt64) throws -> SyncRecord {
        let editTimestamp = EditTimestamp(
            time: Timestamp(microseconds: 1000 + Int64(device)),
            device: DeviceID(bits: device),
            sequence: 1
        )
        var record = Record(empty: note)
        for (field, value) in [
            ("id", FieldValue.text(key)), ("title", .text("same")),
            ("createdAt", .timestamp(editTimestamp.time)),
            ("updatedAt", .timestamp(editTimestamp.time)),
        ] { record.values[try #require(note.layout.position(of: field))] = value }
        if let place = note.layout.position(of: "place") { record.values[place] = .integer(7) }
        return SyncRecord(
            entity: note.name,
            key: RecordKey(key),
            record: record,
            metadata: VersionMetadata(first: editTimestamp)
        )
    }
}
