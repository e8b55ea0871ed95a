public import Foundation
import ProgramRuns

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A PostgreSQL for tests: its own data in a temporary folder, on loopback and on a Unix socket. It ends with the test
/// process.
public final class PostgresCluster: Sendable {
    /// The folder of the data and of the Unix socket.
    public let folder: URL
    /// The port on 127.0.0.1.
    public let port: Int
    private let durability: Durability
    // Guarded by `lock`.
    private nonisolated(unsafe) var currentProcess: Int32 = 0
    private let lock = NSLock()
    private let places = Places(count: 3)

    /// The folder of the programs: the one that `POSTGRES_PROGRAMS` names, or that of the newest installed version; nil if
    /// PostgreSQL is not installed.
    public static let programs: URL? = {
        if let named = ProcessInfo.processInfo.environment["POSTGRES_PROGRAMS"] {
            return URL(fileURLWithPath: named)
        }
        let places = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let versions = places.compactMap { Int($0) }.sorted(by: >)
        return versions.map { URL(fileURLWithPath: "/usr/lib/postgresql/\($0)/bin") }.first {
            FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("postgres").path)
        }
    }()

    /// What a test without PostgreSQL says.
    public static let notInstalled: String =
        "PostgreSQL is not installed under /usr/lib/postgresql: nothing about it was tested."

    /// What a committed transaction survives.
    public enum Durability: Sendable {
        /// Nothing; the fastest.
        case none
        /// That the server is killed: commits are handed to the system, which writes them when it likes.
        case kill
        /// A power cut: commits are flushed to the disk.
        case powerCut

        /// The server's settings for it.
        var settings: [String] {
            switch self {
            case .none: ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
            case .kill: ["fsync=off", "full_page_writes=off"]
            case .powerCut: []
            }
        }
    }

    /// Thrown if the cluster cannot be used.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    private static let starting = Task { try await PostgresCluster(durability: .none) }

    /// The cluster that the tests of this process share. It does not flush to the disk.
    public static func shared() async throws -> PostgresCluster { try await starting.value }

    /// Makes and starts a cluster whose commits are flushed to the disk, or survive nothing.
    public convenience init(isDurable: Bool) async throws {
        try await self.init(durability: isDurable ? .powerCut : .none)
    }

    /// Makes and starts a cluster.
    public init(durability: Durability) async throws {
        guard let programs = Self.programs else { throw Failure(description: Self.notInstalled) }
        self.durability = durability
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "pg-\(UUID().uuidString.prefix(8))"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.giveAway(folder)
        let data = folder.appendingPathComponent("data").path
        let made = try await Self.child(
            [programs.appendingPathComponent("initdb").path, "-D", data, "-U", "postgres", "--auth=trust"]
                + ["-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
            in: folder
        ).end()
        guard made.exitCode == 0 else { throw Failure(description: "initdb failed: \(made.error)") }
        let listener = try LoopbackListener()
        port = listener.port
        close(listener.socket)
        try start()
        try guardFolder()
        try await waitUntilReady()
    }

    /// The server's process.
    public var processID: Int32 { lock.withLock { currentProcess } }

    /// Where a shell reads the server's process.
    private var processFile: URL { folder.appendingPathComponent("server.pid") }

    /// Kills the server, as a power cut does, and starts it again.
    public func crashAndRestart() async throws {
        crash(sparesBackends: true)
        try await restart()
    }

    /// Kills the server and its other processes, as a power cut does.
    ///
    /// - Parameter sparesBackends: Whether the other processes end by themselves, as soon as they notice. Until then a
    ///   statement may be completed.
    public func crash(sparesBackends: Bool = false) {
        let backends = sparesBackends ? [] : Self.children(of: processID)
        kill(processID, SIGKILL)
        for backend in backends { kill(backend, SIGKILL) }
        var status: Int32 = 0
        waitpid(processID, &status, 0)
    }

    /// Halts the server and its other processes: connections stay, and nothing answers.
    public func freeze() {
        for process in [processID] + Self.children(of: processID) { kill(process, SIGSTOP) }
    }

    /// Lets a halted server go on.
    public func thaw() {
        for process in Self.children(of: processID) + [processID] { kill(process, SIGCONT) }
    }

    /// The processes that a process started, as Linux tells.
    private static func children(of parent: Int32) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { process in
            let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            // After the name in parentheses: the state, and the parent.
            let fields = text?.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 1 && Int32(fields[1]) == parent
        }
    }

    /// Starts a server that was killed, on the same data and port.
    public func restart() async throws {
        var status: Int32 = 0
        for _ in 0..<300 {
            try start()
            // It ends at once while a process of the killed server still uses its memory.
            while waitpid(processID, &status, WNOHANG) == 0 {
                if (try? await sql("select 1", database: "postgres")) == "1" { return }
                try await Task.sleep(for: .milliseconds(20))
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Failure(description: "PostgreSQL did not start again.")
    }

    /// Starts the server in the background.
    private func start() throws {
        guard let programs = Self.programs else { throw Failure(description: Self.notInstalled) }
        var settings = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=\(folder.path)",
            "max_connections=150", "log_statement=none", "timezone=UTC",
        ]
        settings += durability.settings
        let server = try Self.child(
            [
                programs.appendingPathComponent("postgres").path, "-D",
                folder.appendingPathComponent("data").path,
            ]
                + settings.flatMap { ["-c", $0] },
            in: folder
        )
        // It outlives this function, and the test process.
        _ = Unmanaged.passRetained(server)
        lock.withLock { currentProcess = server.processID }
        try Data("\(server.processID)".utf8).write(to: processFile)
    }

    /// Starts a shell that ends the server after this process, and removes the folder after the server.
    private func guardFolder() throws {
        let script = """
            cd "$0" || exit
            while kill -0 \(getpid()) 2>/dev/null; do sleep 1; done
            kill -QUIT "$(cat server.pid)" 2>/dev/null
            while kill -0 "$(cat server.pid)" 2>/dev/null; do sleep 0.1; done
            cd / && rm -rf "$0"
            """
        let guardian = try Child(
            program: URL(fileURLWithPath: "/bin/sh"),
            arguments: ["-c", script, folder.path],
            in: URL(fileURLWithPath: "/"),
            streams: folder
        )
        _ = Unmanaged.passRetained(guardian)
    }

    /// Ends the server at once.
    public func stop() { kill(processID, SIGQUIT) }

    /// PostgreSQL refuses to run as root. Then it runs as the user `postgres`, which its package made.
    private static func child(_ command: [String], in folder: URL) throws -> Child {
        guard getuid() == 0 else {
            return try Child(
                program: URL(fileURLWithPath: command[0]),
                arguments: Array(command.dropFirst()),
                in: folder
            )
        }
        return try Child(
            program: URL(fileURLWithPath: "/usr/bin/setpriv"),
            arguments: ["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] + command,
            in: folder
        )
    }

    private static func giveAway(_ folder: URL) throws {
        guard getuid() == 0 else { return }
        guard let user = getpwnam("postgres"),
            chown(folder.path, user.pointee.pw_uid, user.pointee.pw_gid) == 0
        else { throw Failure(description: "There is no user 'postgres' to run PostgreSQL as.") }
    }

    private func waitUntilReady() async throws {
        for _ in 0..<600 {
            if (try? await sql("select 1", database: "postgres")) == "1" { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(description: "PostgreSQL did not start.")
    }

    /// The URL of a database, as its superuser.
    public func url(database: String) -> String { "postgres://postgres@127.0.0.1:\(port)/\(database)" }

    /// Runs SQL by psql, and returns what it prints: columns with `|` between them.
    @discardableResult
    public func sql(_ text: String, database: String) async throws -> String {
        try await psql(["-d", url(database: database), "-c", text]).output
    }

    /// Runs SQL by psql, and returns its notices.
    public func notices(_ text: String, database: String) async throws -> String {
        try await psql(["-d", url(database: database), "-c", text]).error
    }

    /// Runs a file of SQL by psql. Returns what it prints.
    ///
    /// - Parameter login: The URL of the database; nil for the superuser's.
    @discardableResult
    public func script(_ text: String, database: String, login: String? = nil) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sql")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        return try await psql(["-d", login ?? url(database: database), "-f", file.path]).output
    }

    /// A database as SQL, by pg_dump.
    public func dump(database: String) async throws -> String {
        guard let programs = Self.programs else { throw Failure(description: Self.notInstalled) }
        let run = try await Child(
            program: programs.appendingPathComponent("pg_dump"),
            arguments: ["-d", url(database: database)],
            in: FileManager.default.temporaryDirectory
        ).end()
        guard run.exitCode == 0 else { throw Failure(description: run.error) }
        return run.output
    }

    private func psql(_ arguments: [String]) async throws -> (output: String, error: String) {
        guard let programs = Self.programs else { throw Failure(description: Self.notInstalled) }
        let run = try await Child(
            program: programs.appendingPathComponent("psql"),
            arguments: ["-qAtX", "-v", "ON_ERROR_STOP=1"] + arguments,
            in: FileManager.default.temporaryDirectory
        ).end()
        guard run.exitCode == 0 else { throw Failure(description: run.error) }
        return (run.output.trimmingCharacters(in: .whitespacesAndNewlines), run.error)
    }

    /// Runs a test with a database of its own, which is removed afterwards. A few tests at a time have one, so that
    /// the server's connections suffice; the others wait.
    ///
    /// - Parameter template: The database to copy.
    public func withDatabase<Result>(
        template: String,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (String) async throws -> Result
    ) async throws -> Result {
        await places.enter()
        do {
            let name = try await makeDatabase(template: template)
            let result: Result
            do { result = try await body(name) } catch {
                try await removeDatabase(name)
                throw error
            }
            try await removeDatabase(name)
            await places.leave()
            return result
        } catch {
            await places.leave()
            throw error
        }
    }

    /// Makes a database, as a copy of another one if it is given. Returns its name.
    public func makeDatabase(template: String = "template0") async throws -> String {
        let name = "db_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
        try await sql("create database \(name) template \(template)", database: "postgres")
        return name
    }

    /// Removes a database and ends its connections.
    public func removeDatabase(_ name: String) async throws {
        try await sql("drop database if exists \(name) with (force)", database: "postgres")
    }
}

/// A number of places for which tests wait in their order.
private actor Places {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(count: Int) {
        free = count
    }

    func enter() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Gives the place to who waits longest.
    func leave() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        free += 1
    }
}
