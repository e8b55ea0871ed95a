/// The steps of an outside world. A value: the same story gives the same world, and removing steps gives
/// another valid story.
public struct OutsideStory: Sendable, Hashable {
    /// The seed of everything that the steps leave open.
    public var seed: UInt64
    /// The index of the schema set.
    public var schemas: Int
    /// The number of devices.
    public var devices: Int
    /// The kind of remote.
    public var place: OutsidePlace
    /// The steps, in order.
    public var steps: [OutsideStep]
    /// The seed of what a newer version of the app changes; nil if there is none.
    public var changes: UInt64?
}

/// The kind of remote of an outside world.
public enum OutsidePlace: String, Sendable, Hashable, CaseIterable {
    /// A shared folder.
    case folder
    /// A folder on a cloud drive: each device has a copy, and files are transferred at any time.
    case cloud
    /// The real server's request handler.
    case server
}

/// One step of an outside story.
public struct OutsideStep: Sendable, Hashable {
    /// The index of the device.
    public var device: Int
    /// The kind of the step.
    public var kind: Kind
    /// The seed of everything that the step leaves open.
    public var bits: UInt64
    /// Selects the record: the same number selects the same record on devices that show the same.
    public var focus: UInt64

    /// The kinds of steps.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        // Writes of people.
        case create, edit, undo, delete, takeIn = "import"
        // Forms that stay open, and records that come back.
        case read, save, undelete
        // Values that an app brings along, and moves in trees.
        case seed, move
        // Decisions of people.
        case look, resolve, restore, retry, discard
        // Actions of apps, and time.
        case sync, syncAll, pass
        // Faults in transit.
        case loseAnswer, crash, travel, travelAll, oldFile
        // Changes to devices and folders.
        case reinstall, leave, backUp, putBack, emptyFolder, loseFiles, retire, purge
        // The newer version of an app.
        case update

        /// The kinds that are strewn into stories that were made without them.
        public static let strewn: Set<Kind> = [.read, .save, .undelete, .seed, .move]
    }
}

extension OutsideStory: SteppedStory {}

/// Generates stories from seeds. A story has only a few kinds of steps, so that one kind does not mask the
/// effects of another.
struct OutsideStoryMaker {
    var schemaCount: Int
    var places: [OutsidePlace]
    var maxSteps: Int
    /// Kinds of steps to strew into the story, which is the same without them.
    var strewn: Set<OutsideStep.Kind> = []
    /// How many worlds there are for each one whose app gets a newer version; 0 if none does.
    var worldsPerUpdate: UInt64 = 4

    func story(seed: UInt64) -> OutsideStory {
        var draw = Seed(seed)
        let place = places.randomElement(using: &draw) ?? .folder
        let schemas = Int.random(in: 0..<max(1, schemaCount), using: &draw)
        let devices = [2, 2, 2, 3, 3, 4].randomElement(using: &draw) ?? 2
        let kinds = kinds(at: place, draw: &draw)
        let scenes = OutsideScene.allCases.filter { scene in
            scene.places.contains(place) && (!scene.isRare || Int.random(in: 0..<4, using: &draw) == 0)
        }
        let count = Int.random(in: min(4, maxSteps)...maxSteps, using: &draw)
        var steps: [OutsideStep] = []
        while steps.count < count {
            if Int.random(in: 0..<3, using: &draw) == 0, let scene = scenes.randomElement(using: &draw) {
                steps += scene.steps(devices: devices, draw: &draw)
            } else {
                let device = Int.random(in: 0..<devices, using: &draw)
                let kind = kinds.randomElement(using: &draw) ?? .edit
                steps.append(
                    OutsideStep(device: device, kind: kind, bits: draw.next(), focus: draw.next() % 4)
                )
            }
        }
        let kept = strewing(into: Array(steps.prefix(maxSteps)), devices: devices, seed: seed)
        let story = OutsideStory(seed: seed, schemas: schemas, devices: devices, place: place, steps: kept)
        return updating(story)
    }

    /// The story, in some worlds with a newer version of the app, to which devices are updated in any order: some before
    /// they have written anything, and some only at rest.
    private func updating(_ story: OutsideStory) -> OutsideStory {
        var draw = Seed(story.seed ^ 0x75_7064_6174_6573)
        guard worldsPerUpdate > 0, draw.next() % worldsPerUpdate == 0 else { return story }
        var story = story
        // The same changes, however many worlds have some.
        draw = Seed(story.seed ^ 0x76_6572_7369_6f6e)
        story.changes = draw.next()
        for device in (0..<story.devices).shuffled(using: &draw) {
            let at = Int.random(in: 0...story.steps.count, using: &draw)
            switch Int.random(in: 0..<6, using: &draw) {
            case 0: continue
            case 1: story.steps.insert(update(device, draw: &draw), at: 0)
            default: story.steps.insert(update(device, draw: &draw), at: at)
            }
        }
        return story
    }

