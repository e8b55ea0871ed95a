import Foundation

/// What a process of its own is measured for, such as its peak memory.
enum ChildTask {
    static func run(_ name: String, _ arguments: BenchArguments) async throws {
        switch name {
        case "growth":
            let folder = FileManager.default.temporaryDirectory.path + "/syncbench-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            print(try await Growth.measure(arguments.records, in: folder).line)
        default: throw BenchArguments.Problem(message: "'\(name)' is no task.")
        }
    }
}
