import SyncCore

/// The proxies in the process environment.
struct ProxyEnvironment: Sendable {
    private let plainProxy: String
    private let secureProxy: String
    private let exceptions: [String]

    /// Reads the variables that curl and the system's client on Linux use.
    init(_ environment: [String: String]) {
        func value(names: String...) -> String {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        }
        plainProxy = value(names: "http_proxy", "all_proxy", "ALL_PROXY")
        secureProxy = value(names: "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        exceptions = value(names: "no_proxy", "NO_PROXY").split(whereSeparator: { $0 == "," || $0 == " " })
            .map { $0.lowercased() }
    }

    /// Whether the environment has a proxy for plain `http` to a host. Loopback needs none.
    func hasProxy(forPlainHTTP target: SocketTarget) -> Bool {
        !plainProxy.isEmpty && !isExcepted(target.host.lowercased())
    }

    /// The proxy for `https` to a host; nil if there is none. Loopback needs none. Throws `SyncError` `usage` for a
    /// proxy of another kind than HTTP.
    func proxy(forSecureHTTP target: SocketTarget) throws -> HTTPProxy? {
        guard !secureProxy.isEmpty, !isExcepted(target.host.lowercased()) else { return nil }
        guard let proxy = HTTPProxy(secureProxy) else { throw SyncError.authoritiesThroughProxy() }
        return proxy
    }

    private func isExcepted(_ host: String) -> Bool {
        ServerURL.isLoopback(host)
            || exceptions.contains { name in
                let domain = name.hasPrefix(".") ? String(name.dropFirst()) : name
                return name == "*" || host == domain || host.hasSuffix("." + domain)
            }
    }
}
