import SyncCore
import SyncWire

/// What the store keeps as cursor: where the server's last page left off, and the last batch that was acknowledged.
package struct HTTPCursor: Sendable, Hashable {
    /// The server's own cursor; nil to begin from nothing.
    var server: String?
    /// The last acknowledged batch; nil when there was none.
    var batch: String?

    /// `{"server":"…","batch":"…"}`.
    package var text: String {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in [("server", server), ("batch", batch)] {
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
        guard let members = try? Self.members(text) else { return nil }
        self.init(server: members.text("server"), batch: members.text("batch"))
    }

    private static func members(_ text: String) throws -> SmallObject {
        var copy = text
        return try copy.withUTF8 { try SmallObject($0) }
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
            members.text("remote") == Self.format,
            let account = members.text("account"), let epoch = members.text("epoch")
        else { return nil }
        self.account = account
        self.epoch = epoch
    }
}
