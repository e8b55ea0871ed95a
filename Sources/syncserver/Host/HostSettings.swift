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
    /// How long a connection may be without a request for an account: from its beginning, or from the last answer.
    var firstSeconds = 10.0
    /// How long a connection on which no account is known may stay where all places are taken.
    var graceSeconds = 1.0
    /// How long a body may take.
    var bodySeconds = 30.0
    /// How often it is looked whether a body goes on.
    var paceSeconds = 5.0
    /// The bytes of a body that have to come in each of those times.
    var paceBytes = 8 * 1024
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
    /// The least urgent message that is logged.
    var logLevel = "info"
    /// Threads for the database.
    var threads = 4
}
