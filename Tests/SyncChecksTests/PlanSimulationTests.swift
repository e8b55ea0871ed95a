import SyncChecks
import SyncCore
import SyncEntities
import SyncRuntime
import Testing

/// Dense stories keep all promises: new ones in each run, and those that once broke one. They also detect
/// deliberate defects of the planning. `synccheck simulate --plans` of a release build makes a million plans
/// in seconds.
@Suite struct PlanSimulationTests {
    /// The shipped entities, and others for each combination of unique values, merge rules and local fields.
    static let entities =
        SyncRegistry.descriptors + [
            note(name: "p-field", strategy: .preserveLocal, granularity: .field, fields: rules),
            note(
                name: "l-field",
                strategy: .lastWriteWins,
                granularity: .field,
                fields: rules,
                deleted: "deletedAt"
            ),
            note(name: "u-rules", strategy: .setUnion, fields: rules),
            note(name: "p-unique", strategy: .preserveLocal, unique: [["place"]]),
            note(name: "l-unique", strategy: .lastWriteWins, unique: [["place"]]),
            note(name: "u-unique", strategy: .setUnion, fields: [rules[0]], unique: [["place"]]),
        ]

    /// Runs stories from a seed until the given number of plans is made, or a promise is broken.
    private static func run(simulator: PlanSimulator, from first: UInt64, plans wanted: Int) -> (
        plans: Int, found: PlanSimulator.Outcome?
    ) {
        var plans = 0
        var seed = first
        while plans < wanted {
            let outcome = simulator.play(seed)
            plans += outcome.plans
            if outcome.violation != nil { return (plans, outcome) }
            seed &+= 1
        }
        return (plans, nil)
    }

    private static func record(_ outcome: PlanSimulator.Outcome, simulator: PlanSimulator) {
        let short = simulator.shrunkWithLines(outcome: outcome)
        Issue.record(
            """
            \(short.violation?.rule ?? "") in seed \(outcome.story.seed), \(simulator.entity(of: short.story)) at a \
            \(short.story.place): \(short.violation?.description ?? "")
            \(short.lines.joined(separator: "\n"))
            """
        )
    }

    // MARK: Promises

    @Test func storiesOfTheEntitiesThatShipKeepAllPromises() async {
        await keepsPromises(entities: SyncRegistry.descriptors, plans: 100_000)
    }

    @Test func storiesOfEveryWayToMeetKeepAllPromises() async {
        await keepsPromises(entities: Self.entities, plans: 100_000)
    }

    private func keepsPromises(entities: [EntityDescriptor], plans: Int) async {
        let simulator = PlanSimulator(entities)
        var total = 0
        var seed = UInt64.random(in: 0..<1 << 48)
        print("\(plans) plans for \(entities.count) entities from seed \(seed)")
        while total < plans {
            let outcome = simulator.play(seed)
            total += outcome.plans
            if outcome.violation != nil { return Self.record(outcome, simulator: simulator) }
            seed &+= 1
            // Lets other tests use this thread.
            if seed % 64 == 0 { await Task.yield() }
        }
    }

    private static func named(names: String...) -> [EntityDescriptor] {
        names.compactMap { name in entities.first { $0.name == name } }
    }

    private func expectKept(_ seed: UInt64, entities: [EntityDescriptor]) {
        expectKept(seed, simulator: PlanSimulator(entities))
    }

    private func expectKept(_ seed: UInt64, simulator: PlanSimulator) {
        let outcome = simulator.play(seed)
        #expect(outcome.plans > 0)
        if outcome.violation != nil { Self.record(outcome, simulator: simulator) }
    }

