import SyncChecks
import SyncInspector

/// The options of `simulate`.
struct SimulationPlan: Sendable {
    /// The folder of the schemas, as given.
    var schemas: String
    var firstSeed: UInt64
    /// The number of worlds; nil for as many as the time allows.
    var runs: Int?
    var minutes: Double?
    var devices = defaultDevices
    var faults = Set(StoryFault.allCases)
    var steps = defaultSteps
    var place = Place.both
    /// The number of plans in dense stories, without store and engine; nil for none.
    var plans: Int?
    /// The schema sets of outside worlds, as given; nil for all.
    var outsideSets: String?

    /// Whether worlds are outside ones.
    var isOutside = false
    /// Whether the app gets a newer version in every outside world.
    var alwaysUpdates = false

    static let defaultRuns = 200
    /// The number of worlds with each set of random schemas.
    static let defaultRandomRuns = 20
    /// The number of plans with each set of random schemas.
    static let defaultRandomPlans = 20_000
    static let defaultDevices = 3
    static let defaultSteps = 40

    /// The kind of remote that devices share.
    enum Place: String, Sendable, CaseIterable {
        case folder, server, both

        var outside: [OutsidePlace] {
            switch self {
            case .folder: [.folder, .cloud]
            case .server: [.server]
            case .both: OutsidePlace.allCases
            }
        }

        var places: [World.Place] {
            switch self {
            case .folder: [.folders]
            case .server: [.server]
            case .both: [.folders, .server]
            }
        }
    }

    var generator: StoryGenerator {
        StoryGenerator(maxDevices: devices, maxSteps: steps, faults: faults, places: place.places)
    }

    /// The command that replays everything with the schema set of a seed.
    func replayRandom(_ seed: UInt64) -> String {
        var words = ["synccheck simulate --random-schemas 1 --seed \(seed)"]
        if isOutside { words.append("--outside") }
        if alwaysUpdates { words.append("--versions") }
        if let plans, plans != Self.defaultRandomPlans { words.append("--plans \(plans)") }
        if let runs, runs != Self.defaultRandomRuns { words.append("--runs \(runs)") }
        return words.joined(separator: " ") + settings
    }

    /// Whether to run complete worlds.
    var hasWorlds: Bool { runs != nil || minutes != nil }

    /// The command that replays the dense story of a seed.
    func replayPlans(_ seed: UInt64) -> String {
        "synccheck simulate --schemas \(schemas.shellQuoted) --seed \(seed) --plans 1"
    }

    /// The command that replays the outside world of a seed.
    func replayOutside(_ seed: UInt64, simulator: OutsideSimulator) -> String {
        var words = ["synccheck simulate --outside --schemas \(schemas.shellQuoted) --seed \(seed) --runs 1"]
        if let outsideSets { words.append("--sets \(outsideSets)") }
        if simulator.promises.count < OutsidePromise.allCases.count {
            let names = OutsidePromise.allCases.filter { simulator.promises.contains($0) }.map(\.rawValue)
            words.append("--promises \(names.joined(separator: ","))")
        }
        if !simulator.without.isEmpty {
            let names = OutsideStep.Kind.allCases.filter { simulator.without.contains($0) }.map(\.rawValue)
            words.append("--without \(names.joined(separator: ","))")
        }
        if simulator.sharesKeys { words.append("--shared-keys") }
        if alwaysUpdates { words.append("--versions") }
        if steps != Self.defaultSteps { words.append("--steps \(steps)") }
        if place != .both { words.append("--place \(place.rawValue)") }
        return words.joined(separator: " ")
    }

    /// The command that replays the world of a seed.
    func replay(_ seed: UInt64) -> String {
        "synccheck simulate --schemas \(schemas.shellQuoted) --seed \(seed) --runs 1\(settings)"
    }

    /// The options that are not as by default, for a command that replays a world.
    private var settings: String {
        var words: [String] = []
        if devices != Self.defaultDevices { words.append("--devices \(devices)") }
        if faults.isEmpty {
            words.append("--faults none")
        } else if faults.count < StoryFault.allCases.count {
            let names = StoryFault.allCases.filter { faults.contains($0) }.map(\.rawValue)
            words.append("--faults \(names.joined(separator: ","))")
        }
        if steps != Self.defaultSteps { words.append("--steps \(steps)") }
        if place != .both { words.append("--place \(place.rawValue)") }
        return words.map { " \($0)" }.joined()
    }
}
