import ArgumentParser
import SyncCore
import SyncServer
import SyncWire

/// `syncserver purge`.
struct PurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Remove old tombstones now; a running server does it every hour."
    )

    @OptionGroup var schemas: SchemaOptions
    @OptionGroup var data: DataOptions

    @Option(help: ArgumentHelp("Remove what is older; by default what the schemas say.", valueName: "n"))
    var olderThanDays: Int?

    func validate() throws {
        guard (0...36_500).contains(olderThanDays ?? 0) else {
            throw ValidationError("'--older-than-days' is from 0 to 36500.")
        }
    }

    func run() async throws {
        _ = try AccountCommand.book(data: data, mustExist: true)
        let options = AccountServiceOptions(
            dataFolder: data.data,
            entities: try SchemaFolder.load(schemas.schemas),
            limits: WireLimits(),
            tombstoneDays: nil,
            metrics: ServerMetrics(),
            onChange: { _ in }
        )
        let parts = try makeAccountHandler(options, clock: SystemClock(), random: SystemRandom())
        let count: Int
        do { count = try await parts.purge(olderThanDays) } catch let error as PurgeError {
            throw SyncError.purgeFailed(error)
        }
        Streams.print("\(count == 1 ? "1 tombstone was" : "\(count) tombstones were") removed\n")
    }
}
