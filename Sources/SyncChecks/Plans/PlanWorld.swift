package import SyncCore
package import SyncRuntime

/// The state of a running story: what each device has, and what is in transit.
final class PlanWorld {
    let story: PlanStory
    let material: PlanMaterial
    let flaw: PlanFlaw?
    let tables: [Reconcile]
    var devices: [PlanDevice]
    var oracle: PlanOracle
    /// Versions in the folder, by record.
    var published: [[SyncRecord]]
    /// Versions on the server, by record.
    var stored: [StoredVersion]
    /// The number of the step, from 1; 0 at rest.
    var step = 0
    /// The number of plans.
    var plans = 0
    /// A checksum of all events; two runs of one story have the same.
    var checksum: UInt64 = 0xcbf2_9ce4_8422_2325
    /// The events in plain words, if they are recorded.
    private(set) var lines: [String] = []
    private let recordsLines: Bool

    /// A server's version of one record.
    struct StoredVersion {
        var version: SyncRecord?
        var revision = 0
    }

    init(story: PlanStory, material: PlanMaterial, flaw: PlanFlaw?, recordsLines: Bool) {
        self.story = story
        self.material = material
        self.flaw = flaw
        self.recordsLines = recordsLines
        tables = material.tables(at: story.place)
        devices = (0..<story.devices).map { PlanDevice(index: $0, keys: story.keys) }
        oracle = PlanOracle(material.descriptor)
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
            log(
                device: device,
                text: "sets its clock to \(devices[device].offset / 1_000) s from the others'"
            )
        case .purge:
            guard story.place == .server, stored[key].version?.isDeleted == true else { return }
            stored[key].version = nil
            stored[key].revision += 1
            log(device: nil, text: "the server forgets the tombstone\(name(key: key))")
        }
    }

    // MARK: Reporting

    func log(device: Int?, text: @autoclosure () -> String) {
        guard recordsLines else { return }
        let place = device.map { String(UnicodeScalar(UInt8(65 + $0))) } ?? "all"
        let number = step == 0 ? "rest" : "\(step)"
        let pad = String(repeating: " ", count: max(0, 4 - number.count))
        lines.append("\(pad)\(number)  \(place)\(place.count == 1 ? "  " : "") \(text())")
    }

    func violation(rule: String, device: Int?, text: String) -> StoryViolation {
        log(device: device, text: "PROMISE BROKEN: \(text)")
        return StoryViolation(rule: rule, description: text)
    }

    /// Names a record if there are several.
    func name(key: Int) -> String { story.keys == 1 ? "" : " of record \(key + 1)" }

    /// A version as text: its edit timestamp and its content.
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

    /// A device as a letter. Conclusions and edits under another key have no device.
    private func author(device: DeviceID) -> String {
        guard let number = UInt8(exactly: device.bits), number <= 26 else { return "merged" }
        return number == 0 ? "nobody" : String(UnicodeScalar(64 + number))
    }

    func mix(_ value: UInt64) {
        checksum = (checksum ^ value) &* 0x100_0000_01b3
    }
}

/// A simulated device.
struct PlanDevice {
    let index: Int
    let id: DeviceID
    /// The error of its clock in microseconds.
    var offset: Int64 = 0
    var sequence: Int64 = 0
    var records: [Place]
    /// Versions that lost to an automatic decision here.
    var lost: [SyncRecord] = []
    /// Its published versions in the folder without an answer, in order.
    var unheard: [(key: Int, index: Int)] = []

    /// One record on the device.
    struct Place {
        var recordState = RecordState()
        /// A local edit of a record that another device merged away, until it has met the survivor.
        var displaced: SyncRecord?
        /// The combined version vector of all delivered versions.
        var taken = VersionVector()
        /// Which published versions were delivered.
        var came: [Bool] = []
        /// The server revision that was delivered last.
        var revision: Int?
        /// A page in transit.
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

/// A deliberate defect of the planning, which a test injects to verify that stories detect it.
package struct PlanFlaw: Sendable {
    /// Changes a plan. Gets the state before, the incoming version, and the index of the device.
    package var onPlan: @Sendable (inout Reconciliation, RecordState, SyncRecord, Int) -> Void
    /// Changes the state after an acknowledgement. Gets the state before and the sent version.
    package var onAcknowledge: @Sendable (inout RecordState, RecordState, SyncRecord, Int) -> Void
    /// Changes how duplicates are merged. Gets the index of the device.
    package var onMerge: @Sendable (inout UniqueConflict.Plan, Int) -> Void

    /// Makes a flaw; by default it changes nothing.
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