    private func update(_ device: Int, draw: inout Seed) -> OutsideStep {
        OutsideStep(device: device, kind: .update, bits: draw.next(), focus: 0)
    }

    /// The steps with a few others between them: forms that are opened and saved later, and the rest.
    private func strewing(into steps: [OutsideStep], devices: Int, seed: UInt64) -> [OutsideStep] {
        var draw = Seed(seed ^ 0xf0e1_d2c3)
        let kinds = OutsideStep.Kind.allCases.filter { strewn.contains($0) && $0 != .read }
        guard !kinds.isEmpty else { return steps }
        var steps = steps
        for _ in 0..<Int.random(in: 0...max(1, steps.count / 4), using: &draw) {
            let device = Int.random(in: 0..<devices, using: &draw)
            let kind = kinds.randomElement(using: &draw) ?? .save
            let focus = draw.next() % 4
            let at = Int.random(in: 0...steps.count, using: &draw)
            steps.insert(OutsideStep(device: device, kind: kind, bits: draw.next(), focus: focus), at: at)
            if kind == .move || kind == .delete {
                // What another person does at the same time.
                let other = OutsideStep(
                    device: (device + 1) % devices,
                    kind: kind == .move ? .move : .edit,
                    bits: draw.next(),
                    focus: kind == .move ? focus + 1 : focus
                )
                steps.insert(other, at: at)
            }
            guard kind == .save, strewn.contains(.read) else { continue }
            let earlier = Int.random(in: 0...at, using: &draw)
            steps.insert(
                OutsideStep(device: device, kind: .read, bits: draw.next(), focus: focus),
                at: earlier
            )
        }
        return steps
    }

    /// The kinds to choose from, repeated by their weights.
    private func kinds(at place: OutsidePlace, draw: inout Seed) -> [OutsideStep.Kind] {
        var kinds: [OutsideStep.Kind] = []
        func add(_ kind: OutsideStep.Kind, times: Int) { kinds += Array(repeating: kind, count: times) }
        add(.create, times: 4)
        add(.edit, times: 9)
        add(.undo, times: 1)
        add(.sync, times: 9)
        add(.syncAll, times: 2)
        add(.delete, times: Int.random(in: 0...3, using: &draw))
        add(.resolve, times: Int.random(in: 2...5, using: &draw))
        if place == .cloud { add(.travel, times: Int.random(in: 2...8, using: &draw)) }
        let rare: [(OutsideStep.Kind, Int, [OutsidePlace])] = [
            (.takeIn, 2, OutsidePlace.allCases), (.restore, 3, OutsidePlace.allCases),
            (.look, 4, OutsidePlace.allCases), (.retry, 1, [.server]), (.discard, 2, [.server]),
            (.pass, 2, OutsidePlace.allCases),
            (.loseAnswer, 2, [.server]), (.crash, 2, OutsidePlace.allCases), (.oldFile, 2, [.cloud]),
            (.reinstall, 2, OutsidePlace.allCases), (.leave, 1, OutsidePlace.allCases),
            (.backUp, 2, OutsidePlace.allCases), (.emptyFolder, 1, [.folder, .cloud]),
            (.loseFiles, 1, [.folder, .cloud]), (.retire, 2, [.folder, .cloud]), (.purge, 1, [.server]),
        ]
        for (kind, times, places) in rare where places.contains(place) {
            guard Int.random(in: 0..<4, using: &draw) == 0 else { continue }
            add(kind, times: times)
            if kind == .backUp { add(.putBack, times: times) }
            if kind == .purge || kind == .retire { add(.pass, times: 2) }
        }
        return kinds
    }
}

/// Short sequences of related steps that are rare by chance.
enum OutsideScene: CaseIterable {
    /// Two or more devices write equal unique values.
    case twins
    /// The same, with a child and a restored loser.
    case twinsRestored
    /// Two or more devices change the same record.
    case race
    /// A device is restored from a backup and continues.
    case backUp
    /// The folder loses its files, and all devices rejoin.
    case empty
    /// A device is retired and returns.
    case retire
    /// A new device is still unknown to others while they delete records and compact.
    case late
    /// The remote side of a conflict changes between showing and resolving it.
    case lookAway
    /// A device is lost after a sync, and the others continue.
    case loss
    /// A record is deleted and its unique values are reused, while another device adds a child to it.
    case reuse

    var isRare: Bool { ![.twins, .twinsRestored, .race].contains(self) }

    var places: [OutsidePlace] {
        switch self {
        case .twins, .twinsRestored, .race, .backUp, .loss, .lookAway, .reuse: OutsidePlace.allCases
        case .empty, .retire: [.folder, .cloud]
        case .late: [.cloud]
        }
    }

