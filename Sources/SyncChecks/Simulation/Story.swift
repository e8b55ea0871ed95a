/// What happens in one simulated world: who takes part, and which steps follow each other. A value: the same story makes
/// the same world, byte for byte, and a story without some of its steps is a story, too.
public struct Story: Sendable, Hashable {
    /// Where all that the steps leave open is drawn from.
    public var seed: UInt64
    /// How many devices take part.
    public var devices: Int
    /// Where they meet.
    public var place: World.Place
    /// What happens, in order.
    public var steps: [StoryStep]

    /// Tells a story.
    public init(seed: UInt64, devices: Int, place: World.Place, steps: [StoryStep]) {
        self.seed = seed
        self.devices = devices
        self.place = place
        self.steps = steps
    }
}

/// One step of a story. It says all that it needs by itself, so that it means the same whatever came before it.
public struct StoryStep: Sendable, Hashable {
    /// The device that it happens to, by position.
    public var device: Int
    /// What happens.
    public var kind: Kind
    /// What is left open is drawn from it: which record, which value, which message is lost.
    public var bits: UInt64

    /// Describes a step.
    public init(device: Int, kind: Kind, bits: UInt64) {
        self.device = device
        self.kind = kind
        self.bits = bits
    }

    /// What may happen.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        // What people do.
        case create, edit, delete, recreate, resolve, restore, retry
        // What apps do.
        case sync, syncAll, upgrade, switchAccount, restart
        /// A sync while something else happens between two of its messages.
        case syncBusily
        // What goes wrong.
        case clock, loseMessage, crash, diskFault, diskFull, readOnly, deliver, deliverHalf
        case restoreServer, purge, expireToken, rateLimit
        /// Something in a folder that no device has put there so.
        case strangeFile
        /// Time passes for all.
        case pass
    }
}

/// What may go wrong in a world.
public enum StoryFault: String, Sendable, Hashable, CaseIterable {
    /// Clocks drift, jump and lie.
    case clocks
    /// Messages are lost, late, repeated and cut.
    case messages
    /// Programs end and machines go off between any two changes of a disk.
    case crashes
    /// Disks fail, are full, or may only be read.
    case disks
    /// A folder's files come late, out of order, or half.
    case folders
    /// The server is put back from a backup, forgets tombstones, refuses tokens and asks to wait.
    case servers
    /// People go from one account to another.
    case accounts
    /// Apps are updated one by one.
    case schemas
    /// A folder holds files under wrong names, and records that fit no schema.
    case strangers

    /// The kinds of step that belong to it.
    var kinds: [StoryStep.Kind] {
        switch self {
        case .clocks: [.clock]
        case .messages: [.loseMessage]
        case .crashes: [.crash, .restart]
        case .disks: [.diskFault, .diskFull, .readOnly]
        case .folders: [.deliver, .deliverHalf]
        case .servers: [.restoreServer, .purge, .expireToken, .rateLimit]
        case .accounts: [.switchAccount]
        case .schemas: [.upgrade]
        case .strangers: [.strangeFile]
        }
    }
}

/// Makes stories from seeds.
public struct StoryGenerator: Sendable {
    /// The greatest number of devices; at least 1.
    public var maxDevices: Int
    /// The greatest number of steps.
    public var maxSteps: Int
    /// What may go wrong.
    public var faults: Set<StoryFault>
    /// Where devices may meet.
    public var places: [World.Place]
    /// Kinds of steps that happen more often, each as often as it stands here.
    public var often: [StoryStep.Kind] = []

    /// Tells short stories of up to three devices in which anything may go wrong, unless told otherwise.
    public init(
        maxDevices: Int = 3,
        maxSteps: Int = 40,
        faults: Set<StoryFault> = Set(StoryFault.allCases),
        places: [World.Place] = [.folders, .server]
    ) {
        self.maxDevices = max(1, maxDevices)
        self.maxSteps = max(1, maxSteps)
        self.faults = faults
        self.places = places
    }

    /// The story of a seed.
    public func story(seed: UInt64) -> Story {
        var draw = Seed(seed)
        let place = places.randomElement(using: &draw) ?? .folders
        let devices = Int.random(in: min(2, maxDevices)...maxDevices, using: &draw)
        let kinds = kinds(at: place, draw: &draw)
        let count = Int.random(in: min(4, maxSteps)...maxSteps, using: &draw)
        let steps = (0..<count).map { _ in
            StoryStep(
                device: Int.random(in: 0..<devices, using: &draw),
                kind: kinds.randomElement(using: &draw) ?? .edit,
                bits: draw.next()
            )
        }
        return Story(seed: seed, devices: devices, place: place, steps: steps)
    }

    /// The kinds to draw from, each as often as it is likely. A story has some kinds of fault, seldom all: what hides
    /// behind one fault is found where that fault is missing.
    private func kinds(at place: World.Place, draw: inout Seed) -> [StoryStep.Kind] {
        var kinds: [StoryStep.Kind] = []
        func add(_ kind: StoryStep.Kind, times: Int) { kinds += Array(repeating: kind, count: times) }
        add(.create, times: 4)
        add(.edit, times: 8)
        add(.delete, times: 3)
        add(.recreate, times: 2)
        add(.resolve, times: 2)
        add(.restore, times: 1)
        add(.retry, times: 1)
        add(.sync, times: 9)
        add(.syncAll, times: 1)
        add(.syncBusily, times: 4)
        add(.pass, times: 2)
        for kind in often { add(kind, times: 1) }
        if place != .server { add(.deliver, times: 4) }
        for fault in StoryFault.allCases where faults.contains(fault) {
            guard ![.folders, .strangers].contains(fault) || place != .server,
                fault != .servers || place == .server
            else {
                continue
            }
            guard Int.random(in: 0..<3, using: &draw) > 0 else { continue }
            for kind in fault.kinds { add(kind, times: 2) }
        }
        return kinds
    }
}
