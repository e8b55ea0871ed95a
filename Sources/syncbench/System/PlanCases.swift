import SyncChecks
import SyncCore
import SyncRuntime

/// One thing that the planner is asked, prepared so that only its decision is measured.
final class PlanCase {
    /// What kind of case it is: `new`, `newer`, `returned`, `known`, `concurrent last-write-wins by field`.
    let kind: String
    /// The kind, and where the records come from.
    let name: String
    private let planner: Planner
    /// What arrives for which trees; some of a kind, so that not one and the same lies in the cache.
    private let recordState: [Planner.RecordState]
    private let incoming: [SyncRecord]
    /// What each of them must come to.
    private let outcome: Planner.Outcome

    init(
        kind: String,
        name: String,
        planner: Planner,
        inputs: [(recordState: Planner.RecordState, incoming: SyncRecord)],
        outcome: Planner.Outcome
    ) {
        self.kind = kind
        self.name = name
        self.planner = planner
        recordState = inputs.map(\.recordState)
        incoming = inputs.map(\.incoming)
        self.outcome = outcome
    }

    /// How many inputs there are.
    var count: Int { recordState.count }

    /// Whether the planner says what it must.
    var isRight: Bool {
        !recordState.isEmpty
            && recordState.indices.allSatisfy {
                planner.plan(recordState: recordState[$0], incoming: incoming[$0]).outcome == outcome
            }
    }

    /// Decides about one input, and returns something that depends on the decision.
    @inline(never)
    func decide(at position: Int) -> Int {
        let plan = planner.plan(recordState: recordState[position], incoming: incoming[position])
        return plan.losses.count &+ (plan.outcome == .known ? 1 : 2)
    }

    /// Decides so many times about one input after the other.
    @inline(never)
    func decide(_ count: Int) -> Int {
        (0..<count).reduce(0) { $0 &+ decide(at: $1 % self.count) }
    }
}

/// Cases in the order in which they arrive.
struct PlanMix {
    /// How many of how many are of which kind, for a reader.
    let note: String
    let cases: [PlanCase]
    private let steps: [(case: Int, input: Int)]

    private init(note: String, shares: [(share: Int, case: PlanCase)]) {
        self.note = note
        cases = shares.map(\.case)
        var steps = shares.enumerated().flatMap { index, lhs in
            (0..<lhs.share).map { (case: index, input: $0 % lhs.case.count) }
        }
        // What arrives does not come sorted by kind. The same order in every run.
        var seed = Seed(1)
        steps.shuffle(using: &seed)
        self.steps = steps
    }

    /// An ordinary sync: most of what arrives is new to this device, or newer than what nobody edited here. Its own edits
    /// come back (from a folder always, from a server where an answer was lost), some versions arrive once more, and now
    /// and then an edit meets one that was made elsewhere. Of all strategies and granularities alike.
    static func ordinary() -> PlanMix {
        let shares = PlanMaker.all.flatMap { maker -> [(share: Int, case: PlanCase)] in
            [
                (20, maker.new), (50, maker.newer), (19, maker.returned), (10, maker.known),
                (1, maker.concurrent),
            ]
        }
        return PlanMix(
            note:
                "of 100: 20 new, 50 newer, 19 returned, 10 known, 1 concurrent, of every strategy and granularity, half of all from a server, half from a folder",
            shares: shares
        )
    }

    /// A sync of devices that hardly ever agree: of every seven versions two meet an edit that was made here.
    static func heavy() -> PlanMix {
        // Some rounds, so that each of many inputs is met.
        let rounds = 8
        let shares = PlanMaker.all.flatMap { maker -> [(share: Int, case: PlanCase)] in
            let meeting = [(share: rounds, case: maker.concurrent)]
            guard maker.isPlainest else { return meeting }
            return meeting + [
                (8 * rounds, maker.newer), (3 * rounds, maker.returned), (3 * rounds, maker.known),
            ]
        }
        return PlanMix(note: "of 20: 8 newer, 3 returned, 3 known, 6 concurrent", shares: shares)
    }

    /// Decides so many times.
    @inline(never)
    func decide(_ count: Int) -> Int {
        var sum = 0
        var position = 0
        for _ in 0..<count {
            let step = steps[position]
            sum &+= cases[step.case].decide(at: step.input)
            position = position + 1 == steps.count ? 0 : position + 1
        }
        return sum
    }
}

/// Makes versions of records as three devices write them.
private struct PlanMaker {
    static let count = 64
    let entity: EntityDescriptor
    let planner: Planner
    let label: String

    /// One of every strategy, granularity and kind of remote.
    static var all: [PlanMaker] {
        [true, false].flatMap { isLinear in
            MergeStrategy.allCases.flatMap { strategy in
                MergeGranularity.allCases.map {
                    PlanMaker(strategy: strategy, granularity: $0, isLinear: isLinear)
                }
            }
        }
    }

