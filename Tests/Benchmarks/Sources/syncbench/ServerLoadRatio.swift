import Foundation
import PostgresCluster
import SyncCore

/// What many clients of one `syncserver` get, with files and with a database.
enum ServerLoadRatio {
    /// Connections at once, each of an account of its own.
    private static let clients = 8

    /// Where a server keeps the records.
    enum Store {
        case files
        case database
    }

    /// Runs a measurement with a server for each store. The database flushes to the disk, as the files do.
    private static func withServers<Value>(
        _ stores: [Store],
        bench: Bench,
        _ body: ([RunningServers]) async throws -> Value
    ) async throws -> Value {
        guard PostgresCluster.programs != nil || !stores.contains(.database) else {
            throw Unmeasured(reason: "PostgreSQL is not installed under /usr/lib/postgresql")
        }
        let cluster = stores.contains(.database) ? try await PostgresCluster(isDurable: true) : nil
        defer { cluster?.stop() }
        var servers: [RunningServers] = []
        defer { servers.forEach { $0.stop() } }
        for store in stores {
            let database = store == .database ? cluster : nil
            let name = try await database?.makeDatabase()
            let url = name.flatMap { database?.url(database: $0) }
            servers.append(try await RunningServers(1, database: url, bench: bench))
        }
        return try await body(servers)
    }

    /// Pushes of one record, a second: with a database, against files.
    static func smallPushes(_ bench: Bench) async throws -> Measurement {
        let pushes = max(10, bench.records / 500)
        return try await withServers([.files, .database], bench: bench) { servers in
            let times = try await bench.takeTurns(
                servers.map { server in
                    let devices = try (0..<clients).map {
                        SmallPusher(token: try server.newToken(), number: $0)
                    }
                    return Bench.Side<Void>(
                        prepare: {},
                        run: { try SmallPusher.push(devices, ports: server.ports[...], times: pushes) }
                    )
                }
            )
            let all = Double(clients * pushes)
            return Measurement(
                ratio: times[0].median / times[1].median,
                ours: all / times[1].median,
                yardstick: all / times[0].median,
                unit: "/s",
                note: "\(clients) clients, \(pushes) pushes each"
            )
        }
    }

    /// Polls without news, a second, against requests that ask whether the server lives.
    static func idlePolls(_ bench: Bench) async throws -> Measurement {
        let polls = max(20, bench.records / 50)
        return try await withServers([.files], bench: bench) { servers in
            let (server, port) = (servers[0], servers[0].ports[0])
            let devices = try (0..<clients).map { SmallPusher(token: try server.newToken(), number: $0) }
            try SmallPusher.push(devices, ports: server.ports[...], times: 1)
            let work = { (_: ()) in SystemProcess.seconds(of: server.processes[0].processIdentifier) }
            let sides = try await bench.takeTurns(
                ours: Bench.Side<Void>(
                    prepare: {},
                    run: { try ClientThreads(clients) { try devices[$0].poll(polls, port: port) }.end() },
                    processorSeconds: work
                ),
                yardstick: Bench.Side<Void>(
                    prepare: {},
                    run: {
                        try ClientThreads(clients) { _ in
                            let connection = try PlainHTTP(port: port)
                            for _ in 0..<polls { try connection.get("/health") }
                        }
                        .end()
                    },
                    processorSeconds: work
                )
            )
            var found = Measurement.over(sides: sides, note: "\(clients) clients, \(polls) polls each")
            let all = Double(clients * polls)
            (found.ours, found.yardstick) = (all / sides.ours.median, all / sides.yardstick.median)
            found.unit = "/s"
            return found
        }
    }

    /// An account's poll without news, while another account pushes from 16 clients, against one in a quiet server.
    static func neighbour(_ bench: Bench, store: Store) async throws -> Measurement {
        let size = max(20, bench.records / 100)
        return try await withServers([store], bench: bench) { servers in
            let (server, port) = (servers[0], servers[0].ports[0])
            let neighbour = SmallPusher(token: try server.newToken(), number: 0)
            try neighbour.push(1, port: port)
            var waits: [[Double]] = [[], []]
            for round in 0...bench.rounds {
                let token = try server.newToken()
                let devices = (1...16).map {
                    SmallPusher(token: token, number: $0, device: DeviceID(bits: UInt64($0)))
                }
                let quiet = try neighbour.waits(while: { $0 < 50 }, port: port)
                let pushing = ClientThreads(devices.count) {
                    try devices[$0].push(1, records: size, port: port)
                }
                let busy = try neighbour.waits(while: { _ in pushing.isGoingOn }, port: port)
                try pushing.end()
                if round > 0 {
                    waits[0].append(quiet.median)
                    waits[1].append(busy.median)
                }
            }
            let (quiet, busy) = (waits[0].median, waits[1].median)
            return Measurement(
                ratio: busy / quiet,
                ours: busy,
                yardstick: quiet,
                note: "16 pushes of \(size) records at once; medians of the polls of a round"
            )
        }
    }
}
