import SyncCore

/// Keys of records of one entity that a transaction wrote.
struct ChangedKeys {
    /// From so many on they are not kept: reading all again costs no more.
    static let limit = 256
    private(set) var keys: [RecordKey] = []
    /// Whether there were more than are kept.
    private(set) var isMany = false

    var isEmpty: Bool { keys.isEmpty && !isMany }

    mutating func insert(_ key: RecordKey) {
        if isMany { return }
        if keys.count < Self.limit { return keys.append(key) }
        (keys, isMany) = ([], true)
    }
}

/// What the last commits of this process wrote, by entity, so that who has read before reads no more than that.
struct CommitLog {
    /// The most commits kept. Who has missed more reads all again.
    static let limit = 64
    /// The number of the last commit that wrote a record, counted from the opening.
    private(set) var last: Int64 = 0
    /// The last commits, the oldest first.
    private var commits: [[String: ChangedKeys]] = []

    /// Counts a commit; `isKept` tells whether anybody may ask for it.
    mutating func add(_ changes: [String: ChangedKeys], isKept: Bool) {
        last += 1
        guard isKept else { return commits = [] }
        commits.append(changes)
        if commits.count > Self.limit { commits.removeFirst() }
    }

    /// Counts what may have been a commit, of which nothing else is known.
    mutating func addUnknown() {
        last += 1
        commits = []
    }

    /// Keys of an entity's records that were written after a commit; nil where that is not known any more.
    func changed(entity: String, since commit: Int64) -> Set<RecordKey>? {
        let missed = Int(last - commit)
        guard missed <= commits.count else { return nil }
        var keys: Set<RecordKey> = []
        for changes in commits.suffix(missed) {
            guard let changed = changes[entity] else { continue }
            if changed.isMany { return nil }
            keys.formUnion(changed.keys)
        }
        return keys
    }
}
