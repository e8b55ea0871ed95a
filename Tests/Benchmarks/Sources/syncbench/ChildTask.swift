import Foundation
import SyncCore

#if !os(Linux)
    import Darwin
#endif

/// What a process of its own is measured for, such as its peak memory.
enum ChildTask {
    static func run(_ name: String, arguments: BenchArguments) async throws {
        switch name {
        case "pull": print(try await peakOfPull(records: arguments.records))
        case "growth": print(try await Growth.measure(arguments.records).line)
        default: throw BenchArguments.ArgumentError(message: "'\(name)' is no task.")
        }
    }

    /// Pulls so many records into a new store. Returns the most memory that this process has had, in bytes.
    static func peakOfPull(records: Int) async throws -> Int {
        let scratch = FileManager.default.temporaryDirectory.path + "/syncbench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let pages = RecordPages(count: records)
        let store = try BenchStore(what: scratch)
        try await store.sync(BenchServer(pageCount: pages.pageCount) { pages.answer(page: $0) })
        guard try store.counts().records == records else { throw Unmeasured(reason: "records are missing") }
        let peak = peakBytes()
        store.close()
        return peak
    }

    /// Runs a task in a process of its own, and returns the number that it prints.
    static func start(name: String, records: Int) throws -> Double {
        guard let program = Bundle.main.executableURL else {
            throw Unmeasured(reason: "the program does not know where it lies")
        }
        let process = Process()
        process.executableURL = program
        process.arguments = ["--child", name, "--records", "\(records)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard process.terminationStatus == 0, let number = Double(text) else {
            throw Unmeasured(reason: "the process for \(records) records failed")
        }
        return number
    }

    /// The most memory that this process has had, in bytes.
    static func peakBytes() -> Int {
        #if os(Linux)
            // NB: `getrusage` would tell the parent's peak, too: the process was a copy of it before it began.
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
            let digits = line.filter(\.isNumber)
            return (Int(digits) ?? 0) * 1024
        #else
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #endif
    }
}
