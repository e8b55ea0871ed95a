/// A short story about one record, or a few that share unique values, on imaginary devices. A value: the same story
/// goes the same way, and a story without some of its steps is a story, too.
public struct PlanStory: Sendable, Hashable {
    /// Where all that the steps leave open is drawn from.
    public var seed: UInt64
    /// The entity, by position among those of the simulator.
    public var entity: Int
    /// How many devices take part.
    public var devices: Int
    /// How many records the story is about.
    public var keys: Int
    /// Where the devices meet.
    public var place: Place
    /// What happens, in order.
    public var steps: [PlanStep]

    package init(seed: UInt64, entity: Int, devices: Int, keys: Int, place: Place, steps: [PlanStep]) {
        self.seed = seed
        self.entity = entity
        self.devices = devices
        self.keys = keys
        self.place = place
        self.steps = steps
    }

    /// Where devices meet.
    public enum Place: String, Sendable, Hashable, CaseIterable {
        /// Every published version stays, and reaches the others in any order.
        case folder
        /// One version per record, exchanged by compare-and-set.
        case server
    }
}

/// One step of a story. It means the same whatever came before it.
public struct PlanStep: Sendable, Hashable {
    /// The device that it happens to, by position.
    public var device: Int
    /// What happens.
    public var kind: Kind
    /// What is left open is drawn from it.
    public var bits: UInt64

    package init(device: Int, kind: Kind, bits: UInt64) {
        self.device = device
        self.kind = kind
        self.bits = bits
    }

    /// What may happen.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A person edits, deletes, makes or makes again.
        case write, delete
        /// A person settles a conflict.
        case resolve
        /// What waits is sent, and the answer comes.
        case publish
        /// What waits is sent, and the answer is lost.
        case publishUnheard
        /// What waits is sent, and a person edits before the answer comes.
        case publishEditing
        /// A version comes, whichever of those that have not come.
        case take
        /// A version comes that came before, or is on its way until later.
        case takeAgain
        /// All that there is comes.
        case takeAll
        /// The device's clock is set to something else.
        case clock
        /// The server forgets a tombstone.
        case purge
    }
}

/// Makes stories from seeds.
struct PlanStoryGenerator: Sendable {
    let materials: [PlanMaterial]

    /// How many steps a story has at most.
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

    /// Each kind as often as it is likely.
    private static let kinds: [PlanStep.Kind] =
        Array(repeating: .write, count: 8) + Array(repeating: .delete, count: 2)
        + Array(repeating: .resolve, count: 2) + Array(repeating: .publish, count: 5)
        + [.publishUnheard, .publishEditing, .clock, .purge]
        + Array(repeating: .take, count: 7) + Array(repeating: .takeAgain, count: 2)
        + Array(repeating: .takeAll, count: 3)
}
