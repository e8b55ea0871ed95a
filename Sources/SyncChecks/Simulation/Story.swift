/// The participants and steps of a simulated world. A value: the same story gives the same world, byte for
/// byte, and removing steps gives another valid story.
public struct Story: Sendable, Hashable {
    /// The seed of everything that the steps leave open.
    public var seed: UInt64
    /// The number of devices.
    public var devices: Int
    /// The kind of remote.
    public var place: World.Place
    /// The steps, in order.
    public var steps: [StoryStep]

    /// Makes a story.
    public init(seed: UInt64, devices: Int, place: World.Place, steps: [StoryStep]) {
        self.seed = seed
        self.devices = devices
        self.place = place
        self.steps = steps
    }
}

/// One step of a story. Its meaning does not depend on the steps before it.
public struct StoryStep: Sendable, Hashable {
    /// The index of the device.
    public var device: Int
    /// The kind of the step.
    public var kind: Kind
    /// The seed of everything that the step leaves open: which record, which value, which message is lost.
    public var bits: UInt64

    /// Makes a step.
    public init(device: Int, kind: Kind, bits: UInt64) {
        self.device = device
        self.kind = kind
        self.bits = bits
    }

    /// The kinds of steps.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        // Actions of people.
        case create, edit, delete, recreate, resolve, restore, retry
        // Actions of apps.
        case sync, syncAll, upgrade, switchAccount, restart
        /// A sync with other events between its messages.
        case syncBusily
        // Faults.
        case clock, loseMessage, crash, diskFault, diskFull, readOnly, deliver, deliverHalf
        case restoreServer, purge, expireToken, rateLimit
        /// A foreign file in a folder.
        case strangeFile
        /// Time passes for all.
        case pass
    }
}

/// The classes of faults in a world.
public enum StoryFault: String, Sendable, Hashable, CaseIterable {
    /// Wrong clocks that drift and jump.
    case clocks
    /// Messages that are lost, late, repeated or truncated.
    case messages
    /// Killed processes and crashed machines between any two changes of a disk.
    case crashes
    /// Disks that fail, are full, or are read-only.
    case disks
    /// Files of a folder that arrive late, out of order, or truncated.
    case folders
    /// Servers that are restored from a backup, purge tombstones, refuse tokens or ask to wait.
    case servers
    /// Account switches.
    case accounts
    /// App updates, one device at a time.
    case schemas
    /// Folders with misnamed files and invalid records.
    case foreignFiles = "strangers"

    /// The kinds of steps in this class.
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
        case .foreignFiles: [.strangeFile]
        }
    }
}

/// Generates stories from seeds.
public struct StoryGenerator: Sendable {
    /// The most devices; at least 1.
    public var maxDevices: Int
    /// The most steps.
    public var maxSteps: Int
    /// The classes of faults.
    public var faults: Set<StoryFault>
    /// The kinds of remotes to choose from.
    public var places: [World.Place]
    /// Kinds of steps to prefer, repeated by their weights.
    public var often: [StoryStep.Kind] = []

    /// Makes a generator. By default it generates short stories of up to three devices with all faults.
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

    /// The kinds to choose from, repeated by their weights. A story usually has only some classes of faults,
    /// so that one does not mask the effects of another.
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
            guard ![.folders, .foreignFiles].contains(fault) || place != .server,
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
