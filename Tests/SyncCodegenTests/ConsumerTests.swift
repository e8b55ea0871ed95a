import Foundation
import ProgramRuns
import SyncVersion
import Testing

/// An app in a package of its own, built as its developer would build it. Slow: each step is a `swift build`. They build
/// one after the other in the folder of the sample app, where the command of the package builds, too: what is built of
/// this package there need not be built again.
@Suite(.serialized) struct ConsumerTests {
    @Test(.timeLimit(.minutes(30))) func anAppFollowsItsSchemasAndResolvesNoOtherPackage() async throws {
        let app = try Consumer()
        defer { app.remove() }

        // The app builds, runs and resolves nothing.
        let output = try await app.run()
        #expect(output.contains("entities: note\ntypes: note buy bread\n"))
        #expect(output.contains("rows and wire: same\ntransfer object: same\n"))
        #expect(
            !FileManager.default.fileExists(
                atPath: app.folder.appendingPathComponent("Package.resolved").path
            )
        )

        // A build without changes leaves generated files alone.
        let times = try app.generatedTimes()
        #expect(times.keys.sorted() == ["SyncRegistry.swift", "note.schema.swift"])
        #expect(try await app.build().status == 0)
        #expect(try app.generatedTimes() == times)

        // A schema is added, renamed and deleted after a build, and nothing else is touched.
        try app.write("task.schema.json", text: schema(title: "Task1"))
        #expect(try await app.run().contains("entities: note task\ntypes: note task buy bread\n"))
        #expect(try app.generatedTimes()["note.schema.swift"] == times["note.schema.swift"])
        try app.rename("task.schema.json", to: "chore.schema.json")
        #expect(try await app.run().contains("entities: chore note\ntypes: chore note buy bread\n"))
        try app.write("chore.schema.json", text: nil)
        #expect(try await app.run().contains("entities: note\ntypes: note buy bread\n"))
        #expect(try app.generatedTimes().keys.sorted() == ["SyncRegistry.swift", "note.schema.swift"])

        // A broken schema breaks the build, and the log says where and why.
        try app.write(
            "chore.schema.json",
            text: schema(title: "Chore").replacing("set-union", with: "sets-union")
        )
        let broken = try await app.build()
        #expect(broken.status != 0)
        #expect(broken.output.contains("chore.schema.json:5:38: error: "))
        #expect(broken.output.contains("did you mean 'set-union'?"))

        try await checkTool(app)

