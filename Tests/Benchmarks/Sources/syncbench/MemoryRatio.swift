import Foundation

/// The peak memory of a process that pulls many records, against that of one that pulls few.
enum MemoryRatio {
    /// Processes of each side. Their peaks hardly differ.
    static let runs = 2
    /// What the larger pull may hold at most.
    static let mostBytes = 64.0 * 1024 * 1024

    static func measure(_ bench: Bench) async throws -> Measurement {
        let (many, few) = (bench.records * 10, bench.records)
        var peaks: [[Double]] = [[], []]
        for _ in 0..<runs {
            for (side, records) in [many, few].enumerated() {
                peaks[side].append(try ChildTask.start(name: "pull", records: records))
            }
        }
        let (ours, yardstick) = (peaks[0].median, peaks[1].median)
        return Measurement(
            ratio: ours / yardstick,
            ours: ours,
            yardstick: yardstick,
            unit: "bytes",
            note:
                "\(many) records (<= 64 MiB) and \(few), pages made when they are asked for, \(runs) processes each",
            holds: ours <= mostBytes
        )
    }
}
