/// One ratio to reach: the product against a yardstick that does the same work by hand, in the same run.
struct Ratio: Sendable {
    /// The name in the table, and for `--only`.
    let name: String
    /// What is measured against what, in one line.
    let what: String
    /// What is to be reached.
    let goal: Goal
    /// Measures both sides in turn.
    let measure: @Sendable (Bench) async throws -> Measurement

    /// A bound for the ratio.
    enum Goal: Sendable {
        case atMost(Double)
        case atLeast(Double)

        /// `<= 1.5`, `>= 8`.
        var text: String {
            switch self {
            case .atMost(let bound): "<= \(Figure.bound(value: bound))"
            case .atLeast(let bound): ">= \(Figure.bound(value: bound))"
            }
        }

        func isMet(by ratio: Double) -> Bool {
            switch self {
            case .atMost(let bound): ratio <= bound
            case .atLeast(let bound): ratio >= bound
            }
        }
    }
}

/// What one ratio came to.
struct Measurement: Sendable {
    /// The figure that the goal speaks of.
    var ratio: Double
    /// The product's side, in `unit`.
    var ours: Double
    /// The yardstick's side, in `unit`; nil for a goal that is a figure of its own.
    var yardstick: Double?
    /// `s`, `bytes`, `/s`.
    var unit = "s"
    /// What else must be known to read the figures: counts, sizes, conditions.
    var note = ""
    /// Whether everything else that the goal asks for holds, such as no file written.
    var holds = true
    /// Whether the processor time is within its bound, if there is one.
    var meetsProcessorGoal = true

    /// Ours over the yardstick's, by medians; the note tells the same by processor time, for which there may be a bound.
    static func over(sides: Sides, note: String = "", processorAtMost bound: Double? = nil) -> Measurement {
        let (ours, yardstick) = (sides.ours.median, sides.yardstick.median)
        let worked = sides.ours.worked.median / sides.yardstick.worked.median
        let goal = bound.map { " (<= \(Figure.bound(value: $0)))" } ?? ""
        return Measurement(
            ratio: ours / yardstick,
            ours: ours,
            yardstick: yardstick,
            note: "CPU \(Figure.text(seconds: worked))\(goal)" + (note.isEmpty ? "" : "; " + note),
            meetsProcessorGoal: bound.map { worked <= $0 } ?? true
        )
    }

    /// The same by processor time alone; the note tells the ratio by the clock.
    static func overProcessorTime(sides: Sides, note: String) -> Measurement {
        let (ours, yardstick) = (sides.ours.worked.median, sides.yardstick.worked.median)
        let elapsed = sides.ours.median / sides.yardstick.median
        return Measurement(
            ratio: ours / yardstick,
            ours: ours,
            yardstick: yardstick,
            note: "by the clock \(Figure.text(seconds: elapsed)); \(note)"
        )
    }

    /// How many times ours is faster, by medians.
    static func timesFaster(sides: Sides, note: String = "") -> Measurement {
        var measurement = over(sides: sides, note: note)
        measurement.ratio = 1 / measurement.ratio
        return measurement
    }
}

/// A ratio that cannot be measured as this program was built, or on this machine.
struct Unmeasured: Error {
    /// One sentence.
    var reason: String
}
