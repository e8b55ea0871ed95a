public import SyncCore

/// Plays dense stories about planning alone: no store, no engine, nothing that waits. What devices hold is a value, and
/// every step is a plan for it, so that many of them fit a second.
///
/// ```swift
/// let simulator = PlanSimulator(SyncRegistry.descriptors)
/// let outcome = simulator.play(42)
/// print(outcome.plans, outcome.violation?.description ?? "every promise kept")
/// ```
public struct PlanSimulator: Sendable {
    private let materials: [PlanMaterial]
    /// Planning that is wrong on purpose.
    package var flaw: PlanViolation?

    /// A simulator of entities, as an app or `SyncDynamic` describes them; at least one.
    public init(_ entities: [EntityDescriptor]) {
        materials = entities.map(PlanMaterial.init)
    }

    /// How a story went.
    public struct Outcome: Sendable {
        /// The story.
        public var story: PlanStory
        /// How many plans were made.
        public var plans: Int
        /// Follows from all that happened: the same for the same story.
        public var checksum: UInt64
        /// The promise that was broken; nil when all were kept.
        public var violation: StoryViolation?
        /// The story in plain words, where it was told.
        public var lines: [String] = []
    }

    /// Plays the story of a seed. Without entities there is none, and nothing is planned.
    public func play(_ seed: UInt64) -> Outcome { play(story(seed: seed)) }

    /// The story of a seed.
    public func story(seed: UInt64) -> PlanStory {
        guard !materials.isEmpty else {
            return PlanStory(seed: seed, entity: 0, devices: 1, keys: 1, place: .folder, steps: [])
        }
        return PlanStoryGenerator(materials: materials).story(seed: seed)
    }

    /// Plays a story; `isTold` keeps it in plain words, which takes its time.
    public func play(_ story: PlanStory, isTold: Bool = false) -> Outcome {
        guard materials.indices.contains(story.entity) else {
            return Outcome(story: story, plans: 0, checksum: 0)
        }
        let world = PlanWorld(story: story, material: materials[story.entity], flaw: flaw, isTold: isTold)
        var violation: StoryViolation?
        do { try world.run() } catch let found as StoryViolation { violation = found } catch {
            violation = StoryViolation(rule: "no-surprise", description: "An error nobody expects: \(error)")
        }
        return Outcome(
            story: story,
            plans: world.plans,
            checksum: world.checksum,
            violation: violation,
            lines: world.lines
        )
    }

    /// A failed story as people read it: played again, and cut down to what still breaks the same promise.
    public func told(outcome: Outcome) -> Outcome {
        guard outcome.violation != nil else { return outcome }
        let again = play(outcome.story)
        guard again.checksum == outcome.checksum, again.violation == outcome.violation else {
            return moody(story: outcome.story)
        }
        let short = play(shrunk(outcome: outcome).story, isTold: true)
        return short.violation?.rule == outcome.violation?.rule ? short : moody(story: short.story)
    }

    private func moody(story: PlanStory) -> Outcome {
        var outcome = play(story, isTold: true)
        outcome.violation = StoryViolation(
            rule: "not-deterministic",
            description: "The same story went two ways."
        )
        return outcome
    }

    /// What the entity of a story is called.
    public func entity(of story: PlanStory) -> String {
        materials.indices.contains(story.entity) ? materials[story.entity].descriptor.name : ""
    }

    /// The shortest story found that still breaks the same promise, by leaving out steps and devices.
    private func shrunk(outcome: Outcome) -> Outcome {
        var best = outcome
        var shrinker = StoryShrinker(outcome.story)
        while let shorter = shrinker.next() {
            let next = play(shorter)
            let fails = next.violation?.rule == outcome.violation?.rule
            if fails { best = next }
            shrinker.note(shorter, fails: fails)
        }
        while best.story.devices > 2,
            !best.story.steps.contains(where: { $0.device >= best.story.devices - 1 })
        {
            var fewer = best.story
            fewer.devices -= 1
            let next = play(fewer)
            guard next.violation?.rule == outcome.violation?.rule else { break }
            best = next
        }
        return best
    }
}
