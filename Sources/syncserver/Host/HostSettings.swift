/// The address and the limits of a host. Times are in seconds.
struct HostSettings: Sendable {
    /// The address to bind; loopback by default.
    var host = "127.0.0.1"
    /// The port to bind; 0 for any free one.
    var port = 0
    /// The most open connections. Further ones wait in the system's queue.
    var maxConnections = 512
    /// How long a connection may be idle, and how long a request's head may take.
    var idleSeconds = 60.0
    /// How long a connection may be without a request for an account, from its start or from the last answer.
    var firstSeconds = 10.0
    /// How long an unauthenticated connection is kept at least when all places are taken.
    var graceSeconds = 1.0
    /// How long a body may take.
    var bodySeconds = 300.0
    /// The interval at which the pace of a body is checked.
    var paceSeconds = 5.0
    /// The bytes of a body that must arrive in each interval.
    var paceBytes = 8 * 1024
    /// How long a client may take to read 64 KiB of an answer.
    var writeSeconds = 30.0
    /// How long the rest of an unwanted body is read, so that the client gets the answer and not a connection
    /// error.
    var lingerSeconds = 2.0
    /// The interval of heartbeats on a quiet stream.
    var heartbeatSeconds = 15.0
    /// How long requests may continue after the server begins to stop.
    var shutdownSeconds = 10.0
    /// The interval of the maintenance.
    var maintenanceSeconds = 3600.0
    /// The most bytes of one header field. All fields together may have twice as many.
    var maxHeaderBytes = 16 * 1024
    /// The most header fields.
    var maxHeaderFields = 100
    /// The most bytes of bodies held at once, over all connections.
    var maxHeldBodyBytes = 64 << 20
    /// The lowest level that is logged.
    var logLevel = "info"
    /// Threads for blocking work.
    var threads = 4
}
