/// What people and misfortune do in an outside world. A value: the same story makes the same world, and a story without
/// some of its steps is a story, too.
public struct OutsideStory: Sendable, Hashable {
    /// Where all that the steps leave open is drawn from.
    public var seed: UInt64
    /// The schema set, by position.
    public var schemas: Int
    /// How many devices take part.
    public var devices: Int
    /// Where they meet.
    public var place: OutsidePlace
    /// What happens, in order.
    public var steps: [OutsideStep]
}

/// Where devices of an outside world meet.
public enum OutsidePlace: String, Sendable, Hashable, CaseIterable {
    /// One shared folder.
    case folder
    /// A folder as a cloud drive keeps it: a copy for each device, and files that travel when they like.
    case cloud
    /// The real server's request handler.
    case server
}

/// One step of an outside story.
public struct OutsideStep: Sendable, Hashable {
    /// The device, by position.
    public var device: Int
    /// What happens.
    public var kind: Kind
    /// What is left open is drawn from it.
    public var bits: UInt64
    /// Which record: the same number is the same one on devices that show the same.
    public var focus: UInt64

    /// What may happen.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        // What people write.
        case create, edit, undo, delete, takeIn = "import"
        // What people decide.
        case look, resolve, restore, retry, discard
        // What apps and time do.
        case sync, syncAll, pass
        // What goes wrong on the way.
        case loseAnswer, crash, travel, travelAll, oldFile
        // What becomes of devices and folders.
        case reinstall, leave, backUp, putBack, emptyFolder, loseFiles, retire, purge
    }
}

extension OutsideStory: SteppedStory {}

/// Draws stories from seeds. A story has few kinds of step: what hides behind one is found where that one is missing.
struct OutsideStoryMaker {
    var schemaCount: Int
    var places: [OutsidePlace]
    var maxSteps: Int

    func story(_ seed: UInt64) -> OutsideStory {
        var draw = Seed(seed)
        let place = places.randomElement(using: &draw) ?? .folder
        let schemas = Int.random(in: 0..<max(1, schemaCount), using: &draw)
        let devices = [2, 2, 2, 3, 3, 4].randomElement(using: &draw) ?? 2
        let kinds = kinds(at: place, &draw)
        let scenes = OutsideScene.allCases.filter { scene in
            scene.places.contains(place) && (!scene.isRare || Int.random(in: 0..<4, using: &draw) == 0)
        }
        let count = Int.random(in: min(4, maxSteps)...maxSteps, using: &draw)
        var steps: [OutsideStep] = []
        while steps.count < count {
            if Int.random(in: 0..<3, using: &draw) == 0, let scene = scenes.randomElement(using: &draw) {
                steps += scene.steps(devices, &draw)
            } else {
                let device = Int.random(in: 0..<devices, using: &draw)
                let kind = kinds.randomElement(using: &draw) ?? .edit
                steps.append(
                    OutsideStep(device: device, kind: kind, bits: draw.next(), focus: draw.next() % 4)
                )
            }
        }
        let told = Array(steps.prefix(maxSteps))
        return OutsideStory(seed: seed, schemas: schemas, devices: devices, place: place, steps: told)
    }

    /// The kinds to draw from, each as often as it is likely.
    private func kinds(at place: OutsidePlace, _ draw: inout Seed) -> [OutsideStep.Kind] {
        var kinds: [OutsideStep.Kind] = []
        func add(_ kind: OutsideStep.Kind, _ times: Int) { kinds += Array(repeating: kind, count: times) }
        add(.create, 4)
        add(.edit, 9)
        add(.undo, 1)
        add(.sync, 9)
        add(.syncAll, 2)
        add(.delete, Int.random(in: 0...3, using: &draw))
        add(.resolve, Int.random(in: 2...5, using: &draw))
        if place == .cloud { add(.travel, Int.random(in: 2...8, using: &draw)) }
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
            add(kind, times)
            if kind == .backUp { add(.putBack, times) }
            if kind == .purge || kind == .retire { add(.pass, 2) }
        }
        return kinds
    }
}

