import Foundation
import ProgramRuns
import Testing

/// Runs the built command line as a process.
enum Tool {
    /// The program next to the test bundle.
    static let program = Program.synccheck.url

    /// Runs the program in a folder.
    static func run(in folder: URL, arguments: [String], input: String? = nil) throws -> Run {
        let streams = folder.appendingPathComponent(".streams-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: streams) }
        var given = Child.Input.nothing
        if let input {
            let file = streams.appendingPathComponent("input")
            try Data(input.utf8).write(to: file)
            given = .file(file)
        }
        return try Child(program: program, arguments: arguments, in: folder, input: given, streams: streams)
            .wait()
    }
}

/// A folder with schemas for one test, which is removed afterwards.
final class Scratch {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "synccheck-test-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("Schemas"),
            withIntermediateDirectories: true
        )
        for (name, text) in SampleSchemas.all { try write("Schemas/\(name).schema.json", text: text) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs the program in this folder.
    @discardableResult
    func run(arguments: String..., input: String? = nil) throws -> Run {
        try Tool.run(in: folder, arguments: arguments, input: input)
    }

    /// Runs the program in this folder, which must succeed, and returns its output.
    @discardableResult
    func must(
        arguments: String...,
        input: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let run = try Tool.run(in: folder, arguments: arguments, input: input)
        #expect(run.exitCode == 0, "\(arguments): \(run.error)", sourceLocation: sourceLocation)
        return run.output
    }

    /// A device with its own store.
    func device(name: String) -> ScratchDevice { ScratchDevice(scratch: self, store: "\(name).sqlite") }

    func write(_ path: String, text: String) throws {
        try write(path, data: Data(text.utf8))
    }

    func write(_ path: String, data: Data) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try data.write(to: url)
    }

    func exists(path: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path)
    }
}

/// A device that syncs with the folder `shared`.
struct ScratchDevice {
    let scratch: Scratch
    let store: String

    /// Runs a command with the device's store.
    @discardableResult
    func run(arguments: String..., input: String? = nil) throws -> Run {
        try Tool.run(in: scratch.folder, arguments: arguments + ["--store", store], input: input)
    }

    /// Runs a command that must succeed, and returns its output.
    @discardableResult
    func must(
        arguments: String...,
        input: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let run = try Tool.run(in: scratch.folder, arguments: arguments + ["--store", store], input: input)
        #expect(run.exitCode == 0, "\(arguments): \(run.error)", sourceLocation: sourceLocation)
        return run.output
    }

    func sync(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try must(arguments: "sync", "--remote", "shared", sourceLocation: sourceLocation)
    }
}

/// Parses JSON for tests.
func json(text: String) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
}

/// Parses a JSON object for tests.
func object(text: String) throws -> [String: Any] {
    try #require(try json(text: text) as? [String: Any])
}

/// Parses a JSON array of objects for tests.
func objects(text: String) throws -> [[String: Any]] {
    try #require(try json(text: text) as? [[String: Any]])
}