    func steps(devices: Int, draw: inout Seed) -> [OutsideStep] {
        let focus = draw.next() % 4
        let bits = draw.next()
        let first = Int.random(in: 0..<devices, using: &draw)
        let second = (first + 1) % devices
        func step(kind: OutsideStep.Kind, device: Int, drawn: UInt64? = nil) -> OutsideStep {
            OutsideStep(device: device % devices, kind: kind, bits: drawn ?? draw.next(), focus: focus)
        }
        let others = Int.random(in: 1..<max(2, devices), using: &draw)
        let taking = (0...others).map { first + $0 }
        if let script { return script.map { step(kind: $0.kind, device: first + $0.device) } }
        switch self {
        case .twins:
            var steps = taking.map { step(kind: .create, device: $0, drawn: bits) }
            if Bool.random(using: &draw) { steps.append(step(kind: .create, device: first)) }
            guard Bool.random(using: &draw) else { return steps }
            return steps + [step(kind: .sync, device: first), step(kind: .sync, device: second)]
        case .twinsRestored:
            let children = draw.next()
            var steps = [(first, bits), (second, bits), (first, children)].map {
                step(kind: .create, device: $0.0, drawn: $0.1)
            }
            if Bool.random(using: &draw) {
                steps.append(step(kind: .create, device: second, drawn: children))
            }
            steps += [step(kind: .sync, device: first), step(kind: .sync, device: second)]
            if Bool.random(using: &draw) {
                let kinds: [OutsideStep.Kind] = [.restore, .restore, .resolve, .edit]
                steps.append(step(kind: kinds.randomElement(using: &draw) ?? .restore, device: second))
            }
            return steps + [step(kind: .sync, device: second), step(kind: .sync, device: first)]
        case .race:
            var steps = [step(kind: .syncAll, device: first)]
            for device in taking {
                let kind: OutsideStep.Kind = Int.random(in: 0..<5, using: &draw) == 0 ? .undo : .edit
                for _ in 0..<Int.random(in: 1...2, using: &draw) {
                    steps.append(step(kind: kind, device: device))
                }
            }
            if Int.random(in: 0..<4, using: &draw) == 0 { steps.append(step(kind: .delete, device: second)) }
            for device in taking { steps.append(step(kind: .sync, device: device)) }
            if Bool.random(using: &draw) { steps.append(step(kind: .syncAll, device: first)) }
            if Bool.random(using: &draw) { steps.append(step(kind: .resolve, device: second)) }
            return steps
        case .empty:
            let kinds: [OutsideStep.Kind] = [.emptyFolder, .loseFiles]
            return [
                step(kind: .backUp, device: first), step(kind: .edit, device: first),
                step(kind: .syncAll, device: first),
                step(kind: kinds.randomElement(using: &draw) ?? .emptyFolder, device: first),
                step(kind: Bool.random(using: &draw) ? .putBack : .edit, device: first),
                step(kind: .sync, device: first), step(kind: .sync, device: second),
            ]
        case .reuse:
            return [
                step(kind: .create, device: first, drawn: bits), step(kind: .syncAll, device: first),
                step(kind: .create, device: second), step(kind: .delete, device: first),
                step(kind: .create, device: first, drawn: bits), step(kind: .sync, device: first),
                step(kind: .sync, device: second), step(kind: .sync, device: first),
            ]
        case .loss:
            return [
                step(kind: .sync, device: first),
                step(kind: Bool.random(using: &draw) ? .leave : .reinstall, device: first),
                step(kind: .create, device: second, drawn: bits), step(kind: .sync, device: second),
            ]
        default: return []
        }
    }

    /// The steps of a scene that leaves only the participants open, with devices counted from the first.
    private var script: [(kind: OutsideStep.Kind, device: Int)]? {
        switch self {
        case .lookAway:
            [
                (.syncAll, 0), (.edit, 0), (.edit, 1), (.sync, 0), (.sync, 1),
                (.look, 1), (.edit, 2), (.edit, 0), (.sync, 2), (.sync, 0),
                (.sync, 1), (.resolve, 1),
            ]
        case .late:
            [
                (.create, 0), (.create, 0), (.sync, 0), (.travelAll, 0), (.travelAll, 2),
                (.sync, 2), (.delete, 0), (.sync, 0), (.edit, 0), (.sync, 0),
                (.edit, 0), (.sync, 0), (.travelAll, 0), (.travelAll, 2), (.sync, 2),
            ]
        case .backUp:
            [
                (.create, 0), (.syncAll, 0), (.backUp, 0), (.edit, 0), (.sync, 0),
                (.travelAll, 0), (.putBack, 0), (.edit, 0), (.sync, 0), (.syncAll, 0),
            ]
        case .retire:
            [
                (.create, 0), (.syncAll, 0), (.retire, 0), (.delete, 0), (.edit, 1),
                (.sync, 0), (.travelAll, 0), (.edit, 0), (.sync, 0), (.edit, 0),
                (.sync, 0), (.travelAll, 0), (.sync, 1),
            ]
        default: nil
        }
    }
}