/// A few steps that meet together more often than by chance.
enum OutsideScene: CaseIterable {
    /// Two or more devices write equal values that must be unique.
    case twins
    /// The same, with a child and a loser that is brought back.
    case twinsRestored
    /// Two or more devices change the same record.
    case race
    /// A device goes back to a backup, and goes on.
    case backUp
    /// The folder loses its files, and everybody joins anew.
    case empty
    /// A device is retired, and comes back.
    case retire
    /// A device is not known to others yet while they delete and tidy up.
    case late
    /// A conflict's other side changes between being shown and being resolved.
    case lookAway
    /// A device is lost after it synced, and others go on.
    case loss
    /// A record is deleted and its unique values given to another, while somebody adds a child to it elsewhere.
    case reuse

    var isRare: Bool { ![.twins, .twinsRestored, .race].contains(self) }

    var places: [OutsidePlace] {
        switch self {
        case .twins, .twinsRestored, .race, .backUp, .loss, .lookAway, .reuse: OutsidePlace.allCases
        case .empty, .retire: [.folder, .cloud]
        case .late: [.cloud]
        }
    }

    func steps(_ devices: Int, _ draw: inout Seed) -> [OutsideStep] {
        let focus = draw.next() % 4
        let bits = draw.next()
        let first = Int.random(in: 0..<devices, using: &draw)
        let second = (first + 1) % devices
        func step(_ kind: OutsideStep.Kind, _ device: Int, _ drawn: UInt64? = nil) -> OutsideStep {
            OutsideStep(device: device % devices, kind: kind, bits: drawn ?? draw.next(), focus: focus)
        }
        let others = Int.random(in: 1..<max(2, devices), using: &draw)
        let taking = (0...others).map { first + $0 }
        if let script { return script.map { step($0.kind, first + $0.device) } }
        switch self {
        case .twins:
            var steps = taking.map { step(.create, $0, bits) }
            if Bool.random(using: &draw) { steps.append(step(.create, first)) }
            if Bool.random(using: &draw) { steps += [step(.sync, first), step(.sync, second)] }
            return steps
        case .twinsRestored:
            let children = draw.next()
            var steps = [
                step(.create, first, bits), step(.create, second, bits), step(.create, first, children),
            ]
            if Bool.random(using: &draw) { steps.append(step(.create, second, children)) }
            steps += [step(.sync, first), step(.sync, second)]
            if Bool.random(using: &draw) {
                let kinds: [OutsideStep.Kind] = [.restore, .restore, .resolve, .edit]
                steps.append(step(kinds.randomElement(using: &draw) ?? .restore, second))
            }
            return steps + [step(.sync, second), step(.sync, first)]
        case .race:
            var steps = [step(.syncAll, first)]
            for device in taking {
                let kind: OutsideStep.Kind = Int.random(in: 0..<5, using: &draw) == 0 ? .undo : .edit
                for _ in 0..<Int.random(in: 1...2, using: &draw) { steps.append(step(kind, device)) }
            }
            if Int.random(in: 0..<4, using: &draw) == 0 { steps.append(step(.delete, second)) }
            for device in taking { steps.append(step(.sync, device)) }
            if Bool.random(using: &draw) { steps.append(step(.syncAll, first)) }
            if Bool.random(using: &draw) { steps.append(step(.resolve, second)) }
            return steps
        case .empty:
            let kinds: [OutsideStep.Kind] = [.emptyFolder, .loseFiles]
            return [
                step(.backUp, first), step(.edit, first), step(.syncAll, first),
                step(kinds.randomElement(using: &draw) ?? .emptyFolder, first),
                step(Bool.random(using: &draw) ? .putBack : .edit, first), step(.sync, first),
                step(.sync, second),
            ]
        case .reuse:
            return [
                step(.create, first, bits), step(.syncAll, first), step(.create, second),
                step(.delete, first),
                step(.create, first, bits), step(.sync, first), step(.sync, second), step(.sync, first),
            ]
        case .loss:
            return [
                step(.sync, first), step(Bool.random(using: &draw) ? .leave : .reinstall, first),
                step(.create, second, bits), step(.sync, second),
            ]
        default: return []
        }
    }

    /// What happens in a scene that leaves nothing open but who takes part, with devices counted from the first.
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
