import SyncCore

/// What hints named that the scheduler has not taken yet. However many come, they are one.
struct WaitingHints: Sendable {
    /// Names of entities; nil for all.
    struct Names: Sendable {
        var known: Set<String>?
    }

    /// Nil when none waits.
    private let waiting = Guarded<Names?>(nil)

    /// Adds a hint. Returns whether it is the first that waits.
    func add(_ names: Set<String>?) -> Bool {
        waiting.use { waiting in
            guard let before = waiting else {
                waiting = Names(known: names)
                return true
            }
            waiting?.known = before.known.flatMap { known in names.map(known.union) }
            return false
        }
    }

    /// Takes what waits; nil when nothing does.
    func take() -> Names? {
        waiting.use { waiting in
            defer { waiting = nil }
            return waiting
        }
    }
}
