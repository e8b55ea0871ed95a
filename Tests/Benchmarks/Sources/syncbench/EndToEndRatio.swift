import EntitySync
import Foundation
import SyncHTTPClient
import SyncSchema

/// All records from one device to another by the programs that people run, against `sqlite3` and `curl`: the processor
/// time of all processes, on both sides with the server's.
enum EndToEndRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let schemas = [SchemaSource(path: "bookmark.schema.json", bytes: Array(BenchSchema.text.utf8))]
        guard let program = BuiltProgram("synccheck"),
            let server = try await HostedServer.hosted(schemas: schemas, bench: bench)
        else {
            throw Unmeasured(
                reason: "synccheck or syncserver with its HTTP host was not built: "
                    + "swift build -c release --traits Server"
            )
        }
        defer { server.stop() }
        let pages = RecordPages(count: bench.records)
        let pending = try BenchStore.pending(bench: bench, pages: pages)
        let bound = try CommandLineBound(pages: pages, bench: bench)
        let processes = ProgramRuns(program: program, server: server, count: pages.count)
        let sides = try await bench.takeTurns(
            ours: Bench.Side<any EndToEndRun>(
                prepare: { try processes.prepare(pending: pending, bench: bench) },
                run: { try $0.run() },
                clear: { try $0.clear(bench) },
                processorSeconds: { _ in SystemProcess.secondsOfThisWithChildren + server.processorSeconds }
            ),
            yardstick: Bench.Side<any EndToEndRun>(
                prepare: { try bound.prepare(bench) },
                run: { try $0.run() },
                clear: { try $0.clear(bench) },
                processorSeconds: { _ in SystemProcess.secondsOfThisWithChildren }
            )
        )
        return .overProcessorTime(
            sides: sides,
            note: "processor time of all processes for a push and a pull of \(pages.count) records, "
                + "\(RecordPages.size) a request"
        )
    }
}

/// One of the ways from one device to the other.
protocol EndToEndRun {
    func run() throws
    /// Makes sure that all records arrived, and clears them away.
    func clear(_ bench: Bench) throws
}

/// Two stores of `synccheck` and an account of `syncserver`.
private struct ProgramRuns {
    let program: BuiltProgram
    let server: HostedServer
    let count: Int

    func prepare(pending: String, bench: Bench) throws -> any EndToEndRun {
        let folders = [try bench.folder(path: "device"), try bench.folder(path: "device")]
        try FileManager.default.copyItem(
            atPath: BenchStore.path(folder: pending),
            toPath: BenchStore.path(folder: folders[0])
        )
        let (schemas, token) = (folders[0] + "/schemas", folders[0] + "/token")
        try FileManager.default.createDirectory(atPath: schemas, withIntermediateDirectories: true)
        let schema = URL(fileURLWithPath: schemas + "/bookmark.schema.json")
        try Data(BenchSchema.text.utf8).write(to: schema)
        try Data(try server.newToken().utf8).write(to: URL(fileURLWithPath: token))
        let remote = "\(server.url.scheme)://\(server.url.host):\(server.url.port)"
        let arguments = ["sync", "--remote", remote, "--token-file", token, "--schemas", schemas]
        return ProgramRun(program: program, arguments: arguments, folders: folders, count: count)
    }
}

/// One round of the product.
private struct ProgramRun: EndToEndRun {
    let program: BuiltProgram
    let arguments: [String]
    let folders: [String]
    let count: Int

    func run() throws {
        for folder in folders {
            try program.run(arguments: arguments + ["--store", BenchStore.path(folder: folder)], in: folder)
        }
    }

    func clear(_ bench: Bench) throws {
        for folder in folders {
            let store = try BenchStore(what: folder)
            let counts = try store.counts()
            store.close()
            guard counts.records == count, counts.pending == 0 else {
                throw Unmeasured(
                    reason: "a store has \(counts.records) records, of which \(counts.pending) wait"
                )
            }
            try bench.remove(folder)
        }
    }
}
