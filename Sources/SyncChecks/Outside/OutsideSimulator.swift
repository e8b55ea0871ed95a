/// Plays outside worlds: people on devices with the real engine, store, folder and server, held to what these people wrote
/// rather than to what the product notes.
///
/// ```swift
/// let simulator = OutsideSimulator()
/// let outcome = await simulator.play(42)
/// ```
public struct OutsideSimulator: Sendable {
    /// The schema sets that worlds are drawn from; at least one.
    public var schemas: [OutsideSchemas]
    /// What worlds are held to.
    public var promises: Set<OutsidePromise>
    /// Where devices may meet.
    public var places: [OutsidePlace]
    /// Kinds of steps that never happen.
    public var without: Set<OutsideStep.Kind> = []
    /// The greatest number of steps of a story.
    public var maxSteps: Int

    /// A simulator of the sets that come with it, which holds worlds to everything, unless told otherwise.
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

    /// How a world went.
    public struct Outcome: Sendable {
        /// The story.
        public var story: OutsideStory
        /// What happened, in plain words.
        public var lines: [String]
        /// The promises that were broken, each once.
        public var violations: [StoryViolation]
        /// Who takes part, and where they meet.
        public var headline: String
    }

    /// The story of a seed.
    public func story(seed: UInt64) -> OutsideStory {
        var story = OutsideStoryMaker(schemaCount: schemas.count, places: places, maxSteps: maxSteps).story(
            seed: seed
        )
        story.steps.removeAll { without.contains($0.kind) }
        return story
    }

    /// Plays the story of a seed.
    public func play(_ seed: UInt64) async -> Outcome { await play(story(seed: seed)) }

    /// Plays a story.
    public func play(_ story: OutsideStory) async -> Outcome {
        let set = schemas[min(story.schemas, schemas.count - 1)]
        let world = OutsideWorld(story: story, entities: set.entities, promises: promises)
        do { try await world.run() } catch {
            world.report(.noSurprise, text: "An error that nobody expects: \(error)")
        }
        world.closeAll()
        return Outcome(
            story: story,
            lines: world.lines,
            violations: world.violations,
            headline: "\(story.devices) devices, \(story.place.rawValue), schemas '\(set.name)'"
        )
    }

    /// The shortest story found that still breaks the promise, by leaving out steps and devices.
    public func shrink(_ outcome: Outcome, to rule: String) async -> Outcome {
        var best = outcome
        var shrinker = StoryShrinker(outcome.story)
        while let shorter = shrinker.next() {
            let next = await play(shorter)
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
