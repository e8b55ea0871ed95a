/// A story that is still valid after removing steps.
protocol SteppedStory {
    associatedtype Step
    /// The steps, in order.
    var steps: [Step] { get set }
}

extension Story: SteppedStory {}
extension PlanStory: SteppedStory {}

/// Shortens a failed story: removes long runs of steps first, then shorter ones, down to single steps, as
/// long as the rest still fails.
struct StoryShrinker<Tale: SteppedStory> {
    private(set) var story: Tale
    private var size: Int
    private var start = 0
    private var hasShrunk = false

    init(_ story: Tale) {
        self.story = story
        size = max(1, story.steps.count / 2)
    }

    /// The next shorter story to try; nil if no single step can be removed.
    mutating func next() -> Tale? {
        while start >= story.steps.count {
            guard size > 1 || hasShrunk else { return nil }
            if !hasShrunk || size > 1 { size = max(1, size / 2) }
            (start, hasShrunk) = (0, false)
            if story.steps.isEmpty { return nil }
        }
        var shorter = story
        shorter.steps.removeSubrange(start..<min(start + size, shorter.steps.count))
        return shorter
    }

    /// Records whether the story from `next` still fails.
    mutating func note(_ shorter: Tale, fails: Bool) {
        if fails {
            story = shorter
            hasShrunk = true
        } else {
            start += size
        }
    }
}
