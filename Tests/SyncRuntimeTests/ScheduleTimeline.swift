import SyncChecks
import SyncCore
import SyncRuntime
import SyncSchedule
import Testing

/// A schedule on a virtual clock. Events are put on it in order of time; what the schedule does is noted as lines such as
/// `0.8 refresh[note] write`.
struct Timeline {
    /// What the schedule did.
    var story: [String] = []
    /// Seconds that each sync takes from now on.
    var syncSeconds: Double = 1
    /// How the next syncs end; synced where none is left.
    var endings: [SyncEnding] = []
    /// How syncs end where `endings` is empty.
    var usualEnding: SyncEnding = .synced
    var fraction = 0.5
    /// Draws fractions instead.
    var draws: Seed?
    /// Microseconds by which the wall clock is off.
    var clockError: Int64 = 0

    private(set) var state: ScheduleState
    /// Microseconds since the story began, which no clock setting changes.
    private(set) var time: Int64 = 0
    private var timer: (id: UInt64, time: Int64)?
    private var syncEnd: Int64?
    /// Instants at which syncs began.
    private(set) var starts: [Int64] = []
    /// What they covered.
    private(set) var profiles: [SyncProfile] = []

    static let origin = ManualClock().now().microseconds
    static let names: [String] = ["author", "note", "book"]

    init(essential: Set<String> = [], policy: SchedulePolicy = SchedulePolicy(), lastSuccess: Double? = nil) {
        let entities = Self.names.map { name in
            EntityDescriptor(
                name: name,
                typeName: "Record",
                fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)],
                key: ["id"],
                strategy: .lastWriteWins,
                references: name == "book"
                    ? [ReferenceDescriptor(field: "id", entity: "author", onDelete: .restrict)] : []
            )
        }
        state = ScheduleState(
            entities: ScheduledEntities(entities: entities, essential: essential),
            policy: policy,
            lastSuccess: lastSuccess.map {
                Timestamp(microseconds: Self.origin + Int64($0 * 1_000_000))
            }
        )
    }

    var now: Timestamp { Timestamp(microseconds: Self.origin + time + clockError) }
    var phase: ScheduleSnapshot.Phase { state.snapshot.phase }
    var isSyncing: Bool { syncEnd != nil }
    var seconds: Double { Double(time) / 1_000_000 }

    /// An instant of the story as the wall clock shows it.
    func instant(seconds: Double) -> Timestamp {
        Timestamp(microseconds: Self.origin + clockError + Int64((seconds * 1_000_000).rounded()))
    }

    /// Lets time pass until an instant, then tells an event.
    mutating func at(seconds: Double, event: ScheduleEvent) {
        run(until: seconds)
        tell(event)
    }

    /// Excludes these entities alone from now on.
    mutating func exclude(_ names: String...) { state.excluded = Set(names) }

    /// Writes a note.
    mutating func write(at seconds: Double, name: String = "note") {
        at(seconds: seconds, event: .localWrite(entities: [name]))
    }

    /// Lets time pass: timers fire, syncs end.
    mutating func run(until seconds: Double) {
        let end = Int64((seconds * 1_000_000).rounded())
        while let next = [timer?.time, syncEnd].compactMap({ $0 }).min(), next <= end {
            time = max(time, next)
            if let syncEnd, syncEnd <= time {
                self.syncEnd = nil
                tell(.syncFinished(endings.isEmpty ? usualEnding : endings.removeFirst()))
            } else if let timer {
                self.timer = nil
                tell(.timerFired(id: timer.id))
            }
        }
        time = max(time, end)
    }

    private mutating func tell(_ event: ScheduleEvent) {
        let before = now
        if draws != nil { fraction = Double.random(in: 0..<1, using: &draws!) }
        for action in state.handle(event, now: now, fraction: fraction) {
            switch action {
            case .startSync(let profile, let reasons):
                #expect(syncEnd == nil, "two syncs at once at \(seconds)")
                syncEnd = time + Int64(syncSeconds * 1_000_000)
                starts.append(time)
                profiles.append(profile)
                let names = profile.entities.joined(separator: ",")
                let why = reasons.map(\.rawValue).sorted().joined(separator: "+")
                note("\(profile.kind.rawValue)[\(names)] \(why)")
            case .cancelSync:
                #expect(syncEnd != nil, "cancelled what does not run at \(seconds)")
                note("cancel")
                syncEnd = time
                endings.insert(.cancelled, at: 0)
            case .setTimer(let id, let instant):
                #expect(instant > before, "a timer in the past at \(seconds) after \(event)")
                timer = (id, time + instant.microseconds - before.microseconds)
            case .cancelTimer: timer = nil
            case .answer(let ids, let answer):
                note("answer \(ids.map(String.init).joined(separator: ",")) \(answer)")
            case .requestBackgroundTime: note("request time")
            case .releaseBackgroundTime(let success): note(success ? "release time" : "release time, failed")
            case .reportStatus(let snapshot): #expect(snapshot == state.snapshot)
            }
        }
    }

    private mutating func note(_ text: String) {
        let tenths = (time + 50_000) / 100_000
        story.append("\(tenths / 10).\(tenths % 10) \(text)")
    }
}
