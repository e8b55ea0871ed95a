import SyncCore
import SyncPages
import SyncRuntime

/// The last syncs as a chart and as a table.
extension InspectorPage {
    var syncsSection: PageSection {
        guard !report.syncs.isEmpty else {
            return PageSection(
                id: "syncs",
                title: "Syncs",
                count: 0,
                content: "<p>This store has never synced.</p>"
            )
        }
        let rows = report.syncs.reversed().map { sync -> [Markup] in
            let reason: Markup =
                sync.error.map { error in
                    "<br><bdi>\(Self.short(text: error.message, limit: ReportLimits.maxValueScalars))</bdi>"
                } ?? sync.errorKind.map { "<br>\($0.rawValue)" } ?? ""
            let numbers = [
                sync.pushed, sync.pulled, sync.merged, sync.conflicts, sync.rejected, sync.requests,
            ]
            return [
                time(at: sync.started),
                "<span class=\"badge \(sync.outcome.rawValue)\">\(InspectorWords.words(outcomeOf: sync))</span>\(reason)",
                "\(PageWords.duration(microseconds: sync.ended.microseconds - sync.started.microseconds))",
            ] + numbers.map(PageTable.cell)
        }
        let columns: [PageTable.Column] = [
            .text("Started"), .text("Outcome"), .number("Took"), .number("Pushed"), .number("Pulled"),
            .number("Merged"), .number("Conflicts"), .number("Rejected"), .number("Requests"),
        ]
        return PageSection(
            id: "syncs",
            title: "Syncs",
            count: report.syncs.count,
            content: """
                <p>\(PageWords.count(report.syncs.count, noun: "sync")); a store remembers the last \(PastSync.maxKept).</p>
                \(SyncChart(syncs: report.syncs).svg)
                <details><summary>The same as a table</summary>
                \(PageTable(caption: "The last syncs, the newest first", columns: columns, rows: rows).markup)</details>
                """
        )
    }
}
