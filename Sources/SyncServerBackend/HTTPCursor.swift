import SyncCore
import SyncWire

/// The store's cursor: where the server's last page ended, and the last acknowledged batch.
package struct HTTPCursor: Sendable, Hashable {
    /// The server's own cursor; nil to start from the beginning.
    var server: String?
    /// The last acknowledged batch; nil if there is none.
    var batch: String?
    /// The push of one change on which the server failed last time; nil after a success.
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

    /// Starts from the beginning.
    package init(server: String? = nil, batch: String? = nil) {
        self.server = server
        self.batch = batch
    }

    /// Reads what `text` writes; nil for anything else, such as the cursor of a folder.
    package init?(_ text: String) {
        guard let members = try? Self.members(text: text) else { return nil }
        self.init(server: members.text(name: "server"), batch: members.text(name: "batch"))
        if let intent = members.text(name: "failing"),
            let failures = members.text(name: "failures").flatMap({ Int($0) }),
            let since = members.text(name: "since").flatMap({ Int64($0) })
        {
            failing = FailingPush(intent: intent, failures: failures, since: Timestamp(microseconds: since))
        }
    }

    private static func members(text: String) throws -> SmallObject {
        var copy = text
        return try copy.withUTF8 { try SmallObject($0) }
    }
}
