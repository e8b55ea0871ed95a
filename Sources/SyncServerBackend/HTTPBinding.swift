import SyncCore
import SyncWire

/// Binds a store to a server: the account, and the history of its cursors and revisions.
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
            members.text(name: "remote") == Self.format,
            let account = members.text(name: "account"), let epoch = members.text(name: "epoch")
        else { return nil }
        self.account = account
        self.epoch = epoch
    }
}
