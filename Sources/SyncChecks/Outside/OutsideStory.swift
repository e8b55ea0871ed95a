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
        let told = Array(steps.prefix(maxSteps))
        return OutsideStory(seed: seed, schemas: schemas, devices: devices, place: place, steps: told)
    }

    /// The kinds to draw from, each as often as it is likely.
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
