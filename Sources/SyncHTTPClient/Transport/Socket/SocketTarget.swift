import SyncCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The host and port of a URL to connect to, and the path to request.
struct SocketTarget: Sendable, Hashable {
    /// The host, without the brackets of an IPv6 address.
    let host: String
    let port: Int
    /// Path and query; begins with a slash.
    let path: String
    /// Host and port as the `Host` field has them.
    let authority: String

    /// Parses an absolute `http` URL, or with `isSecure` an absolute `https` URL; nil for anything else.
    init?(url: String, isSecure: Bool = false) {
        let prefix = isSecure ? "https://" : "http://"
        let usualPort = isSecure ? 443 : 80
        guard url.lowercased().hasPrefix(prefix), url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            return nil
        }
        let rest = url.dropFirst(prefix.count).prefix { $0 != "#" }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let name = rest[..<end]
        guard !name.contains("@") else { return nil }
        var host = name
        var port = usualPort
        if let colon = name.lastIndex(of: ":"), !name[colon...].contains("]") {
            guard let number = UInt16(name[name.index(after: colon)...]), number > 0 else { return nil }
            host = name[..<colon]
            port = Int(number)
        }
        authority = String(port == usualPort ? host : name)
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        self.host = String(host)
        self.port = port
        path = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/" + rest[end...]
    }

    /// Host and port. Connections to the same origin are interchangeable.
    var origin: String { "\(host) \(port)" }

    /// One address of a host.
    struct Address {
        let family: Int32
        fileprivate let bytes: [UInt8]

        func withBytes<Result>(body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
            bytes.withUnsafeBytes { buffer in
                // An address is never empty because the system made it.
                body(buffer.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count))
            }
        }
    }

    /// The addresses of the host from the system's resolver; empty if it is unknown. Blocks without a limit.
    func addresses() -> [Address] {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [Address] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr, entry.ai_addrlen > 0 {
                let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
                addresses.append(Address(family: entry.ai_family, bytes: Array(bytes)))
            }
            next = entry.ai_next
        }
        return addresses
    }

    /// The bytes of a request. Nil if a field contains a line break.
    func encode(_ request: HTTPRequest) -> [UInt8]? {
        var head = "\(request.method) \(path) HTTP/1.1\r\nHost: \(authority)\r\nAccept-Encoding: identity\r\n"
        if !request.body.isEmpty || request.method != "GET" {
            head += "Content-Length: \(request.body.count)\r\n"
        }
        for header in request.headers {
            let line = "\(header.name): \(header.value)"
            guard line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else { return nil }
            head += line + "\r\n"
        }
        return Array((head + "\r\n").utf8) + request.body
    }
}
