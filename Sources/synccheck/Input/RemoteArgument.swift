import EntitySync
import Foundation

/// The remote argument: a shared folder, a server or a Supabase project.
enum RemoteArgument {
    /// A shared folder with its absolute path.
    case folder(String)
    /// A server that speaks protocol v1.
    case server(ServerURL)
    /// A Supabase project, or PostgREST alone.
    case supabase(ServerURL)

    /// Parses a path, a file URL or an HTTP(S) URL. Throws `usage` for an empty text or another kind of URL.
    init(_ text: String) throws {
        switch Self.scheme(of: text) {
        case nil: self = .folder(try Self.absolute(path: text))
        case "http", "https": self = .server(try ServerURL(text))
        case "supabase+http", "supabase+https":
            self = .supabase(try ServerURL(String(text.dropFirst("supabase+".count))))
        case "file":
            guard let url = URL(string: text), ["", "localhost"].contains(url.host ?? "") else {
                throw SyncError.unsupportedRemote(scheme: "file")
            }
            self = .folder(try Self.absolute(path: url.path(percentEncoded: false)))
        case let scheme?: throw SyncError.unsupportedRemote(scheme: scheme)
        }
    }

    /// Whether the remote can notify of changes.
    var notifiesChanges: Bool {
        if case .server = self { return true }
        return false
    }

    /// Whether the remote is a server with TLS.
    var isSecureServer: Bool {
        switch self {
        case .server(let url), .supabase(let url): return url.scheme == "https"
        case .folder: return false
        }
    }

    /// The remote of the store's last sync. Throws `usage` if there was none.
    init(lastOf store: any LocalStore) throws {
        guard let text = try store.read({ try $0.value(name: StoreValueName.remote) }) else {
            throw SyncError.noRemote()
        }
        try self.init(text)
    }

    /// Saves the remote in the store for later commands.
    func remember(in store: any LocalStore) throws {
        guard try store.read({ try $0.value(name: StoreValueName.remote) }) != text else { return }
        try store.write(.pulled) { try $0.setValue(StoreValueName.remote, value: text) }
    }

    private var text: String {
        switch self {
        case .folder(let path): path
        case .server(let url): url.description
        case .supabase(let url): "supabase+\(url.description)"
        }
    }

    private static func absolute(path: String) throws -> String {
        guard !path.isEmpty else { throw SyncError.emptyRemote() }
        var path = path
        if !path.hasPrefix("/") { path = FileManager.default.currentDirectoryPath + "/" + path }
        while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
        return path
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