    /// Seeds of single entities that once broke a promise.
    @Test(
        arguments: [
            ("read-status", [2, 170, 1493]), ("transaction", [6, 495]), ("project", [6, 495]),
            ("bookmark", [43, 89, 836, 1124, 1349, 1508, 1704, 6009]), ("p-field", [51, 657, 764]),
            ("p-unique", [33, 252]),
        ] as [(String, [UInt64])]
    )
    func aPromiseThatWasBrokenOnceIsKept(name: String, seeds: [UInt64]) throws {
        let simulator = PlanSimulator([try #require(Self.entities.first { $0.name == name })])
        for seed in seeds { expectKept(seed, simulator: simulator) }
    }

    /// Seeds of the shipped entities that once broke a promise.
    @Test(
        arguments: [
            33_247_174_411_560, 19_187_583_880_219, 180_453_743_707_297, 230_935_699_646_593,
            8_678_598_334_944, 21_226_831_958_910, 123_415_198_641_573,
        ] as [UInt64]
    )
    func aPromiseThatWasBrokenOnceIsKeptByWhatShips(seed: UInt64) {
        expectKept(seed, entities: SyncRegistry.descriptors)
    }

    /// Seeds of all strategies that once broke a promise.
    @Test(
        arguments: [
            134_799_526_813_168, 142_498_191_250_040, 11_552_505_954_867, 222_322_121_997_381,
            217_258_577_489_349, 260_886_203_016_398, 153_894_120_005_196, 108_771_051_178_699,
        ] as [UInt64]
    )
    func aPromiseThatWasBrokenOnceIsKeptByEveryWayToMeet(seed: UInt64) {
        expectKept(seed, entities: Self.entities)
    }

    /// Seeds with duplicates that once broke a promise: an unseen edit, or a losing delete, restored the
    /// merged record.
    @Test(
        arguments: [
            176_121_694_776_704, 269_862_465_190_936, 199_389_094_575_732, 137_041_188_865_367,
        ] as [UInt64]
    )
    func aPromiseThatWasBrokenOnceIsKeptWhereRecordsMerge(seed: UInt64) {
        expectKept(seed, entities: Self.named(names: "l-unique", "p-unique", "u-unique"))
    }

    /// A value was merged into another device's edit, which was then deleted, and its author was not asked.
    @Test func aPromiseThatWasBrokenOnceIsKeptWhereFieldsMerge() {
        expectKept(188_363_111_448_295, entities: Self.named(names: "l-field", "p-field", "u-rules"))
    }

    /// An edit is sent, and its answer lost. Another device deletes the record and the server purges the
    /// tombstone. Then the edit is sent again as if it were new.
    @Test(arguments: entities.indices)
    func aDeleteThatTheServerForgotHoldsAgainstTheEditThatItHadSeen(entity: Int) {
        let kinds: [(Int, PlanStep.Kind)] = [
            (0, .write), (0, .publishUnheard), (1, .take), (1, .delete), (1, .publish), (0, .purge),
        ]
        let simulator = PlanSimulator(Self.entities)
        for seed in 0..<50 as Range<UInt64> {
            var draw = Seed(seed)
            let steps = kinds.map { PlanStep(device: $0, kind: $1, bits: draw.next()) }
            let outcome = simulator.play(
                PlanStory(seed: seed, entity: entity, devices: 2, keys: 1, place: .server, steps: steps)
            )
            if outcome.violation != nil { return Self.record(outcome, simulator: simulator) }
        }
    }

    @Test func oneSeedIsOneStory() {
        let simulator = PlanSimulator(Self.entities)
        for seed in 0..<300 as Range<UInt64> {
            let (one, two) = (
                simulator.play(seed), simulator.play(simulator.story(seed: seed), recordsLines: true)
            )
            #expect(one.checksum == two.checksum && one.plans == two.plans, "seed \(seed)")
        }
    }

    // MARK: Tests of the tests

    /// A deliberate defect of the planning, and the promises that may detect it.
    struct Wrong: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var flaw: PlanFlaw
        var rules: Set<String>
        /// Whether it has an effect only on duplicates.
        var isOfGroups = false

        init(name: String, rules: Set<String>, isOfGroups: Bool = false, _ flaw: PlanFlaw) {
            self.isOfGroups = isOfGroups
            testDescription = name
            self.rules = rules
            self.flaw = flaw
        }
    }

    static let wrong: [Wrong] = [
        Wrong(
            name: "drops a loss",
            rules: ["nothing-lost"],
            PlanFlaw(onPlan: { plan, _, _, _ in plan.losses = [] })
        ),
        Wrong(
            name: "takes the remote's version always",
            rules: [
                "nothing-lost", "shown-until-decided", "same-everywhere", "keeps-what-it-saw", "stays-here",
            ],
            PlanFlaw(onPlan: { plan, _, incoming, _ in
                plan.state = RecordState(local: LocalRecord(version: incoming, state: .synced))
                plan.losses = []
            })
        ),
        Wrong(
            name: "keeps the loser on one device",
            rules: [
                "same-everywhere", "nothing-lost", "repeats-change-nothing", "shown-until-decided",
                "deletes-stay", "stays-here",
            ],
            PlanFlaw(onPlan: { plan, _, _, device in
                guard device == 1, let loss = plan.losses.first else { return }
                plan.state.local?.version.record = loss.lost.record
            })
        ),
        Wrong(
            name: "forgets what it has seen",
            rules: ["keeps-what-it-saw", "repeats-change-nothing"],
            PlanFlaw(onPlan: { plan, _, incoming, _ in
                guard plan.outcome == .merged else { return }
                plan.state.base = nil
                plan.state.local?.version.metadata.vector = incoming.metadata.vector
            })
        ),
        Wrong(
            name: "keeps no heads",
            rules: [
                "keeps-what-it-saw", "same-everywhere", "nothing-lost", "idle-is-free",
                "repeats-change-nothing",
            ],
            PlanFlaw(onPlan: { plan, _, _, _ in
                plan.state.heads = []
                plan.state.local?.hasHeads = false
            })
        ),
        Wrong(
            name: "asks nobody",
            rules: ["shown-until-decided", "comes-to-rest", "nothing-lost", "keeps-what-it-saw"],
            PlanFlaw(onPlan: { plan, _, _, _ in
                guard plan.state.local?.state == .conflict else { return }
                plan.state.local?.state = .pending
            })
        ),
        Wrong(
            name: "is deaf to deletes",
            rules: ["keeps-what-it-saw", "same-everywhere"],
            PlanFlaw(onPlan: { plan, before, incoming, _ in
                if incoming.isDeleted, before.local != nil { plan.state = before }
            })
        ),
        Wrong(
            name: "brings back what was deleted",
            rules: ["deletes-stay"],
            PlanFlaw(onPlan: { plan, before, incoming, _ in
                guard plan.outcome != .known, !incoming.isDeleted, before.local?.version.isDeleted == true
                else { return }
                plan.state.local?.version.isDeleted = false
            })
        ),
        Wrong(
            name: "lets others empty what stays on the device",
            rules: ["stays-here"],
            PlanFlaw(onPlan: { plan, before, incoming, _ in
                guard let index = staying[incoming.entity], before.local != nil else { return }
                plan.state.local?.version.record.values[index] = nil
            })
        ),
        Wrong(
            name: "is never content",
            rules: ["repeats-change-nothing"],
            PlanFlaw(onPlan: { plan, before, _, _ in
                guard plan.outcome == .known, before.local?.state == .synced else { return }
                plan.state.base = plan.state.local?.version
                plan.state.local?.state = .pending
            })
        ),
        Wrong(
            name: "empties what is required",
            rules: ["fits-schema", "nothing-lost", "repeats-change-nothing"],
            PlanFlaw(onPlan: { plan, _, _, _ in
                guard plan.outcome == .merged || plan.outcome == .agreed else { return }
                plan.state.local?.version.record.values[1] = nil
            })
        ),
        Wrong(
            name: "takes the answer for an edit that was made meanwhile",
            rules: ["nothing-lost", "same-everywhere"],
            PlanFlaw(onAcknowledge: { after, _, _, _ in
                after.local?.state = .synced
                after.base = nil
            })
        ),
        Wrong(
            name: "forgets what an edit that was made meanwhile stands on",
            rules: ["nothing-lost", "same-everywhere", "shown-until-decided", "outbox-empties"],
            PlanFlaw(onAcknowledge: { after, _, _, _ in
                if after.local?.state != .synced { after.local?.version.metadata.vector = VersionVector() }
            })
        ),
        Wrong(
            name: "lets the greater key survive on one device",
            rules: [
                "same-everywhere", "one-of-each", "one-plan", "repeats-change-nothing", "comes-to-rest",
                "nothing-lost", "deletes-stay",
            ],
            PlanFlaw(onMerge: { plan, device in
                guard device == 1, plan.survivor == plan.members.first?.key, plan.members.count > 1 else {
                    return
                }
                for index in plan.members.indices {
                    let isDeleted = index != 1
                    plan.members[index].recordState.local?.version.isDeleted = isDeleted
                    plan.members[index].recordState.local?.visibility = isDeleted ? .deleted : .live
                }
            })
        ),
        Wrong(
            name: "drops what a group loses",
            rules: ["nothing-lost"],
            isOfGroups: true,
            PlanFlaw(onMerge: { plan, _ in plan.losses = [] })
        ),
    ]

    /// The local field of each note, by entity.
    static let staying = Dictionary(
        uniqueKeysWithValues: entities.compactMap { entity in
            entity.layout.localOnly.first.map { (entity.name, $0) }
        }
    )

    /// The most plans until a promise detects the defect.
    static let enough = 50_000

    @Test(arguments: wrong)
    func wrongPlanningIsNoticed(wrong: Wrong) throws {
        var simulator = PlanSimulator(Self.entities.filter { !wrong.isOfGroups || !$0.unique.isEmpty })
        simulator.flaw = wrong.flaw
        let (plans, found) = Self.run(simulator: simulator, from: 1, plans: Self.enough)
        let outcome = try #require(found, "nothing noticed in \(plans) plans")
        let rule = try #require(outcome.violation?.rule)
        #expect(wrong.rules.contains(rule), "\(rule) in seed \(outcome.story.seed) after \(plans) plans")
        let told = simulator.shrunkWithLines(outcome: outcome)
        #expect(told.violation?.rule == rule)
        #expect(told.story.steps.count <= outcome.story.steps.count && !told.lines.isEmpty)
    }

    @Test func planningThatGoesAnotherWayTheSecondTimeIsNoticed() throws {
        let calls = Guarded(0)
        var simulator = PlanSimulator(Self.entities)
        simulator.flaw = PlanFlaw(onPlan: { plan, _, _, _ in
            let isOdd = calls.use { count in
                count += 1
                return count % 7 == 0
            }
            if isOdd { plan.outcome = .merged }
        })
        let found = try #require(Self.run(simulator: simulator, from: 1, plans: 1_000).found)
        #expect(found.violation?.rule == "one-plan")
    }

    // MARK: Entities

    private static let rules = [
        FieldDescriptor(name: "tags", type: .array(element: .string(), isSet: true), merge: .union),
        FieldDescriptor(name: "highest", type: .integer(), merge: .max),
        FieldDescriptor(name: "lowest", type: .decimal, merge: .min),
        FieldDescriptor(name: "any", type: .boolean, merge: .or),
        FieldDescriptor(name: "all", type: .boolean, isNullable: true, merge: .and),
    ]

    private static func note(
        name: String,
        strategy: MergeStrategy,
        granularity: MergeGranularity = .record,
        fields: [FieldDescriptor] = [],
        deleted: String? = nil,
        unique: [[String]] = []
    ) -> EntityDescriptor {
        let mirror = deleted.map { [FieldDescriptor(name: $0, type: .dateTime, isNullable: true)] } ?? []
        return EntityDescriptor(
            name: name,
            typeName: "Note",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "title", type: .string(), isRequired: true),
                FieldDescriptor(name: "body", type: .string(), isNullable: true),
                FieldDescriptor(name: "place", type: .integer(), isRequired: true),
                FieldDescriptor(name: "createdAt", type: .dateTime, isRequired: true),
                FieldDescriptor(name: "updatedAt", type: .dateTime, isRequired: true),
            ] + fields + mirror + [FieldDescriptor(name: "draft", type: .string(), isLocalOnly: true)],
            key: ["id"],
            strategy: strategy,
            granularity: granularity,
            created: "createdAt",
            updated: "updatedAt",
            deleted: deleted,
            unique: unique
        )
    }
}
