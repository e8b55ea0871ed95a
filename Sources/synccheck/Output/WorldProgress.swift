import EntitySync

/// A line on a terminal that says how far a long work is. Where nobody looks, nothing is written.
final class WorldProgress: Sendable {
    private let isShown = StandardStreams.Stream.error.isTerminal
    private let last = Guarded(ContinuousClock.now)

    /// Says how many worlds were played, about once a second.
    func show(worlds: Int, since start: ContinuousClock.Instant) {
        show(worlds, word: "worlds", since: start)
    }

    /// Says how many of something were made, about once a second.
    func show(_ count: Int, word: String, since start: ContinuousClock.Instant) {
        guard isShown else { return }
        let now = ContinuousClock.now
        let isDue = last.use { last in
            guard now - last >= .seconds(1) else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        StandardStreams.write("\r\(count) \(word), \((now - start).components.seconds) s", to: .error)
    }

    /// Takes the line away.
    func clear() {
        if isShown { StandardStreams.write("\r\u{1b}[K", to: .error) }
    }
}
