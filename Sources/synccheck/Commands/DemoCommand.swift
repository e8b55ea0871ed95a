import ArgumentParser
import EntitySync
import Foundation
import SyncInspector

/// `demo`: shows two devices syncing, step by step.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "See two devices edit offline, disagree and agree again, step by step.",
        discussion:
            "Needs no network. Leaves a folder to look at, with both stores, the shared folder and the schemas."
    )

    @Option(
        help: ArgumentHelp("The folder to make; a new temporary one by default.", valueName: "dir"),
        completion: .directory
    )
    var output: String?

    func validate() throws { try PathOption.check(output, name: "--output") }

    func run() async throws {
        let material = try DemoMaterial()
        let folder = try DemoFolder(given: output, material: material)
        let reporter = DemoReporter()
        let story = try DemoStory(
            phone: folder.device(name: "phone"),
            laptop: folder.device(name: "laptop"),
            material: material,
            reporter: reporter
        )
        try await story.run()
        try reporter.printUnchanged(Self.ending(folder: folder, material: material))
    }

    /// The closing text with paths to look at and commands to try.
    private static func ending(folder: DemoFolder, material: DemoMaterial) -> String {
        let arguments = CommandLine.arguments
        let isInstalled = !(arguments.first ?? "").contains("/")
        let program = isInstalled ? "synccheck" : (Bundle.main.executablePath ?? "synccheck").shellQuoted
        let key = material.verses[0].key
        return """

            It is all in \(folder.path)
              phone/store.sqlite   the phone's store, a database that any SQLite tool reads
              laptop/store.sqlite  the laptop's store
              shared               the shared folder
              Schemas              the schemas that made it so

            Try next:
              cd \(folder.path.shellQuoted)
              \(program) status --store phone/store.sqlite
              \(program) explain bookmark \(key) --store laptop/store.sqlite
              \(program) journal --store laptop/store.sqlite
              \(program) put bookmark '{"id":"\(key)","notes":"Mine"}' --store phone/store.sqlite
              \(program) sync --remote shared --store phone/store.sqlite
              \(program) sync --remote shared --store laptop/store.sqlite
              \(program) export bookmark --store laptop/store.sqlite

            Verses: \(material.licence)

            """
    }
}
