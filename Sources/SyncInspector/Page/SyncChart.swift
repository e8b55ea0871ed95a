import SyncCore
import SyncPages
import SyncRuntime

/// The last syncs as bars, oldest first: how long each took, what it moved, and what it asked. A failure has a cross
/// below its bars.
struct SyncChart {
    let syncs: [PastSync]

    /// One row of bars.
    private struct Row {
        var name: String
        var values: [Int64]
        var most: String
        var style: Markup
    }

    private static let barHeight: Int64 = 56
    private static let rowHeight = 88

    var svg: Markup {
        let rows = self.rows
        let strips = rows.enumerated().map { strip(row: $1, top: $0 * Self.rowHeight) }
        let bottom = rows.count * Self.rowHeight
        let crosses = syncs.indices.filter { syncs[$0].outcome != .synced }.map { index -> Markup in
            let x = place(of: index) + width / 2
            let isFailed = syncs[index].outcome == .failed
            let shape: Markup =
                isFailed
                ? "<path class=\"cross\" d=\"M-5-5 5 5M5-5-5 5\"></path>"
                : "<circle class=\"partial\" r=\"4\"></circle>"
            return
                "<svg x=\"\(percent(hundredths: x))\" y=\"\(bottom + 8)\" overflow=\"visible\">\(shape)</svg>\n"
        }
        let legend: Markup =
            crosses.isEmpty
            ? ""
            : """
            <p class="legend"><span><svg width="14" height="14" aria-hidden="true" focusable="false"><path class="cross" \
            d="M2 2 12 12M12 2 2 12"></path></svg> failed</span> <span><svg width="14" height="14" aria-hidden="true" \
            focusable="false"><circle class="partial" cx="7" cy="7" r="4"></circle></svg> partial</span></p>
            """
        return """
            <svg class="chart" role="img" aria-labelledby="chart-title chart-text" width="100%" height="\(bottom + 20)" \
            focusable="false">
            <title id="chart-title">The last syncs, oldest first</title>
            <desc id="chart-text">\(summary)</desc>
            \(strips)\(crosses)</svg>
            \(legend)
            """
    }

    private var rows: [Row] {
        let durations = syncs.map { max(0, $0.ended.microseconds - $0.started.microseconds) }
        let records = syncs.map { Int64($0.pushed + $0.pulled) }
        let requests = syncs.map { Int64($0.requests) }
        func most(of values: [Int64]) -> String { PageWords.number(Int(values.max() ?? 0)) }
        return [
            Row(
                name: "Duration",
                values: durations,
                most: PageWords.duration(microseconds: durations.max() ?? 0),
                style: "duration"
            ),
            Row(
                name: "Records pushed and pulled",
                values: records,
                most: most(of: records),
                style: "records"
            ),
            Row(name: "Requests", values: requests, most: most(of: requests), style: "requests"),
        ]
    }

    private func strip(row: Row, top: Int) -> Markup {
        let most = max(row.values.max() ?? 0, 1)
        let base = top + 24 + Int(Self.barHeight)
        let bars = row.values.enumerated().filter { $0.element > 0 }.map { index, value -> Markup in
            let height = max(2, Int(Double(Self.barHeight) * Double(value) / Double(most)))
            let style: Markup = syncs[index].outcome == .failed ? "failed" : row.style
            return """
                <rect class="\(style)" x="\(percent(hundredths: place(of: index)))" width="\(percent(hundredths: width))" y="\(base - height)" \
                height="\(height)" rx="2"></rect>

                """
        }
        return """
            <text class="row-name" x="0" y="\(top + 13)">\(row.name), at most \(row.most)</text>
            <line class="axis" x1="0" x2="100%" y1="\(base)" y2="\(base)"></line>
            \(bars)
            """
    }

    /// A bar's width in hundredths of a percent.
    private var width: Int { 10_000 / max(syncs.count, 24) * 7 / 10 }

    /// A bar's left edge in hundredths of a percent.
    private func place(of index: Int) -> Int { 10_000 / max(syncs.count, 24) * index }

    private func percent(hundredths: Int) -> String {
        "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)%"
    }

    /// The chart in words, short.
    private var summary: String {
        let failed = syncs.count { $0.outcome == .failed }
        let partial = syncs.count { $0.outcome == .partial }
        let rows = self.rows.map { "\($0.name): at most \($0.most)" }.joined(separator: "; ")
        return
            "\(PageWords.count(syncs.count, noun: "sync")), of which \(failed) failed and \(partial) were partial. "
            + "\(rows). The table below has every number."
    }
}
