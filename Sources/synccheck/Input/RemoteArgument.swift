import EntitySync
import Foundation
import SyncCore
import SyncHTTPClient

/// The remote argument: a shared folder, a server or a Supabase project.
enum RemoteArgument {
    /// A shared folder with its absolute path.
    case folder(String)
    /// A server that speaks protocol v1.
    case server(ServerURL)
    /// A Supabase project, or PostgREST alone.
    case supabase(ServerURL)

    /// Parses a path, a file URL or an HTTP(S) URL. Throws `usage` for an empty text, another kind of URL, or a text
    /// that may be the name of a server or of a folder that does not exist.
    init(_ text: String, allowsPlainHTTP: Bool = false) throws {
        switch Self.scheme(of: text) {
        case nil:
            let path = try Self.absolute(path: text)
            if Self.mayBeServer(text), try PathKind(path) != .folder {
                throw SyncError.serverOrFolder(text)
            }
            self = .folder(path)
        case "http", "https": self = .server(try ServerURL(text, allowsPlainHTTP: allowsPlainHTTP))
        case "supabase+http", "supabase+https":
            let url = String(text.dropFirst("supabase+".count))
            self = .supabase(try ServerURL(url, allowsPlainHTTP: allowsPlainHTTP))
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
        // It was allowed when it was given.
        try self.init(text, allowsPlainHTTP: true)
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

    /// Whether a text without scheme begins with what may name a server: it has a dot or a port, and is no path such
    /// as `./a.b`.
    private static func mayBeServer(_ text: String) -> Bool {
        let name = text.prefix { $0 != "/" }
        guard let first = name.first, first != ".", first != "~" else { return false }
        let port = name.lastIndex(of: ":").map { name[name.index(after: $0)...] }
        let hasPort = port.map { !$0.isEmpty && $0.utf8.allSatisfy { $0 &- 0x30 < 10 } } ?? false
        return hasPort || name.contains(".")
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
