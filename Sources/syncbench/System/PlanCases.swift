import SyncCore
import SyncRuntime

/// What the planner is asked usually, prepared so that only its decision is measured.
struct PlanCase {
    /// What kind of case it is: `taken`, `known`, `acknowledged`, `concurrent last-write-wins by field`.
    var kind: String
    /// The kind, and where the records come from.
    var name: String
    var planner: Planner
    /// What arrives for which trees; some of a kind, so that not one and the same lies in the cache.
    var inputs: [(trees: Planner.Trees, incoming: [SyncRecord])]
    /// What each of them must come to.
    var outcome: Planner.Outcome

    /// Whether the planner says what it must.
    var isRight: Bool {
        !inputs.isEmpty
            && inputs.allSatisfy { planner.plan($0.trees, incoming: $0.incoming[0]).outcome == outcome }
    }

    /// Decides so many times, and returns something that depends on each decision.
    @inline(never)
    func decide(_ count: Int) -> Int {
        var sum = 0
        var position = 0
        for _ in 0..<count {
            let input = inputs[position]
            let plan = planner.plan(input.trees, incoming: input.incoming[0])
            sum &+= plan.losses.count &+ (plan.trees.base == nil ? 1 : 2)
            position = position + 1 == inputs.count ? 0 : position + 1
        }
        return sum
    }

    /// How often each case occurs among twenty decisions: most of what arrives is new to a record that nobody edited here.
    static func all(isLinear: Bool) -> [(share: Int, case: PlanCase)] {
        let record = PlanMaker(.preserveLocal, .record, isLinear)
        return [
            (8, record.taken), (3, record.known), (3, record.acknowledged),
            (1, record.concurrent(.conflict)),
            (1, PlanMaker(.preserveLocal, .field, isLinear).concurrent(.merged)),
            (1, PlanMaker(.lastWriteWins, .record, isLinear).concurrent(.merged)),
            (1, PlanMaker(.lastWriteWins, .field, isLinear).concurrent(.merged)),
            (1, PlanMaker(.setUnion, .record, isLinear).concurrent(.merged)),
            (1, PlanMaker(.setUnion, .field, isLinear).concurrent(.merged)),
        ]
    }
}

/// Makes versions of records as three devices write them.
private struct PlanMaker {
    static let count = 64
    let entity: EntityDescriptor
    let planner: Planner
    let label: String

    init(_ strategy: MergeStrategy, _ granularity: MergeGranularity, _ isLinear: Bool) {
        entity = EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: [
                FieldDescriptor("id", type: .uuid, isRequired: true),
                FieldDescriptor("title", type: .string(), isRequired: true),
                FieldDescriptor("body", type: .string(), isNullable: true),
                FieldDescriptor("count", type: .integer()),
                FieldDescriptor("tags", type: .array(element: .string(), isSet: true), merge: .union),
                FieldDescriptor("createdAt", type: .dateTime, isRequired: true),
                FieldDescriptor("updatedAt", type: .dateTime, isRequired: true),
            ],
            key: ["id"],
            strategy: strategy,
            granularity: granularity,
            created: "createdAt",
            updated: "updatedAt"
        )
        planner = Planner(entity, device: DeviceID(bits: 2), isLinear: isLinear)
        label = isLinear ? "at a server" : "in a folder"
    }

    /// A newer version of a record that is clean here.
    var taken: PlanCase {
        made("taken", .taken) { base, _, theirs in
            (Planner.Trees(local: LocalRecord(version: base, state: .synced)), theirs)
        }
    }

    /// What is here already comes once more.
    var known: PlanCase {
        made("known", .known) { base, _, _ in
            (Planner.Trees(local: LocalRecord(version: base, state: .synced)), base)
        }
    }

    /// An own edit comes back.
    var acknowledged: PlanCase {
        made("acknowledged", .acknowledged) { base, mine, _ in
            (Planner.Trees(local: LocalRecord(version: mine, state: .pending), base: base), mine)
        }
    }

    /// An edit here meets one that was made elsewhere.
    func concurrent(_ outcome: Planner.Outcome) -> PlanCase {
        made("concurrent", outcome) { base, mine, theirs in
            (Planner.Trees(local: LocalRecord(version: mine, state: .pending), base: base), theirs)
        }
    }

    private func made(
        _ name: String,
        _ outcome: Planner.Outcome,
        _ input: (_ base: SyncRecord, _ mine: SyncRecord, _ theirs: SyncRecord) -> (Planner.Trees, SyncRecord)
    ) -> PlanCase {
        let inputs = (0..<Self.count).compactMap {
            number -> (trees: Planner.Trees, incoming: [SyncRecord])? in
            let base = edit(nil, 1, number) { record in
                record.values = [
                    .text("00000000-0000-4000-8000-\(String(1_000_000_000_000 + number).dropFirst())"),
                    .text("Title \(number)"), .text("A body of some words, number \(number)"),
                    .integer(Int64(number)), .json(#"["blue","red"]"#), nil, nil,
                ]
            }
            let mine = edit(base, 2, number) { $0.values[1] = .text("Title \(number), as I call it") }
            let isByField = entity.strategy == .preserveLocal && entity.granularity == .field
            let theirs = edit(base, 3, number) { record in
                record.values[isByField ? 2 : 1] = .text("What another device calls it")
                record.values[4] = .json(#"["blue","green"]"#)
            }
            guard let base, let mine, let theirs else { return nil }
            let (trees, incoming) = input(base, mine, theirs)
            return (trees: trees, incoming: [incoming])
        }
        let kind =
            name == "concurrent"
            ? "\(name) \(entity.strategy.rawValue) by \(entity.granularity.rawValue)" : name
        return PlanCase(
            kind: kind,
            name: "\(kind) \(label)",
            planner: planner,
            inputs: inputs,
            outcome: outcome
        )
    }

    private func edit(
        _ current: SyncRecord?,
        _ device: UInt64,
        _ number: Int,
        _ change: (inout Record) -> Void
    ) -> SyncRecord? {
        var edit = Editor.Edit(current: current, record: current?.record ?? Record(empty: entity))
        change(&edit.record)
        let time = Timestamp(microseconds: 1_767_225_600_000_000 + Int64(device) * 1_000_000 + Int64(number))
        let editor = Editor(entity, now: time, device: DeviceID(bits: device))
        let key = entity.key(of: edit.record) ?? RecordKey("\(number)")
        guard case .edited(let version) = editor(edit, key: key, sequence: { Int64(number + 1) }) else {
            return nil
        }
        return version
    }
}
