import Foundation
import ProgramRuns
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A folder in which the sample app is run, for several devices and with one shared folder; gone at the end of the test.
final class World {
    let folder: URL
    private let program: URL
    private var children: [Child] = []

    /// Runs a test.
    static func run(_ sample: Sample = .shelf, story: (World) async throws -> Void) async throws {
        let world = try World(program: await sample.program())
        do { try await story(world) } catch {
            await world.end()
            throw error
        }
        await world.end()
    }

    private init(program: URL) throws {
        self.program = program
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "entitysync-shelf-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func end() async {
        for child in children { child.signal(SIGKILL) }
        for child in children { _ = try? await child.end() }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Makes the folder that the devices share; until then they are offline.
    func connect() throws {
        let shared = folder.appendingPathComponent("shared")
        try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: false)
    }

    /// A device by its name. Its remote is the shared folder, or a server by its URL and the token of an account.
    func device(name: String, server: String? = nil, token: String? = nil) -> Device {
        Device(world: self, home: name, remote: server ?? "shared", token: token)
    }

    /// Starts a program of the package.
    func start(program: Program, arguments: [String]) throws -> Child {
        let child = try Child(program: program.url, arguments: arguments, in: folder)
        children.append(child)
        return child
    }

    fileprivate func start(arguments: [String], token: String?) throws -> Child {
        let environment = token.map { ["COOK_TOKEN": $0] } ?? [:]
        let child = try Child(program: program, arguments: arguments, in: folder, environment: environment)
        children.append(child)
        return child
    }
}

/// A device, with the app's files in a folder of its own.
struct Device {
    fileprivate let world: World
    fileprivate let home: String
    fileprivate let remote: String
    fileprivate let token: String?

    /// Starts a command that goes on.
    func start(words: String...) throws -> Child { try start(words: words) }

    private func start(words: [String]) throws -> Child {
        try world.start(arguments: ["--home", home, "--remote", remote] + words, token: token)
    }

    /// Runs a command and expects that it does what it is asked; the lines that it prints.
    @discardableResult
    func shelf(words: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        let run = try await start(words: words).end()
        #expect(run.exitCode == 0, "\(words): \(run.error)", sourceLocation: sourceLocation)
        #expect(run.error == "", sourceLocation: sourceLocation)
        return run.output.split(separator: "\n").map(String.init)
    }

    /// The same of the other app.
    @discardableResult
    func cook(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        let run = try await start(words: line.split(separator: " ").map(String.init)).end()
        #expect(run.exitCode == 0 && run.error == "", "\(line): \(run.error)", sourceLocation: sourceLocation)
        return run.output.split(separator: "\n").map(String.init)
    }

    /// What the other app says on standard error when it refuses a command.
    func refusal(_ line: String) async throws -> String {
        let run = try await start(words: line.split(separator: " ").map(String.init)).end()
        #expect(run.exitCode == 1 && run.output == "", "\(run.output)")
        return run.error
    }

    /// Runs a command and expects that it is refused, with a reason and with advice; the reason.
    func refused(words: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        let run = try await start(words: words).end()
        let lines = run.error.split(separator: "\n").map(String.init)
        #expect(run.exitCode == 1, sourceLocation: sourceLocation)
        #expect(run.output == "", sourceLocation: sourceLocation)
        try #require(lines.count >= 2, "\(run.error)", sourceLocation: sourceLocation)
        #expect(
            lines[0].hasPrefix("error: ") && lines[1].hasPrefix("help: "),
            "\(run.error)",
            sourceLocation: sourceLocation
        )
        return String(lines[0].dropFirst("error: ".count))
    }
}
