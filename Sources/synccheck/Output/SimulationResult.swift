import EntitySync
import Foundation
import SyncChecks

/// What `simulate` found.
struct SimulationResult: Sendable {
    let plan: SimulationPlan
    /// How many worlds came to their end.
    var runs: Int
    var elapsed: Duration
    /// What came of dense stories, where some were played.
    var dense: PlanRun.Result?
    var violations: [Violation]

    init(plan: SimulationPlan, runs: Int, elapsed: Duration, violations: [Violation]) {
        self.plan = plan
        self.runs = runs
        self.elapsed = elapsed
        self.violations = violations
    }

    /// A broken promise.
    struct Violation: Sendable {
        var seed: UInt64
        var rule: String
        /// What is not as promised, in one line.
        var message: String
        /// What happened, a line each.
        var story: [String]
        /// The command that plays it again.
        var replay: String
        /// The shortest story, where a world broke the promise.
        var outcome: Simulator.Outcome?

        /// What was promised, in one sentence.
        var sentence: String {
            OutsidePromise(rawValue: rule)?.sentence ?? StoryPromise.sentence(rule: rule)
        }
    }

    private var seconds: Double { elapsed.hundredths }

    /// For people: each violation with its story, or one line with what was counted.
    var text: String {
        let dense = dense?.text ?? ""
        if violations.isEmpty, !plan.hasWorlds { return dense }
        let worlds = runs == 1 ? "1 world" : "\(runs) worlds"
        let counted = String(format: "%.1f", seconds)
        let perMinute = seconds > 0 ? Int(Double(runs) / seconds * 60) : 0
        if violations.isEmpty {
            return dense + "\(worlds) in \(counted) s (\(perMinute) a minute), every promise kept\n"
        }
        let told = violations.map { violation in
            let story = violation.story.map { "  \($0.visibleLines)\n" }.joined()
            return """
                seed \(violation.seed) breaks the promise '\(violation.rule)': \(violation.sentence)
                \(violation.message.visible)

                \(story)
                Play it again:
                  \(violation.replay)

                """
        }
        return told.joined(separator: "\n") + dense + (plan.hasWorlds ? "\(worlds) in \(counted) s\n" : "")
    }

    /// `{"runs":N,"firstSeed":N,"seconds":N,"violations":[{"seed","rule","message","story":[…],"replay"}]}`, and
    /// `"plans":N,"plansPerSecond":N` where plans were asked for.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(name: "runs", count: runs)
        writer.name("firstSeed")
        writer.raw("\(plan.firstSeed)")
        writer.name("seconds")
        writer.number(seconds)
        if let dense {
            writer.member(name: "plans", count: dense.plans)
            writer.member(name: "plansPerSecond", count: dense.perSecond)
        }
        writer.name("violations")
        writer.beginArray()
        for violation in violations {
            writer.beginObject()
            writer.name("seed")
            writer.raw("\(violation.seed)")
            writer.member(name: "rule", text: violation.rule)
            writer.member(name: "message", text: violation.message)
            writer.name("story")
            writer.beginArray()
            for line in violation.story { writer.string(line) }
            writer.endArray()
            writer.member(name: "replay", text: violation.replay)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}

extension Duration {
    /// Seconds, rounded to hundredths.
    var hundredths: Double {
        Double(components.seconds) + (Double(components.attoseconds) / 1e16).rounded() / 100
    }
}

extension String {
    /// The text with what cannot be seen made visible, its own line breaks indented.
    fileprivate var visibleLines: String {
        split(whereSeparator: \.isNewline).map { String($0).visible }.joined(separator: "\n      ")
    }
}
