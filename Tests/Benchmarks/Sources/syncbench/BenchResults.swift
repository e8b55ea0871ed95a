import Foundation
import SyncCore

/// All ratios that were measured, as a table or as JSON.
struct BenchResults {
    private var rows: [(ratio: Ratio, outcome: Result<Measurement, any Error>)] = []

    mutating func add(_ ratio: Ratio, outcome: Result<Measurement, any Error>) {
        rows.append((ratio, outcome))
    }

    /// Whether every goal was met. What could not be measured was not met.
    var areMet: Bool { rows.allSatisfy { Self.isMet(ratio: $0.ratio, outcome: $0.outcome) } }

    private static func isMet(ratio: Ratio, outcome: Result<Measurement, any Error>) -> Bool {
        guard case .success(let found) = outcome else { return false }
        return found.holds && found.meetsProcessorGoal && ratio.goal.isMet(by: found.ratio)
    }

    static let heading = line(cells: "name", "ratio", "goal", "met", "ours", "yardstick", "note")

    private static func line(cells: String...) -> String {
        zip(cells, [15, 12, 12, 5, 12, 12, 0]).map { cell, width in
            cell + String(repeating: " ", count: max(1, width - cell.count))
        }.joined()
    }

    /// The last row of the table.
    var lastLine: String? {
        guard let row = rows.last else { return nil }
        switch row.outcome {
        case .success(let found):
            return Self.line(
                cells: row.ratio.name,
                Figure.text(seconds: found.ratio),
                row.ratio.goal.text,
                Self.isMet(ratio: row.ratio, outcome: row.outcome) ? "yes" : "no",
                "\(Figure.text(seconds: found.ours)) \(found.unit)",
                found.yardstick.map { "\(Figure.text(seconds: $0)) \(found.unit)" } ?? "-",
                found.note
            )
        case .failure(let error):
            return Self.line(
                cells: row.ratio.name,
                "-",
                row.ratio.goal.text,
                "no",
                "-",
                "-",
                Self.words(error: error)
            )
        }
    }

    /// What comes below the table.
    var summary: String {
        let met = rows.count { Self.isMet(ratio: $0.ratio, outcome: $0.outcome) }
        return "\(met) of \(rows.count) met, on \(Machine.description)"
    }

    /// `{"machine":"…","results":[{"name":"pull","ratio":1.42,"goal":"<= 1.5","met":true,"ours":…,"yardstick":…},…]}`; `unit`
    /// tells what the sides are measured in, and `note` what else must be known. A ratio that could not be measured has
    /// null figures.
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("machine")
        writer.string(Machine.description)
        writer.name("results")
        writer.beginArray()
        for row in rows { append(row.ratio, outcome: row.outcome, writer: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.text
    }

    private func append(_ ratio: Ratio, outcome: Result<Measurement, any Error>, writer: inout JSONWriter) {
        func number(_ name: String, value: Double?) {
            writer.name(name)
            if let value, value.isFinite { writer.number(value) } else { writer.null() }
        }
        let found = try? outcome.get()
        writer.beginObject()
        writer.name("name")
        writer.string(ratio.name)
        number("ratio", value: found?.ratio)
        writer.name("goal")
        writer.string(ratio.goal.text)
        writer.name("met")
        writer.boolean(Self.isMet(ratio: ratio, outcome: outcome))
        number("ours", value: found?.ours)
        number("yardstick", value: found?.yardstick)
        writer.name("unit")
        writer.string(found?.unit ?? "")
        writer.name("note")
        if case .failure(let error) = outcome {
            writer.string(Self.words(error: error))
        } else {
            writer.string(found?.note ?? "")
        }
        writer.endObject()
    }

    private static func words(error: any Error) -> String {
        (error as? Unmeasured)?.reason ?? "failed: \(error)"
    }
}

/// Figures for people: three digits that count.
enum Figure {
    /// A goal as it was set: `1.5`, `8`.
    static func bound(value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : "\(value)"
    }

    static func text(seconds value: Double) -> String {
        guard value.isFinite else { return "-" }
        if value == value.rounded(), abs(value) < 1e15 { return String(Int(value)) }
        let digits = max(0, 2 - Int(log10(abs(value)).rounded(.down)))
        return String(format: "%.\(min(digits, 6))f", value)
    }
}

/// Where the figures come from.
enum Machine {
    /// Cores, memory, processor and system, and how the program was built.
    static var description: String {
        let info = ProcessInfo.processInfo
        let memory = info.physicalMemory >> 30
        #if DEBUG
            let build = "debug build"
        #else
            let build = "release build"
        #endif
        return "\(processor), \(info.activeProcessorCount) cores, \(memory) GiB, "
            + "\(info.operatingSystemVersionString), \(build)"
    }

    private static var processor: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
            ?? "processor unknown"
    }
}
