import Foundation
import PostgresCluster

/// Small pushes of many clients through two `syncserver` processes with one database, against the same through one.
///
/// The database flushes to the disk, as a real one does. Where all processors are busy with one process already, a
/// second one cannot help: the note tells who worked how long.
enum SQLProcessesRatio {
    /// Clients at once, each with an account of its own.
    private static let clients = 16

    static func measure(_ bench: Bench) async throws -> Measurement {
        guard PostgresCluster.programs != nil else {
            throw Unmeasured(reason: "PostgreSQL is not installed under /usr/lib/postgresql")
        }
        let pushes = max(2, bench.records / 2000)
        let cluster = try await PostgresCluster(isDurable: true)
        defer { cluster.stop() }
        let database = try await cluster.makeDatabase()
        let servers = try await DatabaseServers(2, url: cluster.url(database: database), bench: bench)
        defer { servers.stop() }
        let devices = try (0..<clients).map { SmallPusher(token: try servers.newToken(), number: $0) }
        var work = [WorkOfProcesses(), WorkOfProcesses()]
        func side(_ count: Int) -> Bench.Side<WorkOfProcesses> {
            Bench.Side(
                prepare: { WorkOfProcesses.now(cluster: cluster, servers: servers) },
                run: { _ in try push(devices, ports: Array(servers.ports.prefix(count)), times: pushes) },
                clear: { before in
                    work[count - 1].add(from: before, to: .now(cluster: cluster, servers: servers))
                }
            )
        }
        let times = try await bench.takeTurns([side(1), side(2)])
        let stored = try await cluster.sql("select count(*) from public.bookmarks", database: database)
        let sent = clients * pushes * 2 * (bench.rounds + 1)
        guard stored == "\(sent)" else { throw Unmeasured(reason: "\(stored) of \(sent) records are stored") }
        let (one, two) = (times[0].median, times[1].median)
        let all = Double(clients * pushes)
        return Measurement(
            ratio: one / two,
            ours: all / two,
            yardstick: all / one,
            unit: "/s",
            note: """
                \(clients) clients, \(pushes) pushes each; processor time of a push with one server: \
                \(work[0].text(pushes: sent / 2)); with two: \(work[1].text(pushes: sent / 2))
                """
        )
    }

    /// Has each client push one record after the other; they take the ports by turns.
    private static func push(_ devices: [SmallPusher], ports: [Int], times: Int) throws {
        let done = DispatchGroup()
        let failures = Failures()
        for (index, device) in devices.enumerated() {
            done.enter()
            let port = ports[index % ports.count]
            Thread.detachNewThread {
                do { try device.push(times, port: port) } catch { failures.add(error) }
                done.leave()
            }
        }
        done.wait()
        if let error = failures.first { throw error }
    }
}

/// `syncserver` processes with one database and one folder of accounts.
private final class DatabaseServers {
    let ports: [Int]
    let processes: [Process]
    private let program: BuiltProgram
    private let folder: String

    init(_ count: Int, url: String, bench: Bench) async throws {
        guard let program = BuiltProgram("syncserver") else {
            throw Unmeasured(
                reason: "syncserver with its HTTP host was not built: "
                    + "swift build -c release --traits Server --product syncserver"
            )
        }
        let folder = try bench.folder(path: "processes")
        (self.program, self.folder) = (program, folder)
        let schemas = URL(fileURLWithPath: "\(folder)/schemas")
        try FileManager.default.createDirectory(at: schemas, withIntermediateDirectories: true)
        try Data(BenchSchema.text.utf8).write(to: schemas.appendingPathComponent("bookmark.schema.json"))
        var (ports, processes): ([Int], [Process]) = ([], [])
        for number in 0..<count {
            let output = URL(fileURLWithPath: "\(folder)/output-\(number)")
            let process = try program.start(
                arguments: [
                    "--schemas", schemas.path, "--data", "\(folder)/data", "--port", "0", "--rate", "1000000",
                    "--log-level", "error", "--database", url,
                ],
                output: output
            )
            processes.append(process)
            ports.append(try await Self.port(of: process, output: output))
        }
        (self.ports, self.processes) = (ports, processes)
    }

    private static func port(of process: Process, output: URL) async throws -> Int {
        let prefix = "listening on http://127.0.0.1:"
        while process.isRunning {
            let line = try String(contentsOf: output, encoding: .utf8).split(separator: "\n").first ?? ""
            if line.hasPrefix(prefix), let port = Int(line.dropFirst(prefix.count)) { return port }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Unmeasured(reason: "syncserver was built without --traits Server, or cannot use the database")
    }

    /// The token of one more account.
    func newToken() throws -> String {
        let arguments = ["account", "add", "bench-\(UUID().uuidString)", "--data", "\(folder)/data"]
        return try program.run(arguments: arguments, in: folder).trimmingCharacters(
            in: .whitespacesAndNewlines
        )
    }

    func stop() {
        for process in processes {
            process.terminate()
            process.waitUntilExit()
        }
    }
}

/// One device that pushes one record at a time. Used by one thread at a time.
private final class SmallPusher: @unchecked Sendable {
    private let token: String
    private var requests = BenchRequests()
    private var next: Int

    init(token: String, number: Int) {
        self.token = token
        next = number * 1_000_000
    }

    func push(_ times: Int, port: Int) throws {
        let connection = try PlainHTTP(port: port)
        for _ in 0..<times {
            let request = requests.push(next..<next + 1)
            next += 1
            try requests.take(try connection.exchange(request, token: token))
        }
    }
}

/// Seconds of processor time, by whom.
private struct WorkOfProcesses {
    private var database = 0.0
    private var servers = 0.0
    private var clients = 0.0
    /// By the clock.
    private var elapsed = 0.0

    static func now(cluster: PostgresCluster, servers: DatabaseServers) -> WorkOfProcesses {
        var work = WorkOfProcesses()
        work.database = SystemProcess.secondsOfFamily(cluster.processID)
        work.servers = servers.processes.reduce(0) { $0 + SystemProcess.seconds(of: $1.processIdentifier) }
        work.clients = ProcessTime.seconds
        work.elapsed = ProcessInfo.processInfo.systemUptime
        return work
    }

    /// Adds the work between two moments.
    mutating func add(from start: WorkOfProcesses, to end: WorkOfProcesses) {
        database += end.database - start.database
        servers += end.servers - start.servers
        clients += end.clients - start.clients
        elapsed += end.elapsed - start.elapsed
    }

    /// What one of so many pushes cost whom, and the part of all processors that was used.
    func text(pushes: Int) -> String {
        let all = elapsed * Double(ProcessInfo.processInfo.activeProcessorCount)
        let part = Int(((database + servers + clients) / all * 100).rounded())
        func milliseconds(_ seconds: Double) -> String {
            "\(Figure.text(seconds: seconds / Double(pushes) * 1000)) ms"
        }
        return "PostgreSQL \(milliseconds(database)), servers \(milliseconds(servers)), "
            + "clients \(milliseconds(clients)), \(part) % of all processors"
    }
}
