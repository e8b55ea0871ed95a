import ArgumentParser
import Foundation
import SyncCore
import SyncServer
import SyncWire

#if Server
    import NIOPosix
    import SyncDynamic
    import SyncHTTPClient
    import SyncPostgresServer
    import SyncSchema
#endif

/// `syncserver` without a command.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve until SIGTERM or SIGINT (the default)."
    )

    @OptionGroup var schemas: ServerSchemaOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var admin: AdminOptions
    @OptionGroup var login: LoginOptions

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

    @Option(
        help: ArgumentHelp("The most account files open at once; by default as many as fit.", valueName: "n")
    )
    var maxOpenFiles: Int?

    @Option(
        help: ArgumentHelp("The megabytes for pages of open account files, all together.", valueName: "n")
    )
    var cacheMegabytes = 256

    @Option(
        help: ArgumentHelp(
            "The most records of one account, deleted ones included; not with a database. (default: 2000000)",
            valueName: "n"
        )
    )
    var quotaRecords: Int?

    @Option(
        help: ArgumentHelp(
            "The most megabytes that one account's file may use; not with a database. (default: 4096)",
            valueName: "n"
        )
    )
    var quotaMegabytes: Int?

    @Option(
        help: ArgumentHelp(
            "The least urgent message that is logged: \(Self.levels.joined(separator: ", ")).",
            valueName: "level"
        )
    )
    var logLevel = "info"

    /// The levels of swift-log.
    private static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
    /// More open account files than this only cost memory.
    private static let mostOpenFiles = 1024

    func validate() throws {
        guard Self.levels.contains(logLevel) else {
            throw ValidationError("'--log-level' is one of \(Self.levels.joined(separator: ", ")).")
        }
        guard (1...1_000_000_000).contains(quotaRecords ?? 1) else {
            throw ValidationError("'--quota-records' is from 1 to 1000000000.")
        }
        guard (1...1_000_000_000).contains(quotaMegabytes ?? 1) else {
            throw ValidationError("'--quota-megabytes' is from 1 to 1000000000.")
        }
        guard (1...100_000).contains(maxOpenFiles ?? 1) else {
            throw ValidationError("'--max-open-files' is from 1 to 100000.")
        }
        guard (1...1_000_000).contains(cacheMegabytes) else {
            throw ValidationError("'--cache-megabytes' is from 1 to 1000000.")
        }
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
            let openFiles = try OpenFileLimits.fit(
                connections: maxConnections,
                accountFiles: maxOpenFiles ?? Self.mostOpenFiles
            )
            let url = try database.url()
            // NB: a limit that nothing enforces would be worse than none (`aDatabaseKnowsNoQuotas`).
            guard url == nil || quotaRecords == nil && quotaMegabytes == nil else {
                throw SyncError.quotaWithDatabase
            }
            try database.check(data: data.data)
            let entities = try SchemaFolder.schemas(schemas.schemas)
            let book = try ServerAccounts(directory: data.data, clock: clock, random: random)
            // Accounts may be read by several servers, files of records may not.
            let lock = url == nil ? try FolderLock(data.data) : nil
            defer { lock?.release() }
            let (failures, failure) = AsyncStream.makeStream(of: Serving.Notice.self)
            let authenticator = try await authenticator(accounts: book, clock: clock, notices: failure)
            let hub = ChangeHub()
            let activity = ServerActivity(clock: clock)
            let threads = HostThreads(pool: NIOThreadPool(numberOfThreads: HostSettings().threads))
            var options = options(entities: EntityDescriptor.descriptors(of: entities), openFiles: openFiles)
            options.threads = threads
            options.onExchange = { activity.note($0) }
            options.onChange = { hub.publish($0) }
            let parts = try await service(options: options, url: url, schemas: entities, hub: hub)
            try database.mark(data: data.data)
            let reporter = AdminReporter(
                accounts: book,
                activity: activity,
                hub: hub,
                clock: clock,
                threads: threads,
                started: clock.now(),
                storageFailure: parts.storageFailure,
                sizes: parts.sizes
            )
            let handler = RequestHandler(
                authenticator: authenticator,
                accounts: parts.handler,
                clock: clock,
                random: random,
                limits: options.limits,
                rates: RatePolicy(requestsPerSecond: Double(rate), requestBurst: Double(rate) * 2),
                metrics: options.metrics,
                openAPI: parts.openAPI,
                activity: activity,
                admin: try admin.token().flatMap(reporter.access),
                storageFailure: parts.storageFailure
            )
            let socket = try admin.adminSocket.map { try AdminSocket(path: $0) }
            defer { socket?.remove() }
            socket?.start { await reporter.answer($0, handler: handler) }
            try await serving(openFiles: openFiles, failures: failures).run(
                handler,
                hub: hub,
                clock: clock,
                threads: threads.pool,
                maintain: { _ = try await parts.purge(nil) }
            )
            socket?.remove()
            // NB: releasing a thousand account files would close each, which takes seconds. The process exits
            // at once instead: acknowledged changes are on disk, and the next start continues from the WAL.
            Foundation.exit(0)
        }

        /// What finds the account of a token: the accounts' file, and the login if there is one.
        private func authenticator(
            accounts: ServerAccounts,
            clock: any SyncClock,
            notices: AsyncStream<Serving.Notice>.Continuation
        ) async throws -> any Authenticator {
            let login = try await login.authenticator(
                accounts: accounts,
                derivesIDs: database.isGiven,
                clock: clock,
                transport: SystemTransport(),
                onFailure: { notices.yield(.staleKeys($0)) }
            )
            return login ?? accounts
        }

        /// The options of the account parts, as the command line gives them.
        private func options(entities: [EntityDescriptor], openFiles: OpenFileLimits) -> AccountServiceOptions
        {
            AccountServiceOptions(
                dataFolder: data.data,
                entities: entities,
                limits: WireLimits(),
                tombstoneDays: tombstoneDays,
                maxOpenFiles: openFiles.accountFiles,
                cacheMegabytes: cacheMegabytes,
                maxRecords: quotaRecords ?? 2_000_000,
                maxBytes: (quotaMegabytes ?? 4096) << 20,
                metrics: ServerMetrics(),
                onChange: { _ in }
            )
        }

        /// What listens, with the messages that it logs first.
        private func serving(
            openFiles: OpenFileLimits,
            failures: AsyncStream<Serving.Notice>
        ) -> Serving {
            var notices = [
                Serving.Notice(isWarning: openFiles.isLowered, event: "limits", message: openFiles.sentence)
            ]
            if !Self.isLoopback(host) { notices.append(.openToOthers) }
            return Serving(
                host: host,
                port: port,
                maxConnections: openFiles.connections,
                logLevel: logLevel,
                notices: notices,
                later: failures
            )
        }

        private func service(
            options: AccountServiceOptions,
            url: PostgresURL?,
            schemas: [Schema],
            hub: ChangeHub
        ) async throws -> AccountService {
            guard let url else {
                return try makeAccountHandler(options, clock: SystemClock(), random: SystemRandom())
            }
            return try await AccountService.database(
                options: options,
                url: url,
                schemas: schemas,
                isWanted: { hub.hasStreams(of: $0) },
                onMissedChanges: { hub.publishToAll() }
            )
        }

        private static func isLoopback(_ host: String) -> Bool {
            host == "localhost" || host == "::1" || host.hasPrefix("127.")
        }
    }

    extension Serving.Notice {
        /// The keys of the login could not be loaded again.
        fileprivate static func staleKeys(_ error: any Error) -> Serving.Notice {
            let reason = (error as? SyncError)?.message ?? "\(type(of: error))"
            return Serving.Notice(
                isWarning: true,
                event: "login-keys",
                message: "The former keys of the login stay in use. \(reason)"
            )
        }

        fileprivate static let openToOthers = Serving.Notice(
            isWarning: true,
            event: "open",
            message:
                "The server can be reached from other machines, and speaks plain HTTP: tokens can be read on the "
                + "way. Put a reverse proxy with TLS before it, and let it listen on 127.0.0.1."
        )
    }
#endif
