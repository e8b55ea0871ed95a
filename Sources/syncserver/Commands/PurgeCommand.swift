import ArgumentParser
import SyncCore
import SyncDynamic
import SyncServer
import SyncWire

/// `syncserver purge`.
struct PurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Remove old tombstones now; a running server does it every hour."
    )

    @OptionGroup var schemas: ServerSchemaOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var database: DatabaseOptions

    @Option(help: ArgumentHelp("Remove what is older; by default what the schemas say.", valueName: "n"))
    var olderThanDays: Int?

    func validate() throws {
        guard (0...36_500).contains(olderThanDays ?? 0) else {
            throw ValidationError("'--older-than-days' is from 0 to 36500.")
        }
    }

    func run() async throws {
        let parts = try await parts()
        let count: Int
        do { count = try await parts.purge(olderThanDays) } catch let error as PurgeError {
            throw SyncError.purgeFailed(error)
        } catch let error as WireError {
            throw SyncError.databaseFailed(error)
        }
        Streams.print("\(count == 1 ? "1 tombstone was" : "\(count) tombstones were") removed\n")
    }

    private func parts() async throws -> AccountService {
        try database.require(for: data.data)
        let isInDatabase = try database.isGiven
        if !isInDatabase { _ = try AccountCommand.book(data: data, mustExist: true) }
        let entities = try SchemaFolder.schemas(schemas.schemas)
        let options = AccountServiceOptions(
            dataFolder: data.data,
            entities: EntityDescriptor.descriptors(of: entities),
            limits: WireLimits(),
            tombstoneDays: nil,
            metrics: ServerMetrics(),
            onChange: { _ in }
        )
        #if Server
            if let url = try database.url() {
                return try await AccountService.database(
                    options: options,
                    url: url,
                    schemas: entities,
                    isWanted: { _ in false },
                    onMissedChanges: {}
                )
            }
        #endif
        return try makeAccountHandler(options, clock: SystemClock(), random: SystemRandom())
    }
}
