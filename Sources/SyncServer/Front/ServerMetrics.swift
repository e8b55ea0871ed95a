import Foundation

/// The server's counters. Labels never come from requests unchecked, so their number is bounded.
public final class ServerMetrics: @unchecked Sendable {
    private struct Key: Hashable {
        var route: String
        var status: Int
    }

    private struct Durations {
        var counts = [Int](repeating: 0, count: ServerMetrics.bounds.count)
        var count = 0
        var seconds = 0.0
    }

    /// Upper bounds of the histogram in seconds, and their printed form.
    private static let bounds: [(seconds: Double, text: String)] = [
        (0.001, "0.001"), (0.005, "0.005"), (0.01, "0.01"), (0.05, "0.05"), (0.1, "0.1"), (0.5, "0.5"),
        (1, "1"),
        (5, "5"), (10, "10"),
    ]

    private let lock = NSLock()
    // Guarded by `lock`.
    private var requests: [Key: Int] = [:]
    private var durations: [String: Durations] = [:]
    private var changes = ["accepted": 0, "conflict": 0, "refused": 0]
    private var limited = ["account": 0, "authentication": 0]
    private var bytes = ["in": 0, "out": 0]
    private var openStreams = 0
    private var framingErrors = 0
    private var droppedLines = 0

    /// Starts all counters at zero.
    public init() {}

    /// Counts the results of one push.
    public func countChanges(accepted: Int, conflicts: Int, refused: Int) {
        lock.withLock {
            changes["accepted", default: 0] += accepted
            changes["conflict", default: 0] += conflicts
            changes["refused", default: 0] += refused
        }
    }

    /// Counts a stream that was opened.
    public func streamOpened() { lock.withLock { openStreams += 1 } }

    /// Counts a stream that ended.
    public func streamClosed() { lock.withLock { openStreams -= 1 } }

    /// Counts a request that was not valid HTTP.
    public func countFramingError() { lock.withLock { framingErrors += 1 } }

    /// Counts a line of the log that was dropped.
    public func countDroppedLine() { lock.withLock { droppedLines += 1 } }

    func count(_ log: RequestLog) {
        lock.withLock {
            requests[Key(route: log.route, status: log.status), default: 0] += 1
            bytes["in", default: 0] += log.bytesIn
            bytes["out", default: 0] += log.bytesOut
            let seconds = Double(log.durationMicroseconds) / 1_000_000
            var entry = durations[log.route] ?? Durations()
            for (index, bound) in Self.bounds.enumerated() where seconds <= bound.seconds {
                entry.counts[index] += 1
            }
            entry.count += 1
            entry.seconds += seconds
            durations[log.route] = entry
        }
    }

    enum Limit: String {
        case account, authentication
    }

    func countLimited(_ limit: Limit) { lock.withLock { limited[limit.rawValue, default: 0] += 1 } }

    /// The metrics in Prometheus text format, sorted, so that equal counts give equal text.
    public func text() -> String { lock.withLock { unlockedText() } }

    private func unlockedText() -> String {
        var lines: [String] = []
        func begin(_ name: String, type: String, help: String) {
            lines += ["# HELP entitysync_\(name) \(help)", "# TYPE entitysync_\(name) \(type)"]
        }
        func series(name: String, type: String, help: String, label: String, values: [String: Int]) {
            begin(name, type: type, help: help)
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                lines.append("entitysync_\(name){\(label)=\"\(key)\"} \(value)")
            }
        }
        begin("requests_total", type: "counter", help: "Requests by route and status.")
        for (key, count) in requests.sorted(by: {
            ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status)
        }) {
            lines.append(
                "entitysync_requests_total{route=\"\(key.route)\",status=\"\(key.status)\"} \(count)"
            )
        }
        begin("request_seconds", type: "histogram", help: "Seconds from the head of a request to its answer.")
        for (route, entry) in durations.sorted(by: { $0.key < $1.key }) {
            let name = "entitysync_request_seconds"
            for (bound, count) in zip(Self.bounds, entry.counts) {
                lines.append("\(name)_bucket{route=\"\(route)\",le=\"\(bound.text)\"} \(count)")
            }
            lines.append("\(name)_bucket{route=\"\(route)\",le=\"+Inf\"} \(entry.count)")
            lines.append("\(name)_sum{route=\"\(route)\"} \(entry.seconds)")
            lines.append("\(name)_count{route=\"\(route)\"} \(entry.count)")
        }
        series(
            name: "changes_total",
            type: "counter",
            help: "Pushed changes by outcome.",
            label: "outcome",
            values: changes
        )
        series(
            name: "rate_limited_total",
            type: "counter",
            help: "Requests that were asked to wait.",
            label: "limit",
            values: limited
        )
        series(
            name: "body_bytes_total",
            type: "counter",
            help: "Bytes of bodies.",
            label: "direction",
            values: bytes
        )
        begin("framing_errors_total", type: "counter", help: "Requests that were no valid HTTP.")
        lines.append("entitysync_framing_errors_total \(framingErrors)")
        begin("log_lines_dropped_total", type: "counter", help: "Lines of the log that were dropped.")
        lines.append("entitysync_log_lines_dropped_total \(droppedLines)")
        begin("streams_open", type: "gauge", help: "Open event streams.")
        lines.append("entitysync_streams_open \(openStreams)")
        return lines.joined(separator: "\n") + "\n"
    }
}
