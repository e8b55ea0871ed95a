/// A story that can be told with fewer of its steps.
protocol SteppedStory {
    associatedtype Step
    /// What happens, in order.
    var steps: [Step] { get set }
}

extension Story: SteppedStory {}
extension PlanStory: SteppedStory {}

/// Cuts a failed story down: leaves out longer runs of steps first, then shorter ones, down to single steps, as long as
/// what is left still fails.
struct StoryShrinker<Tale: SteppedStory> {
    private(set) var story: Tale
    private var size: Int
    private var start = 0
    private var hasShrunk = false

    init(_ story: Tale) {
        self.story = story
        size = max(1, story.steps.count / 2)
    }

    /// The next shorter story to try; nil when no single step can be spared.
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

    /// Says whether what `next` gave still fails.
    mutating func note(_ shorter: Tale, fails: Bool) {
        if fails {
            story = shorter
            hasShrunk = true
        } else {
            start += size
        }
    }
}
