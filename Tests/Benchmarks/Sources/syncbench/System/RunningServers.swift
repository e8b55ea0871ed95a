import Foundation

/// `syncserver` processes with one folder of accounts, and one database or the files of that folder.
final class RunningServers {
    let ports: [Int]
    let processes: [Process]
    private let program: BuiltProgram
    private let folder: String

    init(_ count: Int, database: String?, bench: Bench) async throws {
        guard let program = BuiltProgram("syncserver") else {
            throw Unmeasured(
                reason: "syncserver with its HTTP host was not built: "
                    + "swift build -c release --traits Server --product syncserver"
            )
        }
        let folder = try bench.folder(path: "processes")
        (self.program, self.folder) = (program, folder)
        let schemas = URL(fileURLWithPath: "\(folder)/schemas")
        try FileManager.default.createDirectory(at: schemas, withIntermediateDirectories: true)
        try Data(BenchSchema.text.utf8).write(to: schemas.appendingPathComponent("bookmark.schema.json"))
        var (ports, processes): ([Int], [Process]) = ([], [])
        for number in 0..<count {
            let output = URL(fileURLWithPath: "\(folder)/output-\(number)")
            let process = try program.start(
                arguments: [
                    "--schemas", schemas.path, "--data", "\(folder)/data", "--port", "0", "--rate", "1000000",
                    "--log-level", "error",
                ] + (database.map { ["--database", $0] } ?? []),
                output: output
            )
            processes.append(process)
            ports.append(try await Self.port(of: process, output: output))
        }
        (self.ports, self.processes) = (ports, processes)
    }

    private static func port(of process: Process, output: URL) async throws -> Int {
        let prefix = "listening on http://127.0.0.1:"
        while process.isRunning {
            let line = try String(contentsOf: output, encoding: .utf8).split(separator: "\n").first ?? ""
            if line.hasPrefix(prefix), let port = Int(line.dropFirst(prefix.count)) { return port }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Unmeasured(reason: "syncserver was built without --traits Server, or cannot use the database")
    }

    /// The token of one more account.
    func newToken() throws -> String {
        let arguments = ["account", "add", "bench-\(UUID().uuidString)", "--data", "\(folder)/data"]
        return try program.run(arguments: arguments, in: folder).trimmingCharacters(
            in: .whitespacesAndNewlines
        )
    }

    func stop() {
        for process in processes {
            process.terminate()
            process.waitUntilExit()
        }
    }
}
