import EntitySync
import Foundation
import SyncChecks
import SyncCore

/// The result of `simulate`.
struct SimulationResult: Sendable {
    let plan: SimulationPlan
    /// The number of completed worlds.
    var runs: Int
    var elapsed: Duration
    /// The result of dense stories, if any were run.
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
        /// The violation in one line.
        var message: String
        /// The events, one per line.
        var story: [String]
        /// The command that replays the seed.
        var replay: String
        /// The shortened story, if a world broke the promise.
        var outcome: Simulator.Outcome?

        /// The broken promise in one sentence.
        var sentence: String {
            OutsidePromise(rawValue: rule)?.sentence ?? StoryPromise.sentence(rule: rule)
        }
    }

    private var seconds: Double { elapsed.hundredths }

    /// Text output: each violation with its story, or one line with the counts.
    var text: String {
        let dense = dense?.text ?? ""
        if violations.isEmpty, !plan.hasWorlds { return dense }
        let worlds = runs == 1 ? "1 world" : "\(runs) worlds"
        let counted = String(format: "%.1f", seconds)
        let perMinute = seconds > 0 ? Int(Double(runs) / seconds * 60) : 0
        if violations.isEmpty {
            return dense + "\(worlds) in \(counted) s (\(perMinute) a minute), every promise kept\n"
        }
        return violationText + dense + (plan.hasWorlds ? "\(worlds) in \(counted) s\n" : "")
    }

    /// Each violation with its story and the command that plays it again.
    var violationText: String {
        violations.map { violation in
            let story = violation.story.map { "  \($0.visibleLines)\n" }.joined()
            return """
                seed \(violation.seed) breaks the promise '\(violation.rule)': \(violation.sentence)
                \(violation.message.visible)

                \(story)
                Play it again:
                  \(violation.replay)

                """
        }
        .joined(separator: "\n")
    }

    /// Writes
    /// `{"runs":N,"firstSeed":N,"seconds":N,"violations":[{"seed","rule","message","story":[…],"replay"}]}`,
    /// and `"plans":N,"plansPerSecond":N` if plans were requested.
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
    /// The duration in seconds, rounded to hundredths.
    var hundredths: Double {
        Double(components.seconds) + (Double(components.attoseconds) / 1e16).rounded() / 100
    }
}

extension String {
    /// The text with invisible characters escaped and continuation lines indented.
    fileprivate var visibleLines: String {
        split(whereSeparator: \.isNewline).map { String($0).visible }.joined(separator: "\n      ")
    }
}
