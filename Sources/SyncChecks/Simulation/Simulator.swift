public import SyncCore

/// Runs simulated worlds and searches for violated promises.
public struct Simulator: Sendable {
    /// Generates the stories.
    public var generator: StoryGenerator
    /// An additional promise of a test, checked after every step. It makes a world fail without a defect.
    package var extraPromise: (@Sendable (StoryLog) -> StoryViolation?)?
    /// Deliberate defects of all disks, for tests of the simulator.
    public var diskFlaws: Set<DiskFlaw> = []
    /// Whether worlds note what is left of them.
    package var notesOutcome = false
    private let schemas: SimulatedSchemas

    /// Makes a simulator of entities.
    public init(entities: [EntityDescriptor], generator: StoryGenerator = StoryGenerator()) {
        self.generator = generator
        schemas = SimulatedSchemas(entities)
    }

    /// The result of a story.
    public struct Outcome: Sendable {
        /// The story.
        public var story: Story
        /// The events.
        public var log: StoryLog
        /// The violated promise; nil if all held.
        public var violation: StoryViolation?
        /// What is left of the world at rest: records, states, conflicts, journals, and what the remote holds. Empty
        /// unless the simulator notes it.
        package var remains: [String] = []
    }

    /// Runs the story of a seed.
    public func play(_ seed: UInt64) async -> Outcome { await play(generator.story(seed: seed)) }

    /// Runs a story.
    public func play(_ story: Story) async -> Outcome {
        let world = SimulatedWorld(story: story, schemas: schemas, flaws: diskFlaws)
        world.extraPromise = extraPromise
        world.notesOutcome = notesOutcome
        var violation: StoryViolation?
        do { try await world.run() } catch let found as StoryViolation { violation = found } catch {
            violation = StoryViolation(rule: "no-surprise", description: "An error nobody expects: \(error)")
        }
        if let violation { world.note(.violation, device: nil, text: violation.description) }
        for device in world.devices { await device.kill() }
        return Outcome(story: story, log: world.log, violation: violation, remains: world.outcome)
    }

    /// Shortens a story by leaving out steps and devices while it violates the same promise.
    public func shrink(_ outcome: Outcome) async -> Outcome {
        guard let violation = outcome.violation else { return outcome }
        var best = outcome
        var shrinker = StoryShrinker(outcome.story)
        while let shorter = shrinker.next() {
            let next = await play(shorter)
            let fails = next.violation?.rule == violation.rule
            if fails { best = next }
            shrinker.note(shorter, fails: fails)
        }
        return await withoutIdleDevices(outcome: best)
    }

    private func withoutIdleDevices(outcome: Outcome) async -> Outcome {
        var fewer = outcome.story
        guard let last = fewer.steps.map(\.device).max(), last + 1 < fewer.devices else { return outcome }
        fewer.devices = last + 1
        let next = await play(fewer)
        return next.violation?.rule == outcome.violation?.rule ? next : outcome
    }
}