        // A target whose code is isolated to the main actor by default.
        try app.write("chore.schema.json", text: schema(title: "Chore"))
        try app.isolateToMainActor()
        #expect(try await app.run().contains("elsewhere: readnote\nentities: chore note\n"))
    }

    /// The first run of the command builds the command line, beside the app and not for it.
    @Test(.timeLimit(.minutes(30))) func anAppRunsTheCommandLineAsACommandOfItsPackage() async throws {
        let app = try Consumer()
        defer { app.remove() }
        let version = try await app.synccheck(arguments: "--version")
        #expect(version.exitCode == 0, "\(version.error)")
        // Its output is data: nothing of the build is among it.
        #expect(version.output == "synccheck \(EntitySyncVersion.current)\n")
        // Paths are those of the app's package, and a failure of the command is one of the package manager.
        let valid = try await app.synccheck(arguments: "validate", "Sources/Notebook")
        #expect(valid.exitCode == 0, "\(valid.output)\(valid.error)")
        try app.write("broken.schema.json", text: "{}")
        let broken = try await app.synccheck(arguments: "validate", "Sources/Notebook")
        #expect(broken.exitCode == 1, "\(broken.output)\(broken.error)")
        #expect((broken.output + broken.error).contains("broken.schema.json"))
        #expect(try await app.synccheck(arguments: "fly").exitCode != 0)
        // The app itself still resolves nothing.
        #expect(try !app.names(in: app.folder).contains("Package.resolved"))
    }

    /// The build holds schemas to those of the last release, and the command of the package accepts what it says.
    @Test(.timeLimit(.minutes(30))) func aSchemaThatBreaksStoresOfTheLastReleaseBreaksTheBuild() async throws
    {
        let app = try Consumer()
        defer { app.remove() }
        let note = app.sources.appendingPathComponent("note.schema.json")
        let released = try String(contentsOf: note, encoding: .utf8)
        #expect(try await app.synccheck(arguments: "baseline", "Sources/Notebook").exitCode == 0)
        #expect(try await app.build().status == 0)

        let stricter = released.replacing("\"required\": [\"id\"", with: "\"required\": [\"id\", \"price\"")
        try #require(stricter != released)
        try app.write("note.schema.json", text: stricter)
        let broken = try await app.build()
        #expect(broken.status != 0)
        #expect(broken.output.contains("note.schema.json:"))
        #expect(broken.output.contains("[required-added]"))
        #expect(broken.output.contains("synccheck baseline --accept"))
        #expect(try await app.synccheck(arguments: "baseline", "Sources/Notebook").exitCode == 1)

        // Taken back, the build goes on; accepted, it goes on, too.
        try app.write("note.schema.json", text: released)
        #expect(try await app.build().status == 0)
        try app.write("note.schema.json", text: stricter)
        #expect(try await app.synccheck(arguments: "baseline", "--accept", "Sources/Notebook").exitCode == 0)
        #expect(try await !app.build().output.contains("[required-added]"))
    }

    /// Each trait alone brings the packages that the app needs for it, and no trait none. The server's packages are for
    /// programs, which no app has as a product.
    @Test(.timeLimit(.minutes(30)), arguments: [("", []), ("Server", []), ("GRDB", ["grdb.swift"])])
    func anAppResolvesOnlyWhatItsTraitBrings(trait: String, packages: [String]) async throws {
        let app = try Consumer(isResolved: true)
        defer { app.remove() }
        #expect(try await app.resolve(traits: trait) == packages)
        for folder in ["checkouts", "repositories"] where packages.isEmpty {
            #expect(try app.names(in: app.scratch.appendingPathComponent(folder)) == [])
        }
    }

    /// What the pages say of a target without Swift is so: the package manager passes over it and runs no plugin.
    @Test(.timeLimit(.minutes(30))) func aTargetNeedsASwiftFileBesideItsSchemas() async throws {
        let app = try Consumer()
        defer { app.remove() }
        let main = app.sources.appendingPathComponent("main.swift")
        try FileManager.default.removeItem(at: main)
        #expect(try await app.describe().contains("Source files for target Notebook should be located under"))
        try Data().write(to: main)
        #expect(try await !app.describe().contains("Source files for target Notebook"))
        let readme = try String(contentsOf: Samples.root.appendingPathComponent("README.md"), encoding: .utf8)
        #expect(readme.contains("Sources/Model/Model.swift"))
    }

    /// Exit codes and outputs of the tool that the plugin runs.
    private func checkTool(_ app: Consumer) async throws {
        let tool = try app.tool()
        let output = app.folder.appendingPathComponent("out")
        let note = app.sources.appendingPathComponent("note.schema.json").path
        let broken = app.sources.appendingPathComponent("chore.schema.json").path
        for arguments in [[], ["--output"], [note], ["--output", output.path, "--fast", note]] {
            #expect(try await app.execute(tool, arguments: arguments).status == 64)
        }
        #expect(try await app.execute(tool, arguments: ["--output", output.path, note + "x"]).status == 74)
        #expect(try await app.execute(tool, arguments: ["--output", note, note]).status == 74)
        #expect(try await app.execute(tool, arguments: ["--output", output.path, broken]).status == 1)
        #expect(!FileManager.default.fileExists(atPath: output.path))

        #expect(try await app.execute(tool, arguments: ["--output", output.path, note]).status == 0)
        #expect(try app.names(in: output) == ["SyncRegistry.swift", "note.schema.swift"])
        let old = output.appendingPathComponent("old.schema.swift")
        let own = output.appendingPathComponent("own.schema.swift")
        try Data("// Generated by EntitySync from old.schema.json.\n".utf8).write(to: old)
        try Data("// Mine.\n".utf8).write(to: own)
        #expect(try await app.execute(tool, arguments: ["--output", output.path, note]).status == 0)
        #expect(try app.names(in: output) == ["SyncRegistry.swift", "note.schema.swift", "own.schema.swift"])
    }

    private func schema(title: String) -> String {
        """
        {
          "title": "\(title)", "type": "object",
          "properties": { "id": { "type": "string" } },
          "required": ["id"],
          "sync": { "key": "id", "strategy": "set-union" }
        }
        """
    }
}

/// A copy of `Tests/Consumer` that depends on this package.
private struct Consumer {
    let folder: URL
    let scratch: URL
    /// Where commands of its package are run. The command line is built inside of it, and apps where it is.
    let commands: URL
    /// What the plugin generated for it.
    let outputs: URL
    var sources: URL { folder.appendingPathComponent("Sources/Notebook") }

