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
        self.init(server: members.text(name: "server"), batch: members.text(name: "batch"))
        failing = FailingPush(
            intent: members.text(name: "failing"),
            failures: members.text(name: "failures"),
            since: members.text(name: "since")
        )
    }

    private static func members(text: String) throws -> SmallObject {
        var copy = text
        return try copy.withUTF8 { try SmallObject($0) }
    }
}
