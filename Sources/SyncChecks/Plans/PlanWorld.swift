package import SyncCore
package import SyncRuntime

/// One story as it goes on: what each device holds, and what travels.
final class PlanWorld {
    let story: PlanStory
    let material: PlanMaterial
    let flaw: PlanViolation?
    let planners: [Reconcile]
    var devices: [PlanDevice]
    var ledger: PlanLedger
    /// Versions in a folder, by record.
    var published: [[SyncRecord]]
    /// What a server holds, by record.
    var stored: [StoredVersion]
    /// The number of the step, from 1; 0 at rest.
    var step = 0
    /// How many plans were asked for.
    var plans = 0
    /// Follows from all that happened: two runs of one story have the same.
    var checksum: UInt64 = 0xcbf2_9ce4_8422_2325
    /// The story in plain words; kept only where somebody will read it.
    private(set) var lines: [String] = []
    private let isTold: Bool

    /// A server's version of one record.
    struct StoredVersion {
        var version: SyncRecord?
        var revision = 0
    }

    init(story: PlanStory, material: PlanMaterial, flaw: PlanViolation?, isTold: Bool) {
        self.story = story
        self.material = material
        self.flaw = flaw
        self.isTold = isTold
        planners = material.planners(at: story.place)
        devices = (0..<story.devices).map { PlanDevice(index: $0, keys: story.keys) }
        ledger = PlanLedger(material.descriptor)
        published = Array(repeating: [], count: story.keys)
        stored = Array(repeating: StoredVersion(), count: story.keys)
    }

    var descriptor: EntityDescriptor { material.descriptor }

    func run() throws {
        for (number, next) in story.steps.enumerated() {
            step = number + 1
            try perform(next)
        }
        step = 0
        try rest()
    }

    private func perform(_ next: PlanStep) throws {
        var draw = Seed(next.bits)
        let key = story.keys == 1 ? 0 : Int.random(in: 0..<story.keys, using: &draw)
        let device = next.device
        switch next.kind {
        case .write: try write(device, key: key, draw: &draw)
        case .delete: try delete(device, key: key, draw: &draw)
        case .resolve: try resolve(device: device, key: key, draw: &draw)
        case .publish: try publish(device, key: key)
        case .publishUnheard: try publish(device, key: key, hears: false)
        case .publishEditing: try publish(device, key: key) { try self.write(device, key: key, draw: &draw) }
        case .take: try take(device: device, key: key, draw: &draw)
        case .takeAgain: try takeAgain(device, key: key, draw: &draw)
        case .takeAll: try takeAll(device, draw: &draw)
        case .clock:
            devices[device].offset = Int64.random(in: -6...6, using: &draw) * 1_000
            tell(
                device: device,
                text: "sets its clock to \(devices[device].offset / 1_000) s from the others'"
            )
        case .purge:
            guard story.place == .server, stored[key].version?.isDeleted == true else { return }
            stored[key].version = nil
            stored[key].revision += 1
            tell(device: nil, text: "the server forgets the tombstone\(name(key: key))")
        }
    }

    // MARK: Telling

    func tell(device: Int?, text: @autoclosure () -> String) {
        guard isTold else { return }
        let place = device.map { String(UnicodeScalar(UInt8(65 + $0))) } ?? "all"
        let number = step == 0 ? "rest" : "\(step)"
        let pad = String(repeating: " ", count: max(0, 4 - number.count))
        lines.append("\(pad)\(number)  \(place)\(place.count == 1 ? "  " : "") \(text())")
    }

    func violation(rule: String, device: Int?, text: String) -> StoryViolation {
        tell(device: device, text: "PROMISE BROKEN: \(text)")
        return StoryViolation(rule: rule, description: text)
    }

    /// Names a record where there are several.
    func name(key: Int) -> String { story.keys == 1 ? "" : " of record \(key + 1)" }

    /// A version for people: its mark, and what it says.
    func words(version: SyncRecord) -> String {
        let editTimestamp = version.metadata.editTimestamp
        let origin = author(device: editTimestamp.device)
        let edit = "\(origin)\(editTimestamp.sequence) at \(editTimestamp.time.microseconds / 1_000)"
        if version.isDeleted {
            return version.mergedInto == nil ? "deleted (\(edit))" : "merged away (\(edit))"
        }
        var values = material.free.compactMap { index in
            version.record.values[index].map { "\(descriptor.fields[index].name) \($0.json)" }
        }
        if let index = descriptor.layout.created, case .timestamp(let time)? = version.record.values[index] {
            values.append("made at \(time.microseconds / 1_000)")
        }
        return "\(values.joined(separator: ", ")) (\(edit))"
    }

    /// A device by its letter; edits that follow from others, or that were made under another key, have no device.
    private func author(device: DeviceID) -> String {
        guard let number = UInt8(exactly: device.bits), number <= 26 else { return "merged" }
        return number == 0 ? "nobody" : String(UnicodeScalar(64 + number))
    }

    func mix(_ value: UInt64) {
        checksum = (checksum ^ value) &* 0x100_0000_01b3
    }
}

/// One imaginary device.
struct PlanDevice {
    let index: Int
    let id: DeviceID
    /// How far its clock is from the true time, in microseconds.
    var offset: Int64 = 0
    var sequence: Int64 = 0
    var records: [Place]
    /// Versions that lost to an automatic decision here.
    var lost: [SyncRecord] = []
    /// What it published in a folder and heard no answer to, in that order.
    var unheard: [(key: Int, index: Int)] = []

    /// One record as the device holds it.
    struct Place {
        var recordState = RecordState()
        /// What was written here before another device merged the record away, until it has met the survivor.
        var displaced: SyncRecord?
        /// All that the versions that came have seen.
        var taken = VersionVector()
        /// Which published versions came.
        var came: [Bool] = []
        /// The server's revision that was taken in last.
        var revision: Int?
        /// A page that is on its way.
        var page: PlanWorld.StoredVersion?
    }

    init(index: Int, keys: Int) {
        self.index = index
        id = PlanMaterial.device(index: index)
        records = Array(repeating: Place(), count: keys)
    }

    mutating func nextSequence() -> Int64 {
        sequence += 1
        return sequence
    }
}

/// Planning that is wrong on purpose: what a test puts in to see that stories notice.
package struct PlanViolation: Sendable {
    /// Changes a plan. Given are the state before, what came, and the device by position.
    package var onPlan: @Sendable (inout Reconciliation, RecordState, SyncRecord, Int) -> Void
    /// Changes the state after an acknowledgement. Given are the state before and what was sent.
    package var onAcknowledge: @Sendable (inout RecordState, RecordState, SyncRecord, Int) -> Void
    /// Changes how a group is merged. Given is the device by position.
    package var onMerge: @Sendable (inout UniqueConflict.Plan, Int) -> Void

    /// Planning without flaw where none is given.
    package init(
        onPlan: @escaping @Sendable (inout Reconciliation, RecordState, SyncRecord, Int) -> Void = {
            _,
            _,
            _,
            _ in
        },
        onAcknowledge:
            @escaping @Sendable (inout RecordState, RecordState, SyncRecord, Int) -> Void = {
                _,
                _,
                _,
                _ in
            },
        onMerge: @escaping @Sendable (inout UniqueConflict.Plan, Int) -> Void = { _, _ in }
    ) {
        self.onPlan = onPlan
        self.onAcknowledge = onAcknowledge
        self.onMerge = onMerge
    }
}
