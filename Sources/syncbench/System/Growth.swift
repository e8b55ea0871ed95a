import Foundation
import SyncCore
import SyncStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What a store of so many records costs.
struct Growth: Equatable {
    /// How many records.
    var records: Int
    /// Records a second that a pull of all of them takes in.
    var pullPerSecond: Double
    /// Seconds of a sync that brings ten changes to them.
    var incrementalSeconds: Double
    /// Bytes of the store's file.
    var fileBytes: Double
    /// The most memory that this process has held so far, in bytes.
    var peakBytes: Double

    static let changes = 10
    private static let syncs = 9

    /// Measures in this process. The peak is one of the process: a process of its own measures one size.
    static func measure(_ records: Int, in folder: String) async throws -> Growth {
        let feed = PageFeed(records: records)
        let path = "\(folder)/growth-\(records).sqlite"
        let device = try BenchDevice(path, [SystemRecords.entity], feed)
        let clock = ContinuousClock()
        let pull = try await clock.measure { try await device.sync(pushed: 0, pulled: records) }
        let making = feed.secondsOfMaking
        let peak = peakBytes
        var seconds: [Double] = []
        for _ in 0..<syncs {
            feed.edit(changes)
            let before = feed.secondsOfMaking
            let elapsed = try await clock.measure { try await device.sync(pushed: 0, pulled: changes) }
            seconds.append(elapsed.seconds - (feed.secondsOfMaking - before))
        }
        device.store.close()
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        return Growth(
            records: records,
            pullPerSecond: Double(records) / (pull.seconds - making),
            incrementalSeconds: seconds.median,
            fileBytes: Double(size),
            peakBytes: peak
        )
    }

    private static var peakBytes: Double {
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        #if canImport(Darwin)
            return Double(usage.ru_maxrss)
        #else
            return Double(usage.ru_maxrss) * 1024
        #endif
    }

    /// Figures on one line, as one process tells them to another.
    var line: String { "\(records) \(pullPerSecond) \(incrementalSeconds) \(fileBytes) \(peakBytes)" }

    init(
        records: Int,
        pullPerSecond: Double,
        incrementalSeconds: Double,
        fileBytes: Double,
        peakBytes: Double
    ) {
        self.records = records
        self.pullPerSecond = pullPerSecond
        self.incrementalSeconds = incrementalSeconds
        self.fileBytes = fileBytes
        self.peakBytes = peakBytes
    }

    /// Reads what `line` writes.
    init?(line: String) {
        let figures = line.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard figures.count == 5 else { return nil }
        self.init(
            records: Int(figures[0]),
            pullPerSecond: figures[1],
            incrementalSeconds: figures[2],
            fileBytes: figures[3],
            peakBytes: figures[4]
        )
    }
}
