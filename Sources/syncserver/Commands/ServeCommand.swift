import ArgumentParser
import Foundation
import SyncCore
import SyncServer
import SyncWire

/// `syncserver` without a command.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve until SIGTERM or SIGINT (the default)."
    )

    @OptionGroup var schemas: SchemaOptions
    @OptionGroup var data: DataOptions

    @Option(help: ArgumentHelp("The port to listen on; 0 for any free one.", valueName: "n"))
    var port: Int

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("Requests per second of one account; twice as many at once.", valueName: "n"))
    var rate = 200

    @Option(
        help: ArgumentHelp("Days that tombstones are kept; by default what the schemas say.", valueName: "n")
    )
    var tombstoneDays: Int?

    @Option(help: ArgumentHelp("The most connections at once; further ones wait.", valueName: "n"))
    var maxConnections = 512

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("'--port' is from 0 to 65535.") }
        guard (1...1_000_000).contains(rate) else { throw ValidationError("'--rate' is from 1 to 1000000.") }
        guard (1...100_000).contains(maxConnections) else {
            throw ValidationError("'--max-connections' is from 1 to 100000.")
        }
        guard (1...36_500).contains(tombstoneDays ?? 1) else {
            throw ValidationError("'--tombstone-days' is from 1 to 36500.")
        }
    }

    func run() async throws {
        #if Server
            try await serve()
        #else
            throw SyncError.withoutHost
        #endif
    }
}

#if Server
    extension ServeCommand {
        private func serve() async throws {
            let clock = SystemClock()
            let random = SystemRandom()
            let entities = try SchemaFolder.load(schemas.schemas)
            let book = try AccountBook(directory: data.data, clock: clock, random: random)
            let lock = try FolderLock(data.data)
            defer { lock.release() }
            let hub = ChangeHub()
            let metrics = ServerMetrics()
            let limits = WireLimits()
            let parts = try makeAccountHandler(
                AccountPartsOptions(
                    dataFolder: data.data,
                    entities: entities,
                    limits: limits,
                    tombstoneDays: tombstoneDays,
                    metrics: metrics,
                    onChange: { hub.publish($0) }
                ),
                clock: clock,
                random: random
            )
            let handler = RequestHandler(
                authenticator: book,
                accounts: parts.handler,
                clock: clock,
                random: random,
                limits: limits,
                rates: RatePolicy(requestsPerSecond: Double(rate), requestBurst: Double(rate) * 2),
                metrics: metrics,
                openAPI: parts.openAPI
            )
            try await Serving(host: host, port: port, maxConnections: maxConnections).run(
                handler,
                hub,
                clock: clock,
                maintain: { _ = try parts.purge(nil) }
            )
        }
    }
#endif
