import SyncRuntime

/// A short story about one record, or a few that share unique values, on simulated devices. A value: the same
/// story always runs the same way, and removing steps gives another valid story.
public struct PlanStory: Sendable, Hashable {
    /// The seed of everything that the steps leave open.
    public var seed: UInt64
    /// The index of the entity in the simulator.
    public var entity: Int
    /// The number of devices.
    public var devices: Int
    /// The number of records.
    public var keys: Int
    /// The kind of remote.
    public var place: Place
    /// The steps, in order.
    public var steps: [PlanStep]

    package init(seed: UInt64, entity: Int, devices: Int, keys: Int, place: Place, steps: [PlanStep]) {
        self.seed = seed
        self.entity = entity
        self.devices = devices
        self.keys = keys
        self.place = place
        self.steps = steps
    }

    /// The kind of remote.
    public enum Place: String, Sendable, Hashable, CaseIterable {
        /// All published versions are kept, and are delivered in any order.
        case folder
        /// One version per record, updated by compare-and-set.
        case server

        /// How many versions of a record it holds.
        var remote: RemoteKind { self == .server ? .linear : .forked }
    }
}

/// One step of a story. Its meaning does not depend on the steps before it.
public struct PlanStep: Sendable, Hashable {
    /// The index of the device.
    public var device: Int
    /// The kind of the step.
    public var kind: Kind
    /// The seed of everything that the step leaves open.
    public var bits: UInt64

    package init(device: Int, kind: Kind, bits: UInt64) {
        self.device = device
        self.kind = kind
        self.bits = bits
    }

    /// The kinds of steps.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A person edits, deletes, creates or recreates a record.
        case write, delete
        /// A person resolves a conflict.
        case resolve
        /// Pending changes are sent, and the answer arrives.
        case publish
        /// Pending changes are sent, and the answer is lost.
        case publishUnheard
        /// Pending changes are sent, and a person edits before the answer arrives.
        case publishEditing
        /// A new version is delivered.
        case take
        /// A version is delivered again, or a page is fetched that arrives later.
        case takeAgain
        /// All versions are delivered.
        case takeAll
        /// The device's clock is changed.
        case clock
        /// The server purges a tombstone.
        case purge
    }
}

/// Generates stories from seeds.
struct PlanStoryGenerator: Sendable {
    let materials: [PlanMaterial]

    /// The most steps of a story.
    static let maxSteps = 22

    func story(seed: UInt64) -> PlanStory {
        var draw = Seed(seed)
        let entity = Int.random(in: 0..<materials.count, using: &draw)
        let shares = materials[entity].hasUnique && Int.random(in: 0..<4, using: &draw) == 0
        let devices = Int.random(in: 2...4, using: &draw)
        let count = Int.random(in: 4...Self.maxSteps, using: &draw)
        let keys = shares ? Int.random(in: 2...PlanMaterial.maxKeys, using: &draw) : 1
        let place: PlanStory.Place = Bool.random(using: &draw) ? .folder : .server
        var steps: [PlanStep] = []
        steps.reserveCapacity(count)
        for _ in 0..<count {
            let bits = draw.next()
            let kind = Self.kinds[Int(truncatingIfNeeded: bits >> 48) % Self.kinds.count]
            let device = Int(truncatingIfNeeded: bits >> 32 & 0xffff) % devices
            steps.append(PlanStep(device: device, kind: kind, bits: draw.next()))
        }
        return PlanStory(
            seed: seed,
            entity: entity,
            devices: devices,
            keys: keys,
            place: place,
            steps: steps
        )
    }

    /// The kinds, repeated by their weights.
    private static let kinds: [PlanStep.Kind] =
        Array(repeating: .write, count: 8) + Array(repeating: .delete, count: 2)
        + Array(repeating: .resolve, count: 2) + Array(repeating: .publish, count: 5)
        + [.publishUnheard, .publishEditing, .clock, .purge]
        + Array(repeating: .take, count: 7) + Array(repeating: .takeAgain, count: 2)
        + Array(repeating: .takeAll, count: 3)
}
