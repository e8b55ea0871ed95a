/// Where a host listens, and what it puts up with. Times are seconds.
struct HostSettings: Sendable {
    /// The address to bind; loopback alone unless told otherwise.
    var host = "127.0.0.1"
    /// The port to bind; 0 for any free one.
    var port = 0
    /// The most connections that are open at once; further ones wait in the system's queue.
    var maxConnections = 512
    /// How long a connection may be without a request, or a request's head may take.
    var idleSeconds = 60.0
    /// How long a body may take.
    var bodySeconds = 30.0
    /// How long a client may take to read 64 KiB of an answer.
    var writeSeconds = 30.0
    /// How long the rest of an unwanted body is read, so that the client sees the answer and no broken connection.
    var lingerSeconds = 2.0
    /// How often a quiet stream says that it is alive.
    var heartbeatSeconds = 15.0
    /// How long requests may go on once the server stops.
    var shutdownSeconds = 10.0
    /// How often the maintenance runs.
    var maintenanceSeconds = 3600.0
    /// The most bytes of one header field; a list of all may have twice as many.
    var maxHeaderBytes = 16 * 1024
    /// The most header fields.
    var maxHeaderFields = 100
    /// The most bytes of bodies that are held at once, over all connections.
    var maxHeldBodyBytes = 64 << 20
    /// Threads for the database.
    var threads = 4
}
