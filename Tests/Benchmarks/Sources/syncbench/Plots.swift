import Foundation

/// Growth curves as SVG.
enum Plots {
    /// Measures each size in a process of its own, and draws one curve per file into a folder, which is made where there is
    /// none. Returns what was measured.
    @discardableResult
    static func draw(into folder: String, bench: Bench, sizes: [Int]) async throws -> [Growth] {
        guard let program = BuiltProgram("syncbench") else {
            throw Unmeasured(
                reason: "syncbench does not find itself beside what runs"
            )
        }
        let growth = try sizes.sorted().map { size in
            let line = try program.run(
                arguments: ["--child", "growth", "--records", "\(size)"],
                in: bench.scratch
            )
            guard let growth = Growth(line: line) else {
                throw Unmeasured(reason: "the process for \(size) records told nothing")
            }
            print("\(size) records: \(line)", terminator: "")
            return growth
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, plot) in plots(growth: growth) {
            try Data(plot.text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name).svg"))
        }
        return growth
    }

    /// The curves by file name.
    static func plots(growth: [Growth]) -> [(name: String, plot: SVGPlot)] {
        func plot(title: String, yLabel: String, value: (Growth) -> Double) -> SVGPlot {
            SVGPlot(
                title: title,
                xLabel: "records in the store",
                yLabel: yLabel,
                points: growth.map { (Double($0.records), value($0)) }
            )
        }
        return [
            (
                "pull",
                plot(
                    title: "Pulling everything into an empty store",
                    yLabel: "records per second",
                    value: \.pullPerSecond
                )
            ),
            (
                "incremental",
                plot(title: "A sync that brings \(Growth.changes) changes", yLabel: "milliseconds") {
                    $0.incrementalSeconds * 1000
                }
            ),
            (
                "idle",
                plot(title: "A sync with nothing to do", yLabel: "milliseconds") { $0.idleSeconds * 1000 }
            ),
            (
                "put",
                plot(title: "One local write, on disk when it returns", yLabel: "milliseconds") {
                    $0.putSeconds * 1000
                }
            ),
            (
                "read",
                plot(title: "One record, read by its key", yLabel: "microseconds") {
                    $0.readSeconds * 1_000_000
                }
            ),
            (
                "disk",
                plot(title: "The store's file", yLabel: "bytes per record") {
                    $0.fileBytes / Double($0.records)
                }
            ),
            (
                "memory",
                plot(title: "Peak memory of the pull", yLabel: "MiB resident") { $0.peakBytes / 1_048_576 }
            ),
        ]
    }
}
