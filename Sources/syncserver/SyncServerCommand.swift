import ArgumentParser

/// `syncserver`.
@main
struct SyncServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "syncserver",
        abstract: "Serve EntitySync's protocol v1 over HTTP."
    )
}
