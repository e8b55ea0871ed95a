/// Runs outside worlds: people on devices with the real engine, store, folder and server. The results are
/// compared with what these people wrote, not with the product's own metadata.
public struct OutsideSimulator: Sendable {
    /// The schema sets to choose from; at least one.
    public var schemas: [OutsideSchemas]
    /// The promises to check.
    public var promises: Set<OutsidePromise>
    /// The kinds of remotes to choose from.
    public var places: [OutsidePlace]
    /// Kinds of steps to leave out.
    public var without: Set<OutsideStep.Kind> = []
    /// Kinds of steps to strew into stories, which are the same without them.
    public var strewn: Set<OutsideStep.Kind> = []
    /// Whether forms are saved without the version that was read, which loses what others wrote meanwhile.
    package var formsForget = false
    /// Whether people write while a sync runs: between two changes that it takes in, and before it writes anything else.
    package var writesDuringSyncs = false
    /// Whether a push to a server is prepared while the one before it is under way.
    package var preparesAhead = false
    /// Whether people choose on each device who wins where a record was edited twice, whatever the schemas say.
    package var choosesStrategies = false
    /// Whether people give new records one of a few keys, so that two of them often choose the same. By default each
    /// record has a key of its own.
    public var sharesKeys = false
    /// Whether the app gets a newer version in every world. By default it does in one of four.
    public var alwaysUpdates = false
    /// The most steps of a story.
    public var maxSteps: Int
    /// Whether to give worlds up between two steps.
    package var isStopped: @Sendable () -> Bool = { false }
    /// A server for a story, in place of the world's own; nil for that.
    package var server: (@Sendable (OutsideStory) async throws -> LoopbackServer)?
    /// Called before each step and before rest.
    package var onStep: StepAction?

    /// Acts before a step, by its number, or before rest (nil), when all faults have to end. Returns events for the
    /// world's log.
    package typealias StepAction = @Sendable (_ step: Int?) async throws -> [String]

    /// Makes a simulator. By default it uses the built-in sets and checks all promises.
    public init(
        schemas: [OutsideSchemas] = OutsideSchemas.all,
        promises: Set<OutsidePromise> = Set(OutsidePromise.allCases),
        places: [OutsidePlace] = OutsidePlace.allCases,
        maxSteps: Int = 30
    ) {
        self.schemas = schemas
        self.promises = promises
        self.places = places
        self.maxSteps = max(1, maxSteps)
    }

    /// The result of a world.
    public struct Outcome: Sendable {
        /// The story.
        public var story: OutsideStory
        /// The events in plain words.
        public var lines: [String]
        /// The violated promises, each once.
        public var violations: [StoryViolation]
        /// The participants and the remote.
        public var headline: String
        /// Whether the world was given up, so that it says nothing about promises.
        package var isStopped = false
    }

    /// The story of a seed.
    public func story(seed: UInt64) -> OutsideStory {
        var story = OutsideStoryMaker(
            schemaCount: schemas.count,
            places: places,
            maxSteps: maxSteps,
            strewn: strewn,
            worldsPerUpdate: playsVersions ? alwaysUpdates ? 1 : 4 : 0
        ).story(seed: seed)
        story.steps.removeAll { without.contains($0.kind) }
        return story
    }

    /// Whether some worlds have a newer version of the app. A server that is given knows none.
    private var playsVersions: Bool { !without.contains(.update) && server == nil }

    /// Runs the story of a seed.
    public func play(_ seed: UInt64) async -> Outcome { await play(story(seed: seed)) }

    /// Runs a story.
    public func play(_ story: OutsideStory) async -> Outcome {
        guard preparesAhead, #available(macOS 15, iOS 18, *) else { return await run(story) }
        return await withTaskExecutorPreference(SerialTaskExecutor()) { await run(story) }
    }

    private func run(_ story: OutsideStory) async -> Outcome {
        let set = schemas[min(story.schemas, schemas.count - 1)]
        var given: LoopbackServer?
        var surprise: (any Error)?
        do { given = story.place == .server ? try await server?(story) : nil } catch { surprise = error }
        let world = OutsideWorld(story: story, entities: set.entities, promises: promises, server: given)
        world.onStep = onStep
        world.isStopped = isStopped
        world.sharesKeys = sharesKeys
        world.formsForget = formsForget
        world.writesDuringSyncs = writesDuringSyncs
        world.preparesAhead = preparesAhead
        world.choosesStrategies = choosesStrategies
        var wasStopped = false
        do {
            if let surprise { throw surprise }
            try await world.run()
        } catch is OutsideWorld.Stop {
            wasStopped = true
        } catch {
            world.report(.noSurprise, text: "An error that nobody expects: \(error)")
        }
        world.closeAll()
        return Outcome(
            story: story,
            lines: world.lines,
            violations: wasStopped ? [] : world.violations,
            headline: Self.headline(world, set: set.name),
            isStopped: wasStopped
        )
    }

    private static func headline(_ world: OutsideWorld, set: String) -> String {
        let (story, changes) = (world.story, world.versions.changes.map(\.text))
        let newer = changes.isEmpty ? "" : "; in the newer version, " + changes.joined(separator: ", ")
        return "\(story.devices) devices, \(story.place.rawValue), schemas '\(set)'" + newer
    }

    /// Shortens a story by leaving out steps and devices while it still violates the promise.
    public func shrink(_ outcome: Outcome, to rule: String) async -> Outcome {
        var best = outcome
        var shrinker = StoryShrinker(outcome.story)
        while !isStopped(), let shorter = shrinker.next() {
            let next = await play(shorter)
            if next.isStopped { return best }
            let fails = next.violations.contains { $0.rule == rule }
            if fails { best = next }
            shrinker.note(shorter, fails: fails)
        }
        var fewer = best.story
        fewer.devices = (fewer.steps.map(\.device).max() ?? 0) + 1
        let next = await play(fewer)
        return next.violations.contains { $0.rule == rule } ? next : best
    }
}
