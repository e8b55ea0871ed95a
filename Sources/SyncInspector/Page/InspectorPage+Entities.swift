import SyncCore
import SyncPages

/// Counts and sizes by entity.
extension InspectorPage {
    var entitiesSection: PageSection {
        let rows = report.entities.map { entity -> [Markup] in
            let counts = entity.counts
            return ["<bdi>\(Self.short(text: entity.name))</bdi>", "\(entity.strategy)"]
                + [
                    counts.records, counts.pending, counts.conflicts, counts.rejected, entity.orphans,
                    counts.deleted,
                ]
                .map(PageTable.cell)
        }
        func sum(_ count: (ReportedEntity) -> Int) -> Markup {
            PageTable.cell(count: report.entities.reduce(0) { $0 + count($1) })
        }
        let sums: [Markup] = [
            "All", "", sum { $0.counts.records }, sum { $0.counts.pending }, sum { $0.counts.conflicts },
            sum { $0.counts.rejected }, sum { $0.orphans }, sum { $0.counts.deleted },
        ]
        let columns: [PageTable.Column] = [
            .text("Entity"), .text("Strategy"), .number("Records"), .number("Waiting"),
            .number("In conflict"),
            .number("Rejected"), .number("Without parent"), .number("Deleted"),
        ]
        return PageSection(
            id: "entities",
            title: "Entities",
            count: report.entities.count,
            content: PageTable(
                caption: "Records by entity and state",
                columns: columns,
                rows: rows,
                sums: rows.count > 1 ? sums : nil
            ).markup
        )
    }

    var storageSection: PageSection {
        guard let storage = report.context.storage else {
            return PageSection(
                id: "storage",
                title: "Storage",
                content: "<p>The size of the store is not known.</p>"
            )
        }
        let total: Markup = "<p>All files of the store take \(PageWords.size(bytes: storage.fileBytes)).</p>"
        guard !storage.entityBytes.isEmpty else {
            let note: Markup =
                "<p class=\"quiet\">The system's SQLite does not tell what each table takes.</p>"
            return PageSection(id: "storage", title: "Storage", content: "\(total)\(note)")
        }
        var parts = report.entities.map { entity in
            (
                name: entity.name, bytes: storage.entityBytes[entity.name] ?? 0,
                records: entity.counts.records + entity.counts.deleted
            )
        }
        parts.append((name: "versions, journal and history", bytes: storage.ownBytes, records: 0))
        parts.append((name: "free for later", bytes: storage.freeBytes, records: 0))
        let most = parts.map(\.bytes).max() ?? 0
        let rows = parts.map { part -> [Markup] in
            [
                "<bdi>\(Self.short(text: part.name))</bdi>", bar(part: part.bytes, of: most),
                "\(PageWords.size(bytes: part.bytes))",
                part.records > 0
                    ? "\(PageWords.size(bytes: part.bytes / Int64(part.records)))"
                    : "<span class=\"quiet\">–</span>",
            ]
        }
        let columns: [PageTable.Column] = [
            .text("Part"), .text("Share"), .number("Size"), .number("Per record"),
        ]
        return PageSection(
            id: "storage",
            title: "Storage",
            content:
                "\(total)\(PageTable(caption: "Bytes on the disk by entity, indexes included", columns: columns, rows: rows).markup)"
        )
    }

    /// A bar beside a number that says the same.
    private func bar(part: Int64, of most: Int64) -> Markup {
        let tenths = most > 0 ? Int(Double(part) / Double(most) * 1000) : 0
        return """
            <svg class="bar" width="100%" height="12" aria-hidden="true" focusable="false"><rect class="rail" \
            width="100%" height="12" rx="3"></rect><rect class="fill" width="\(tenths / 10).\(tenths % 10)%" \
            height="12" rx="3"></rect></svg>
            """
    }
}
