package import SyncCore

/// What is left of the worlds of some seeds, and how they went, as digests. A change of the code that shall not change
/// behaviour may change how worlds go, never what is left of them.
package struct WorldDigest: Hashable, Sendable {
    /// The first seed.
    package var first: UInt64
    /// Of what is left: records, states, conflicts, journals, and what the remote holds.
    package var remains: Digest
    /// Of the stories.
    package var stories: Digest
    /// The first seed whose world broke a promise; nil if none did.
    package var broken: UInt64?

    /// Plays the worlds of seeds.
    package init(of seeds: Range<UInt64>, simulator: Simulator) async {
        var simulator = simulator
        simulator.notesOutcome = true
        var (lines, stories): ([String], [String]) = ([], [])
        for seed in seeds {
            let outcome = await simulator.play(seed)
            if outcome.violation != nil { broken = broken ?? seed }
            lines.append("seed \(seed)")
            lines += outcome.remains
            stories.append(outcome.log.digest.description)
        }
        first = seeds.lowerBound
        remains = Digest(Array(lines.joined(separator: "\n").utf8))
        self.stories = Digest(Array(stories.joined(separator: "\n").utf8))
    }

    /// One line: the first seed, what is left, and the stories.
    package var line: String {
        let parts = [remains, stories].map { String($0.description.prefix(16)) }
        return "\(first) \(parts[0]) \(parts[1])" + (broken.map { " broken by \($0)" } ?? "")
    }
}
