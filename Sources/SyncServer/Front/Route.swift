import SyncWire

/// The route of a path. Logs and metrics use the template, never the path.
enum Route: Sendable, Hashable {
    case health, ready, metrics, openAPI, admin
    case exchange, events
    /// Paths of scratch logs. The account handler parses them further.
    case scratchExchange, scratchEvents, scratchPurge, scratchRestart, scratch
    case unknown, unknownOfProtocol

    init(path: String) {
        switch path {
        case "/health": self = .health
        case "/ready": self = .ready
        case "/metrics": self = .metrics
        case "/admin": self = .admin
        case "/v1/openapi.json": self = .openAPI
        case WireProtocol.exchangePath: self = .exchange
        case WireProtocol.eventsPath: self = .events
        case let path where path.hasPrefix(WireProtocol.scratchPath + "/"): self = Self.scratch(path: path)
        case let path where path.hasPrefix("/v1/"): self = .unknownOfProtocol
        default: self = .unknown
        }
    }

    private static func scratch(path: String) -> Route {
        let parts = path.dropFirst(WireProtocol.scratchPath.count + 1)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard !parts[0].isEmpty else { return .unknownOfProtocol }
        guard parts.count == 2 else { return parts.count == 1 ? .scratch : .unknownOfProtocol }
        switch parts[1] {
        case "exchange": return .scratchExchange
        case "events": return .scratchEvents
        case "purge": return .scratchPurge
        case "restart": return .scratchRestart
        default: return .unknownOfProtocol
        }
    }

    /// The template that logs and metrics show.
    var template: String {
        switch self {
        case .health: "/health"
        case .ready: "/ready"
        case .metrics: "/metrics"
        case .admin: "/admin"
        case .openAPI: "/v1/openapi.json"
        case .exchange: WireProtocol.exchangePath
        case .events: WireProtocol.eventsPath
        case .scratchExchange: WireProtocol.scratchPath + "/{name}/exchange"
        case .scratchEvents: WireProtocol.scratchPath + "/{name}/events"
        case .scratchPurge: WireProtocol.scratchPath + "/{name}/purge"
        case .scratchRestart: WireProtocol.scratchPath + "/{name}/restart"
        case .scratch: WireProtocol.scratchPath + "/{name}"
        case .unknown, .unknownOfProtocol: "unknown"
        }
    }

    /// The methods that the route allows; nil for an unknown route.
    var methods: [String]? {
        switch self {
        case .health, .ready, .metrics, .openAPI, .admin: ["GET", "HEAD"]
        case .exchange, .scratchExchange, .scratchPurge, .scratchRestart: ["POST"]
        case .events, .scratchEvents: ["GET"]
        case .scratch: ["DELETE"]
        case .unknown, .unknownOfProtocol: nil
        }
    }

    /// Whether the route requires an account.
    var needsAccount: Bool {
        switch self {
        case .health, .ready, .metrics, .openAPI, .admin, .unknown: false
        case .exchange, .events, .scratchExchange, .scratchEvents, .scratchPurge, .scratchRestart, .scratch,
            .unknownOfProtocol:
            true
        }
    }

    /// Whether the answer is part of the protocol, and so must not be cached.
    var isOfProtocol: Bool { needsAccount || self == .openAPI || self == .admin || self == .ready }
}
