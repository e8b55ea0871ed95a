import EntitySync
import SyncCore

/// A progress line on a terminal. Prints nothing to a pipe.
final class WorldProgress: Sendable {
    private let last = Guarded(ContinuousClock.now)
    private let isSilent: Bool

    /// A line, or none for a part of something that has a line of its own.
    init(isSilent: Bool = false) {
        self.isSilent = isSilent
    }

    /// Shows the number of completed worlds, about once a second.
    func show(worlds: Int, since start: ContinuousClock.Instant) {
        show(worlds, word: "worlds", since: start)
    }

    /// Shows a count of something, about once a second.
    func show(_ count: Int, word: String, since start: ContinuousClock.Instant) {
        guard TerminalLine.isShown, !isSilent else { return }
        let now = ContinuousClock.now
        let isDue = last.use { last in
            guard now - last >= .seconds(1) else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        TerminalLine.draw("\(count) \(word), \((now - start).components.seconds) s")
    }

    /// Clears the line.
    func clear() { if !isSilent { TerminalLine.clear() } }
}
