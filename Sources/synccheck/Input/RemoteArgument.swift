import EntitySync
import Foundation

/// The remote of the command line: a shared folder.
struct RemoteArgument {
    /// The folder's absolute path.
    let path: String

    /// Reads a path or a file URL. Throws `usage` for a URL of another kind.
    init(_ text: String) throws {
        var path = text
        if let scheme = Self.scheme(of: text) {
            guard scheme == "file", let url = URL(string: text), ["", "localhost"].contains(url.host ?? "")
            else {
                throw SyncError.unsupportedRemote(scheme)
            }
            path = url.path(percentEncoded: false)
        }
        if !path.hasPrefix("/") { path = FileManager.default.currentDirectoryPath + "/" + path }
        while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
        self.path = path
    }

    /// The remote of the store's last sync. Throws `usage` when there was none.
    init(lastOf store: any LocalStore) throws {
        guard let path = try store.read({ try $0.value(StoreValueName.remote) }) else {
            throw SyncError.noRemote()
        }
        self.path = path
    }

    /// Keeps the remote with the store, for commands that need it later.
    func remember(in store: any LocalStore) throws {
        guard try store.read({ try $0.value(StoreValueName.remote) }) != path else { return }
        try store.write(.pulled) { try $0.setValue(StoreValueName.remote, path) }
    }

    private static func scheme(of text: String) -> String? {
        guard let end = text.range(of: "://") else { return nil }
        let scheme = text[..<end.lowerBound].lowercased()
        let isScheme =
            !scheme.isEmpty
            && scheme.utf8.allSatisfy { $0 | 0x20 &- 0x61 < 26 || $0 &- 0x30 < 10 || "+-.".utf8.contains($0) }
        return isScheme ? scheme : nil
    }
}