    /// - Parameter isResolved: Whether packages are resolved for it, which those that build must not find.
    init(isResolved: Bool = false) throws {
        let build = Samples.root.appendingPathComponent(".build")
        folder = build.appendingPathComponent("consumer")
        commands = build.appendingPathComponent("commands")
        let apps = commands.appendingPathComponent("plugins/SyncCheckPlugin/outputs/build")
        scratch = isResolved ? folder.appendingPathComponent(".build") : apps
        outputs = scratch.appendingPathComponent("plugins/outputs/consumer")
        for old in [folder, outputs] { try? FileManager.default.removeItem(at: old) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let original = Samples.testFolder(path: "Consumer")
        let copied = folder.appendingPathComponent("Sources")
        try FileManager.default.copyItem(at: original.appendingPathComponent("Sources"), to: copied)
        let manifest = try String(
            contentsOf: original.appendingPathComponent("Package.swift"),
            encoding: .utf8
        )
        let moved = manifest.replacing("path: \"../..\"", with: "path: \"\(Samples.root.path)\"")
        try #require(moved != manifest)
        try moved.write(to: folder.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Builds and runs the app; its output.
    func run() async throws -> String {
        let result = try await swift(arguments: "run", Self.fresh, "--quiet")
        #expect(result.status == 0, "\(result.output)")
        return result.output
    }

    func build() async throws -> (status: Int32, output: String) {
        try await swift(arguments: "build", Self.fresh)
    }

    /// Runs the package's command `synccheck`.
    func synccheck(arguments: String...) async throws -> Run {
        // The plan is that of another package, which was built there last.
        try? FileManager.default.removeItem(at: scratch.appendingPathComponent("debug/description.json"))
        let paths = ["--package-path", folder.path, "--scratch-path", commands.path]
        return try await start(Self.env, arguments: ["swift", "package"] + paths + ["synccheck"] + arguments)
    }

    /// What the package manager makes of the app, with its warnings.
    func describe() async throws -> String {
        try await swift(arguments: "package", "describe").output
    }

    /// Resolves the app's packages with some traits. The names of those that it pins.
    func resolve(traits: String) async throws -> [String] {
        let paths = ["--package-path", folder.path, "--scratch-path", scratch.path]
        let run = try await start(
            Self.env,
            arguments: ["swift", "package"] + paths + ["resolve"],
            variables: ["CONSUMER_TRAITS": traits]
        )
        #expect(run.exitCode == 0, "\(run.output)\(run.error)")
        let file = folder.appendingPathComponent("Package.resolved")
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.matches(of: /"identity" : "(?<name>[^"]+)"/).map { String($0.output.name) }
    }

    /// Gives the app's target main-actor isolation by default.
    func isolateToMainActor() throws {
        let manifest = folder.appendingPathComponent("Package.swift")
        let text = try String(contentsOf: manifest, encoding: .utf8)
        let isolated = text.replacing("swift-tools-version: 6.1", with: "swift-tools-version: 6.2")
            .replacing("plugins: [", with: "swiftSettings: [.defaultIsolation(MainActor.self)],\nplugins: [")
        try #require(isolated != text)
        try Data(isolated.utf8).write(to: manifest)
    }

    /// Writes a schema, or removes it.
    func write(_ name: String, text: String?) throws {
        let file = sources.appendingPathComponent(name)
        if let text {
            try Data(text.utf8).write(to: file)
        } else {
            try FileManager.default.removeItem(at: file)
        }
    }

    func rename(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(
            at: sources.appendingPathComponent(name),
            to: sources.appendingPathComponent(other)
        )
    }

    /// When each generated file was last written.
    func generatedTimes() throws -> [String: Date] {
        var times: [String: Date] = [:]
        for path in try files(in: outputs) where path.hasSuffix(".swift") {
            let file = outputs.appendingPathComponent(path)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            times[file.lastPathComponent] = try #require(attributes[.modificationDate] as? Date)
        }
        return times
    }

    /// The tool that the plugin ran.
    func tool() throws -> URL {
        let path = try files(in: scratch).first { $0.hasSuffix("/synccodegen-tool") }
        return scratch.appendingPathComponent(try #require(path))
    }

    /// The names in a folder, sorted; none when there is no folder.
    func names(in folder: URL) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    func execute(_ tool: URL, arguments: [String]) async throws -> (status: Int32, output: String) {
        let run = try await start(tool, arguments: arguments)
        return (run.exitCode, run.output + run.error)
    }

    private func swift(arguments: String...) async throws -> (status: Int32, output: String) {
        let paths = ["--package-path", folder.path, "--scratch-path", scratch.path]
        return try await execute(
            Self.env,
            arguments: ["swift", arguments[0]] + paths + arguments.dropFirst()
        )
    }

    /// A plan that is kept does not learn of files that came to or went from this package's Sources.
    private static let fresh = "--disable-build-manifest-caching"
    private static let env = URL(fileURLWithPath: "/usr/bin/env")

    /// Runs a program to its end, on a thread of its own: a build takes minutes, and would keep all other tests from one
    /// of the few threads on which they run.
    private func start(_ program: URL, arguments: [String], variables: [String: String] = [:]) async throws
        -> Run
    {
        let streams = folder.appendingPathComponent("streams")
        try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: true)
        return try await withCheckedThrowingContinuation { waiter in
            Thread.detachNewThread {
                waiter.resume(
                    with: Result {
                        try Child(
                            program: program,
                            arguments: arguments,
                            in: folder,
                            environment: ProcessInfo.processInfo.environment.merging(variables) { $1 },
                            streams: streams
                        ).wait()
                    }
                )
            }
        }
    }

    private func files(in folder: URL) throws -> [String] {
        let enumerator = FileManager.default.enumerator(atPath: folder.path)
        return enumerator?.compactMap { $0 as? String } ?? []
    }
}
