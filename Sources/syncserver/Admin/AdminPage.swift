import SyncCore
import SyncPages
import SyncServer
import SyncVersion
import SyncWire

/// The operator's page: a report as one HTML file that needs no network.
struct AdminPage {
    let report: AdminReport
    private let names: [String: String]

    /// Makes the page of a report.
    init(report: AdminReport) {
        self.report = report
        names = report.names
    }

    /// The most rows of a table.
    private static let maxRows = 500
    /// The longest name in a cell, in Unicode scalars.
    private static let maxNameScalars = 200

    /// The page's HTML.
    var html: String {
        PageFrame(
            title: "syncserver",
            product: "EntitySync \(EntitySyncVersion.current)",
            heading: "Server",
            facts: [
                .init(name: "As of", value: PageWords.shown(time: report.time)),
                .init(name: "Running for", text: age(of: report.started)),
                .init(name: "Open streams", text: PageWords.number(report.openStreams)),
            ],
            lead: verdict,
            sections: [accounts, devices, refused, slow],
            footer: "Devices, refused records and slow requests are those since the start of the server."
        ).html
    }

    private var verdict: Markup {
        let (style, title, text): (Markup, String, String) =
            switch report.state {
            case "ok": ("verdict", "The server is ready", "It answers, and stores what it is sent.")
            case "draining":
                ("verdict wait", "The server is about to stop", "Load balancers send it no new clients.")
            default:
                (
                    "verdict act", "The server cannot store anything",
                    "Devices keep their changes and try again. The reason: "
                        + (report.storageFailure?.rawValue ?? "unknown") + "."
                )
            }
        return """
            <section id="verdict" class="\(style)" aria-labelledby="verdict-title">
            <h2 id="verdict-title">\(title)</h2>
            <p>\(text)</p>
            </section>
            """
    }

    private var accounts: PageSection {
        let rows = report.accounts.prefix(Self.maxRows).map { row -> [Markup] in
            [
                name(row.entry.account.name),
                row.entry.removed == nil
                    ? badge("active", style: "synced") : badge("removed", style: "failed"),
                "\(PageWords.number(row.tokens))",
                row.lastSync.map { PageWords.shown(time: $0) }
                    ?? "<span class=\"quiet\">not since the start</span>",
                row.bytes.map { "\(PageWords.size(bytes: $0))" } ?? "<span class=\"quiet\">unknown</span>",
                "<span class=\"key\">\(row.entry.account.id)</span>",
            ]
        }
        return section(
            id: "accounts",
            title: "Accounts",
            count: report.accounts.count,
            caption: "Accounts by name",
            columns: [
                .text("Account"), .text("State"), .number("Tokens"), .text("Last sync"), .number("Size"),
                .text("Id"),
            ],
            rows: rows,
            empty: "There are no accounts yet. 'syncserver account add' makes one."
        )
    }

    private var devices: PageSection {
        let rows = report.activity.devices.prefix(Self.maxRows).map { device -> [Markup] in
            [
                "<span class=\"key\">\(device.id)</span>", account(device.account),
                PageWords.shown(time: device.lastSync), "\(PageWords.number(device.syncs))",
                "\(PageWords.number(device.refused))",
            ]
        }
        return section(
            id: "devices",
            title: "Devices",
            count: report.activity.devices.count,
            caption: "Devices, the last sync first",
            columns: [
                .text("Device"), .text("Account"), .text("Last sync"), .number("Requests"),
                .number("Refused"),
            ],
            rows: rows,
            empty: "No device has synced since the start."
        )
    }

    private var refused: PageSection {
        let rows = report.activity.refused.map { record -> [Markup] in
            [
                PageWords.shown(time: record.time), account(record.account),
                record.change.entity.isEmpty
                    ? "<span class=\"quiet\">unreadable</span>" : name(record.change.entity),
                name(record.change.rule), "<span class=\"key\">\(record.device)</span>",
            ]
        }
        return section(
            id: "refused",
            title: "Refused records",
            count: rows.count,
            caption: "Records that broke a rule of their schema, the newest first",
            columns: [.text("Time"), .text("Account"), .text("Entity"), .text("Rule"), .text("Device")],
            rows: rows,
            empty: "No record was refused."
        )
    }

    private var slow: PageSection {
        let rows = report.activity.slow.map { request -> [Markup] in
            [
                PageWords.shown(time: request.time),
                "\(request.entry.method) \(request.entry.route)", "\(request.entry.status)",
                "\(PageWords.duration(microseconds: request.entry.durationMicroseconds))",
                request.entry.account.map { account($0) } ?? "<span class=\"quiet\">none</span>",
                "<span class=\"key\">\(request.entry.requestID)</span>",
            ]
        }
        return section(
            id: "slow",
            title: "Slow requests",
            count: rows.count,
            caption:
                "Requests of \(PageWords.duration(microseconds: report.slowMicroseconds)) and more, the newest first",
            columns: [
                .text("Time"), .text("Request"), .number("Status"), .number("Duration"), .text("Account"),
                .text("Id in the log"),
            ],
            rows: rows,
            empty: "No request was slow."
        )
    }

    private func section(
        id: String,
        title: String,
        count: Int,
        caption: String,
        columns: [PageTable.Column],
        rows: [[Markup]],
        empty: String
    ) -> PageSection {
        var content: Markup = "<p>\(empty)</p>"
        if !rows.isEmpty { content = PageTable(caption: caption, columns: columns, rows: rows).markup }
        if rows.count < count {
            let words = "Shown are \(PageWords.number(rows.count)) of \(PageWords.number(count))."
            content += "<p class=\"quiet\">\(words)</p>"
        }
        return PageSection(id: id, title: title, count: count, content: content)
    }

    private func account(_ id: String) -> Markup {
        names[id].map { name($0) } ?? "<span class=\"key\">\(id)</span>"
    }

    private func name(_ text: String) -> Markup {
        "<bdi>\(PageWords.short(text: text, limit: Self.maxNameScalars))</bdi>"
    }

    private func badge(_ word: String, style: String) -> Markup {
        "<span class=\"badge \(style)\">\(word)</span>"
    }

    private func age(of time: Timestamp) -> String {
        PageWords.age(microseconds: report.time.microseconds - time.microseconds)
    }
}
