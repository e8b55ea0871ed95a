import SyncCore

/// Entities named by hints that the scheduler has not taken yet. Any number of hints collapse into one.
struct WaitingHints: Sendable {
    /// Names of entities; nil for all.
    struct Names: Sendable {
        var known: Set<String>?
    }

    /// Nil if no hint waits.
    private let waiting = Guarded<Names?>(nil)

    /// Adds a hint. Returns whether it is the first one waiting.
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

    /// Takes the waiting hint; nil if there is none.
    func take() -> Names? {
        waiting.use { waiting in
            defer { waiting = nil }
            return waiting
        }
    }
}
