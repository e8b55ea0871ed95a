public import SyncCore

/// Runs dense stories that test only the planning: no store, no engine, no waiting. Devices are plain values
/// and every step is a plan, so thousands run in a second.
public struct PlanSimulator: Sendable {
    private let materials: [PlanMaterial]
    /// A deliberate defect of the planning.
    package var flaw: PlanFlaw?

    /// Makes a simulator of entities; at least one.
    public init(_ entities: [EntityDescriptor]) {
        materials = entities.map(PlanMaterial.init)
    }

    /// The result of a story.
    public struct Outcome: Sendable {
        /// The story.
        public var story: PlanStory
        /// The number of plans.
        public var plans: Int
        /// A checksum of all events, equal for equal stories.
        public var checksum: UInt64
        /// The violated promise; nil if all held.
        public var violation: StoryViolation?
        /// The events in plain words, if they were recorded.
        public var lines: [String] = []
    }

    /// Runs the story of a seed. Without entities it does nothing.
    public func play(_ seed: UInt64) -> Outcome { play(story(seed: seed)) }

    /// The story of a seed.
    public func story(seed: UInt64) -> PlanStory {
        guard !materials.isEmpty else {
            return PlanStory(seed: seed, entity: 0, devices: 1, keys: 1, place: .folder, steps: [])
        }
        return PlanStoryGenerator(materials: materials).story(seed: seed)
    }

    /// Runs a story. Recording its events as text takes more time.
    public func play(_ story: PlanStory, recordsLines: Bool = false) -> Outcome {
        guard materials.indices.contains(story.entity) else {
            return Outcome(story: story, plans: 0, checksum: 0)
        }
        let world = PlanWorld(
            story: story,
            material: materials[story.entity],
            flaw: flaw,
            recordsLines: recordsLines
        )
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

    /// Runs a failed story again with recorded events, and shortens it while it violates the same promise.
    public func shrunkWithLines(outcome: Outcome) -> Outcome {
        guard outcome.violation != nil else { return outcome }
        let again = play(outcome.story)
        guard again.checksum == outcome.checksum, again.violation == outcome.violation else {
            return moody(story: outcome.story)
        }
        let short = play(shrunk(outcome: outcome).story, recordsLines: true)
        return short.violation?.rule == outcome.violation?.rule ? short : moody(story: short.story)
    }

    private func moody(story: PlanStory) -> Outcome {
        var outcome = play(story, recordsLines: true)
        outcome.violation = StoryViolation(
            rule: "not-deterministic",
            description: "The same story went two ways."
        )
        return outcome
    }

    /// The name of a story's entity.
    public func entity(of story: PlanStory) -> String {
        materials.indices.contains(story.entity) ? materials[story.entity].descriptor.name : ""
    }

    /// Shortens a story by leaving out steps and devices while it violates the same promise.
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