    /// Whether a person decides about whole records.
    var isPlainest: Bool { entity.strategy == .preserveLocal && entity.granularity == .record }

    init(strategy: MergeStrategy, granularity: MergeGranularity, isLinear: Bool) {
        entity = EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: [
                FieldDescriptor(name: "id", type: .uuid, isRequired: true),
                FieldDescriptor(name: "title", type: .string(), isRequired: true),
                FieldDescriptor(name: "body", type: .string(), isNullable: true),
                FieldDescriptor(name: "count", type: .integer()),
                FieldDescriptor(name: "tags", type: .array(element: .string(), isSet: true), merge: .union),
                FieldDescriptor(name: "createdAt", type: .dateTime, isRequired: true),
                FieldDescriptor(name: "updatedAt", type: .dateTime, isRequired: true),
            ],
            key: ["id"],
            strategy: strategy,
            granularity: granularity,
            created: "createdAt",
            updated: "updatedAt"
        )
        planner = Planner(descriptor: entity, own: OwnDevices(current: DeviceID(bits: 2)), isLinear: isLinear)
        label = isLinear ? "at a server" : "in a folder"
    }

    /// A record that is not here yet.
    var new: PlanCase {
        made(name: "new", outcome: .taken) { _, _, theirs in (Planner.RecordState(), theirs) }
    }

    /// A newer version of a record that is clean here.
    var newer: PlanCase {
        made(name: "newer", outcome: .taken) { base, _, theirs in
            (Planner.RecordState(local: LocalRecord(version: base, state: .synced)), theirs)
        }
    }

    /// What is here already comes once more.
    var known: PlanCase {
        made(name: "known", outcome: .known) { base, _, _ in
            (Planner.RecordState(local: LocalRecord(version: base, state: .synced)), base)
        }
    }

    /// An own edit comes back.
    var returned: PlanCase {
        made(name: "returned", outcome: .acknowledged) { base, mine, _ in
            (Planner.RecordState(local: LocalRecord(version: mine, state: .pending), base: base), mine)
        }
    }

    /// An edit here meets one that was made elsewhere.
    var concurrent: PlanCase {
        made(name: "concurrent", outcome: isPlainest ? .conflict : .merged) { base, mine, theirs in
            (Planner.RecordState(local: LocalRecord(version: mine, state: .pending), base: base), theirs)
        }
    }

    private func made(
        name: String,
        outcome: Planner.Outcome,
        input: (_ base: SyncRecord, _ mine: SyncRecord, _ theirs: SyncRecord) -> (
            Planner.RecordState, SyncRecord
        )
    ) -> PlanCase {
        let inputs = (0..<Self.count).compactMap {
            number -> (recordState: Planner.RecordState, incoming: SyncRecord)? in
            let base = edit(nil, device: 1, number: number) { record in
                record.values = [
                    .text("00000000-0000-4000-8000-\(String(1_000_000_000_000 + number).dropFirst())"),
                    .text("Title \(number)"), .text("A body of some words, number \(number)"),
                    .integer(Int64(number)), .json(#"["blue","red"]"#), nil, nil,
                ]
            }
            let mine = edit(base, device: 2, number: number) {
                $0.values[1] = .text("Title \(number), as I call it")
            }
            let isByField = entity.strategy == .preserveLocal && entity.granularity == .field
            let theirs = edit(base, device: 3, number: number) { record in
                record.values[isByField ? 2 : 1] = .text("What another device calls it")
                record.values[4] = .json(#"["blue","green"]"#)
            }
            guard let base, let mine, let theirs else { return nil }
            let (recordState, incoming) = input(base, mine, theirs)
            // What arrives was read from bytes, and has nothing in common with what is here.
            let bytes = EntryCodec.encode(incoming, descriptor: entity)
            return (try? EntryCodec.decode(bytes, descriptor: entity)).map {
                (recordState: recordState, incoming: $0)
            }
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
        device: UInt64,
        number: Int,
        change: (inout Record) -> Void
    ) -> SyncRecord? {
        var edit = Editor.Edit(current: current, record: current?.record ?? Record(empty: entity))
        change(&edit.record)
        let time = Timestamp(microseconds: 1_767_225_600_000_000 + Int64(device) * 1_000_000 + Int64(number))
        let editor = Editor(descriptor: entity, now: time, device: DeviceID(bits: device))
        let key = entity.key(of: edit.record) ?? RecordKey("\(number)")
        guard case .edited(let version) = editor(edit, key: key, sequence: { Int64(number + 1) }) else {
            return nil
        }
        return version
    }
}
