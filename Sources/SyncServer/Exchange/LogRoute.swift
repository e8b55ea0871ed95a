import SyncWire

/// What a request wants from an account's logs, parsed from method and path.
package enum LogRoute: Hashable {
    case exchange(LogName)
    case events(LogName)
    /// Remove all tombstones now.
    case purge(LogName)
    /// Restart the log with a new epoch.
    case restart(LogName)
    /// Remove the log.
    case remove(LogName)

    /// Parses method and path. Throws `WireError` `not-found`, or `method-not-allowed` if the path allows
    /// other methods.
    package init(method: String, path: String) throws {
        let (route, allowed) = try Self.read(path: path)
        guard method == allowed else { throw WireError.wrongMethod(allowed: allowed) }
        self = route
    }

    private static func read(path: String) throws -> (LogRoute, method: String) {
        if path == WireProtocol.exchangePath { return (.exchange(.main), "POST") }
        if path == WireProtocol.eventsPath { return (.events(.main), "GET") }
        let prefix = WireProtocol.scratchPath + "/"
        guard path.hasPrefix(prefix) else { throw WireError.notFound() }
        let parts = path.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, isName(parts[0]) else { throw WireError.notFound() }
        let log = LogName.scratch(String(parts[0]))
        switch parts.count == 2 ? parts[1] : nil {
        case nil: return (.remove(log), "DELETE")
        case "exchange": return (.exchange(log), "POST")
        case "events": return (.events(log), "GET")
        case "purge": return (.purge(log), "POST")
        case "restart": return (.restart(log), "POST")
        default: throw WireError.notFound()
        }
    }

    /// Whether the text is a valid name, checked byte by byte because it becomes part of a log's name.
    private static func isName(_ text: Substring) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte) || byte == UInt8(ascii: "-")
            }
    }
}
