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
        let servers = try await RunningServers(2, database: cluster.url(database: database), bench: bench)
        defer { servers.stop() }
        let devices = try (0..<clients).map { SmallPusher(token: try servers.newToken(), number: $0) }
        var work = [WorkOfProcesses(), WorkOfProcesses()]
        func side(_ count: Int) -> Bench.Side<WorkOfProcesses> {
            Bench.Side(
                prepare: { WorkOfProcesses.now(cluster: cluster, servers: servers) },
                run: { _ in try SmallPusher.push(devices, ports: servers.ports.prefix(count), times: pushes)
                },
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
}

/// Seconds of processor time, by whom.
private struct WorkOfProcesses {
    private var database = 0.0
    private var servers = 0.0
    private var clients = 0.0
    /// By the clock.
    private var elapsed = 0.0

    static func now(cluster: PostgresCluster, servers: RunningServers) -> WorkOfProcesses {
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
