import Foundation
import SyncCore

/// A proxy that opens a tunnel to a server (`CONNECT`, RFC 9110, section 9.3.6). It sees the server's name, and
/// nothing of what is sent.
struct HTTPProxy: Sendable, Hashable {
    /// Where the proxy is.
    let target: SocketTarget
    /// The `Proxy-Authorization` field; nil if the URL has no user.
    private let authorization: String?

    /// Reads `http://user:password@host:port`, also without scheme and user; nil for another kind of proxy.
    init?(_ text: String) {
        var rest = text[...]
        if let separator = text.firstRange(of: "://") {
            guard text[..<separator.lowerBound].lowercased() == "http" else { return nil }
            rest = text[separator.upperBound...]
        }
        rest = rest.prefix { $0 != "/" }
        if let sign = rest.lastIndex(of: "@") {
            guard let user = String(rest[..<sign]).removingPercentEncoding else { return nil }
            authorization = "Basic " + Data(user.utf8).base64EncodedString()
            rest = rest[rest.index(after: sign)...]
        } else {
            authorization = nil
        }
        guard let target = SocketTarget(url: "http://\(rest)") else { return nil }
        self.target = target
    }

    /// The request for a tunnel to a server.
    func request(for server: SocketTarget) -> [UInt8] {
        let host = server.host.contains(":") ? "[\(server.host)]" : server.host
        var head = "CONNECT \(host):\(server.port) HTTP/1.1\r\nHost: \(host):\(server.port)\r\n"
        if let authorization { head += "Proxy-Authorization: \(authorization)\r\n" }
        return Array((head + "\r\n").utf8)
    }
}
