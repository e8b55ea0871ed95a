import EntitySync
import Foundation

/// Measures the product against yardsticks, side by side in one run.
@main
enum SyncBench {
    static func main() async {
        do {
            let arguments = try BenchArguments(Array(CommandLine.arguments.dropFirst()))
            if arguments.helps { return print(BenchArguments.help) }
            if arguments.tellsVersion { return print("syncbench \(EntitySyncVersion.current)") }
            if arguments.profiles { return print(arguments.profiling(program: CommandLine.arguments[0])) }
            if let task = arguments.child { return try await ChildTask.run(task, arguments: arguments) }
            exit(try await measure(arguments) ? 0 : 1)
        } catch let error as BenchArguments.ArgumentError {
            FileHandle.standardError.write(Data("error: \(error.message)\n\(BenchArguments.help)\n".utf8))
            exit(64)
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(70)
        }
    }

    /// Measures what was asked for. Returns whether every goal was met.
    private static func measure(_ arguments: BenchArguments) async throws -> Bool {
        let scratch = FileManager.default.temporaryDirectory.path + "/syncbench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let bench = Bench(records: arguments.records, rounds: arguments.rounds, scratch: scratch)
        if let folder = arguments.plots {
            try await Plots.draw(into: folder, bench: bench, sizes: arguments.sizes)
            return true
        }
        var results = BenchResults()
        if !arguments.json { print(BenchResults.heading) }
        for ratio in arguments.ratios {
            results.add(ratio, outcome: await Result { try await ratio.measure(bench) })
            if !arguments.json, let line = results.lastLine { print(line) }
        }
        print(arguments.json ? results.json : results.summary)
        return results.areMet
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
