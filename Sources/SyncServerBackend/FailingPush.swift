import SyncCore

/// A push of one change on which the server failed in several syncs, while it answered everything else.
struct FailingPush: Sendable, Hashable {
    /// Names the push: the same change is the same push.
    var intent: String
    /// In how many syncs it failed.
    var failures: Int
    /// When it failed first.
    var since: Timestamp

    /// A server that is full or busy also says when to come back, and accepts the change later. So a change is to
    /// blame only after this many syncs, the first of them this many seconds ago.
    private static let maxFailures = 5
    private static let maxSeconds: Int64 = 3600

    /// Whether the change is to blame, and not the server.
    func isToBlame(at now: Timestamp) -> Bool {
        failures >= Self.maxFailures && now.microseconds - since.microseconds >= Self.maxSeconds * 1_000_000
    }

    /// Adds a failure to earlier ones.
    init(intent: String, at now: Timestamp, after last: FailingPush?) {
        let isSame = last?.intent == intent
        self.intent = intent
        failures = isSame ? (last?.failures ?? 0) + 1 : 1
        since = isSame ? last?.since ?? now : now
    }

    /// Reads the members of a cursor; nil if one is missing.
    init?(intent: String?, failures: String?, since: String?) {
        guard let intent, let failures = failures.flatMap({ Int($0) }),
            let since = since.flatMap({ Int64($0) })
        else { return nil }
        self.intent = intent
        self.failures = failures
        self.since = Timestamp(microseconds: since)
    }
}
