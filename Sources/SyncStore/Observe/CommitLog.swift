import SyncCore

/// Keys of one entity's records that a transaction wrote.
struct ChangedKeys {
    /// The most keys that are kept: reading everything again costs no more.
    static let limit = 256
    private(set) var keys: [RecordKey] = []
    /// Whether there were more keys than are kept.
    private(set) var isMany = false

    var isEmpty: Bool { keys.isEmpty && !isMany }

    mutating func insert(_ key: RecordKey) {
        if isMany { return }
        if keys.count < Self.limit { return keys.append(key) }
        (keys, isMany) = ([], true)
    }
}

/// Keys written by the last commits of this process, by entity, so that an observer reads only those again.
struct CommitLog {
    /// The most commits kept. An observer that missed more reads everything again.
    static let limit = 64
    /// The number of the last commit that wrote a record, counted since opening.
    private(set) var last: Int64 = 0
    /// The last commits, the oldest first.
    private var commits: [[String: ChangedKeys]] = []

    /// Counts a commit. `isKept`: whether an observer may ask for its keys.
    mutating func add(_ changes: [String: ChangedKeys], isKept: Bool) {
        last += 1
        guard isKept else { return commits = [] }
        commits.append(changes)
        if commits.count > Self.limit { commits.removeFirst() }
    }

    /// Counts a possible commit with unknown keys.
    mutating func addUnknown() {
        last += 1
        commits = []
    }

    /// Keys of an entity's records written after a commit; nil if no longer known.
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
