import Foundation

/// Growth curves as SVG.
enum Plots {
    /// Measures each size in a process of its own, and draws one curve per file into a folder, which is made where there is
    /// none. Returns what was measured.
    @discardableResult
    static func draw(into folder: String, _ bench: Bench, sizes: [Int]) async throws -> [Growth] {
        guard let program = Neighbour("syncbench") else {
            throw Unmeasured(
                reason: "syncbench is not beside this program: swift build -c release --product syncbench"
            )
        }
        let growth = try sizes.sorted().map { size in
            let line = try program.run(["--child", "growth", "--records", "\(size)"], in: bench.scratch)
            guard let growth = Growth(line: line) else {
                throw Unmeasured(reason: "the process for \(size) records told nothing")
            }
            print("\(size) records: \(line)", terminator: "")
            return growth
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, plot) in plots(growth) {
            try Data(plot.text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name).svg"))
        }
        return growth
    }

    /// The curves by file name.
    static func plots(_ growth: [Growth]) -> [(name: String, plot: SVGPlot)] {
        func plot(_ title: String, _ yLabel: String, _ value: (Growth) -> Double) -> SVGPlot {
            SVGPlot(
                title: title,
                xLabel: "records in the store",
                yLabel: yLabel,
                points: growth.map { (Double($0.records), value($0)) }
            )
        }
        return [
            ("pull", plot("Pulling everything into an empty store", "records per second", \.pullPerSecond)),
            (
                "incremental",
                plot("A sync that brings \(Growth.changes) changes", "milliseconds") {
                    $0.incrementalSeconds * 1000
                }
            ),
            (
                "idle",
                plot("A sync with nothing to do", "milliseconds") { $0.idleSeconds * 1000 }
            ),
            (
                "put",
                plot("One local write, on disk when it returns", "milliseconds") { $0.putSeconds * 1000 }
            ),
            (
                "read",
                plot("One record, read by its key", "microseconds") { $0.readSeconds * 1_000_000 }
            ),
            (
                "disk",
                plot("The store's file", "bytes per record") { $0.fileBytes / Double($0.records) }
            ),
            ("memory", plot("Peak memory of the pull", "MiB resident") { $0.peakBytes / 1_048_576 }),
        ]
    }
}
