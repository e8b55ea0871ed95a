import SyncCore

/// The URL of a server: scheme, host, port, and a path prefix.
///
/// It is validated when it is made: `https`, or `http` for a trusted network; no password, query or fragment.
public struct ServerURL: Sendable, Hashable {
    /// `https` or `http`.
    public let scheme: String
    /// The host in lower case; an IPv6 address has brackets.
    public let host: String
    /// The port; the scheme's default if the text has none.
    public let port: Int
    /// The path prefix of all requests, without a slash at its end; usually empty.
    public let prefix: String

    /// Parses a URL such as `https://sync.example.org` or `http://localhost:8080/prefix`. Plain `http` is
    /// accepted for loopback hosts, and for others only with `allowsPlainHTTP`. Throws `SyncError` `usage`,
    /// which does not contain the text.
    public init(_ text: String, allowsPlainHTTP: Bool = false) throws {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !Self.neverInURLs.contains($0) }) else {
            throw SyncError.urlHasForeignCharacters()
        }
        guard let separator = text.firstRange(of: "://") else { throw SyncError.urlHasOtherScheme() }
        scheme = text[..<separator.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else { throw SyncError.urlHasOtherScheme() }
        let rest = text[separator.upperBound...]
        guard !rest.contains("?"), !rest.contains("#") else { throw SyncError.urlHasQuery() }
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains("@") else { throw SyncError.urlHasPassword() }
        (host, port) = try Self.parts(authority: authority, defaultPort: scheme == "https" ? 443 : 80)
        var path = rest[end...]
        while path.last == "/" { path.removeLast() }
        guard !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw SyncError.urlHasForeignCharacters()
        }
        prefix = String(path)
        guard scheme == "https" || allowsPlainHTTP || isLoopback else { throw SyncError.urlIsPlain() }
    }

    /// Scheme, host and port. Tokens and circuit breakers belong to an origin.
    public var origin: String { "\(scheme)://\(host):\(port)" }

    /// Whether the host is this machine: `localhost`, `127.0.0.0/8`, `::1`.
    public var isLoopback: Bool { Self.isLoopback(host) }

    /// Whether a lowercase host is this machine; an IPv6 address may have brackets.
    static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "[::1]", "::1"].contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in part.allSatisfy(\.isNumber) && UInt8(part) != nil }
    }

    /// The absolute URL of a path below the prefix. It is on this origin whatever the path is.
    func url(path: String) -> String {
        origin + prefix + (path.hasPrefix("/") ? "" : "/") + path
    }

    private static func parts(
        authority: Substring,
        defaultPort: Int
    ) throws -> (host: String, port: Int) {
        var host = authority
        var port: Substring?
        // The colons of an IPv6 address are within brackets.
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        let name = host.lowercased()
        guard isHost(name) else { throw SyncError.urlHasNoHost() }
        guard let port else { return (name, defaultPort) }
        guard port.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let number = Int(port), (1...65_535).contains(number)
        else { throw SyncError.urlHasNoPort() }
        return (name, number)
    }

    private static func isHost(_ name: String) -> Bool {
        let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
        if name.hasPrefix("[") {
            let address = name.dropFirst().dropLast()
            return name.hasSuffix("]") && address.contains(":")
                && address.allSatisfy { "0123456789abcdef:.".contains($0) }
        }
        return !name.isEmpty && !name.hasPrefix(".") && !name.contains("..")
            && name.allSatisfy { letters.contains($0) || "-._".contains($0) }
    }

    private static let neverInURLs = Set("\"<>\\^`{|}".utf8)
}

extension ServerURL: CustomStringConvertible {
    /// The URL as text, without a default port.
    public var description: String {
        let isUsual = port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host)\(isUsual ? "" : ":\(port)")\(prefix)"
    }
}
