public import SyncCore

/// Plays stories, and looks for one in which a promise is broken.
///
/// ```swift
/// let simulator = Simulator(SyncRegistry.descriptors)
/// for seed in 0..<100 { try await simulator.play(seed) }
/// ```
public struct Simulator: Sendable {
    /// Tells the stories.
    public var teller: StoryGenerator
    /// A promise that only a test makes, held after every step: a world can be made to fail without a flaw.
    package var extraPromise: (@Sendable (StoryLog) -> StoryViolation?)?
    /// What the disks of all devices do wrong, for tests of tests.
    public var diskFlaws: Set<DiskFlaw> = []
    private let schemas: SimulatedSchemas

    /// A simulator of entities, as an app or `SyncDynamic` describes them.
    public init(entities: [EntityDescriptor], teller: StoryGenerator = StoryGenerator()) {
        self.teller = teller
        schemas = SimulatedSchemas(entities)
    }

    /// How a story went.
    public struct Outcome: Sendable {
        /// The story.
        public var story: Story
        /// What happened.
        public var log: StoryLog
        /// The promise that was broken; nil when all were kept.
        public var violation: StoryViolation?
    }

    /// Plays the story of a seed.
    public func play(_ seed: UInt64) async -> Outcome { await play(teller.story(seed: seed)) }

    /// Plays a story.
    public func play(_ story: Story) async -> Outcome {
        let world = SimulatedWorld(story: story, schemas: schemas, flaws: diskFlaws)
        world.extraPromise = extraPromise
        var violation: StoryViolation?
        do { try await world.run() } catch let found as StoryViolation { violation = found } catch {
            violation = StoryViolation(rule: "no-surprise", description: "An error nobody expects: \(error)")
        }
        if let violation { world.note(.violation, device: nil, text: violation.description) }
        for device in world.devices { await device.kill() }
        return Outcome(story: story, log: world.log, violation: violation)
    }

    /// The shortest story found that still breaks the same promise, by leaving out steps and devices.
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
