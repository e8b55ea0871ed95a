import SyncCore
import SyncWire

/// What the store keeps as cursor: where the server's last page left off, and the last batch that was acknowledged.
package struct HTTPCursor: Sendable, Hashable {
    /// The server's own cursor; nil to begin from nothing.
    var server: String?
    /// The last acknowledged batch; nil when there was none.
    var batch: String?
    /// The push of one change on which the server failed when it was last sent; nil when it took one since.
    var failing: FailingPush?

    /// `{"server":"…","batch":"…","failing":"…","failures":"…","since":"…"}`, the time in microseconds.
    package var text: String {
        var writer = JSONWriter()
        writer.beginObject()
        let members = [
            ("server", server), ("batch", batch), ("failing", failing?.intent),
            ("failures", failing.map { String($0.failures) }),
            ("since", failing.map { String($0.since.microseconds) }),
        ]
        for (name, value) in members {
            guard let value else { continue }
            writer.name(name)
            writer.string(value)
        }
        writer.endObject()
        return writer.text
    }

    /// Nothing taken, nothing pushed.
    package init(server: String? = nil, batch: String? = nil) {
        self.server = server
        self.batch = batch
    }

    /// Reads what `text` writes; nil for anything else, such as the cursor of a folder.
    package init?(_ text: String) {
        guard let members = try? Self.members(text: text) else { return nil }
        self.init(server: members.text(json: "server"), batch: members.text(json: "batch"))
        failing = FailingPush(
            intent: members.text(json: "failing"),
            failures: members.text(json: "failures"),
            since: members.text(json: "since")
        )
    }

    private static func members(text: String) throws -> SmallObject {
        var copy = text
        return try copy.withUTF8 { try SmallObject($0) }
    }
}

/// A push of one change on which the server failed in one sync after the other, while it answered everything else.
struct FailingPush: Sendable, Hashable {
    /// Names the push: the same change is the same push.
    var intent: String
    /// In how many syncs it failed.
    var failures: Int
    /// When it failed first.
    var since: Timestamp

    /// A server that is full or busy says when to come back, too, and takes the change some time later. So a change is to
    /// blame only after so many syncs, the first of them so many seconds ago.
    private static let maxFailures = 5
    private static let maxSeconds: Int64 = 3600

    /// Whether the change is to blame, and not the server.
    func isToBlame(at now: Timestamp) -> Bool {
        failures >= Self.maxFailures && now.microseconds - since.microseconds >= Self.maxSeconds * 1_000_000
    }

    /// One more failure of a push, after what was known before.
    init(intent: String, at now: Timestamp, after last: FailingPush?) {
        let isSame = last?.intent == intent
        self.intent = intent
        failures = isSame ? (last?.failures ?? 0) + 1 : 1
        since = isSame ? last?.since ?? now : now
    }

    /// Reads the members of a cursor; nil where they are not all there.
    init?(intent: String?, failures: String?, since: String?) {
        guard let intent, let failures = failures.flatMap({ Int($0) }),
            let since = since.flatMap({ Int64($0) })
        else { return nil }
        self.intent = intent
        self.failures = failures
        self.since = Timestamp(microseconds: since)
    }
}

/// What binds a store to a server: the account and the history that cursors and revisions belong to.
package struct HTTPBinding: Sendable, Hashable {
    var account: String
    var epoch: String

    private static let format = "http"

    /// `{"remote":"http","account":"…","epoch":"…"}`.
    package var text: String {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in [("remote", Self.format), ("account", account), ("epoch", epoch)] {
            writer.name(name)
            writer.string(value)
        }
        writer.endObject()
        return writer.text
    }

    init(_ answer: ExchangeAnswer) {
        account = answer.account
        epoch = answer.epoch
    }

    /// Reads what `text` writes; nil for anything else, such as the binding to a folder.
    package init?(_ text: String) {
        var copy = text
        guard let members = try? copy.withUTF8({ try SmallObject($0) }),
            members.text(json: "remote") == Self.format,
            let account = members.text(json: "account"), let epoch = members.text(json: "epoch")
        else { return nil }
        self.account = account
        self.epoch = epoch
    }
}
