import SyncCore
import SyncPages

/// Small parts that several sections use.
extension InspectorPage {
    /// An instant.
    func time(at time: Timestamp) -> Markup {
        PageWords.shown(time: time)
    }

    /// How long ago an instant was when the report was made.
    func ago(since time: Timestamp) -> String {
        let passed = report.context.at.microseconds - time.microseconds
        return passed < 0 ? "in the future" : PageWords.age(microseconds: passed) + " ago"
    }

    /// A record's name: its title with the key in small, or the key alone. A long title is shortened by the style, and
    /// is whole where somebody points at it. With `link`, the title leads to a place on the page.
    func name(of record: RecordName, link: String? = nil) -> Markup {
        let entity: Markup = "<span class=\"entity\">\(Self.short(text: record.entity))</span>"
        let key: Markup = "<bdi class=\"key\">\(Self.key(text: record.key.text))</bdi>"
        let title: Markup? = report.titles[record].map {
            "<bdi class=\"title\">\(Self.short(text: $0, limit: ReportLimits.maxValueScalars))</bdi>"
        }
        let named = title ?? key
        let linked = link.map { "<a href=\"#\($0)\">\(named)</a>" } ?? named
        return title == nil ? "\(entity) \(linked)" : "\(entity) \(linked) \(key)"
    }

    /// What tells a control from those of other records, for people who do not see where it is.
    func label(of record: RecordName) -> String {
        let key = Self.key(text: record.key.text)
        return report.titles[record].map { "\(Self.short(text: $0)), \(key)" } ?? key
    }

    /// A command with what it does; nothing if there is none. No shell takes a command of any length, so that a long
    /// one is left out.
    func command(label: Instruction, line command: String?) -> Markup {
        guard let command else { return "" }
        guard command.utf8.count <= Self.maxCommandBytes else {
            return """
                <p>\(advice(text: label)) <span class="quiet">the command would be too long; use the buttons of \
                <code>\(report.context.commands.serve())</code>.</span></p>

                """
        }
        return """
            <div class="way"><p>\(advice(text: label))</p><pre class="command"><code>\(command)</code></pre></div>

            """
    }

    /// The longest command, in bytes.
    private static let maxCommandBytes = 8000

    /// A sentence whose commands are shown as such.
    func advice(text: Instruction) -> Markup {
        Markup(
            text.parts.map { part in
                switch part {
                case .words(let words): "\(words)"
                case .command(let command): "<code>\(command)</code>"
                }
            }
        )
    }

    /// Why a record has no commands; nothing if it has some.
    func whyNoCommands(for record: RecordName) -> Markup {
        if record.hasCommands { return "" }
        let buttons: Markup =
            live == nil ? " Use the buttons of <code>\(report.context.commands.serve())</code>." : ""
        return "<p>\(StoreCommands.noCommand)\(buttons)</p>\n"
    }

    /// The elements that fit the page, how many they are, and a sentence on those that do not.
    ///
    /// - Parameters:
    ///   - noun: What an element is, for example `conflict`.
    ///   - rest: How to see the others.
    func list<Element>(
        of part: ShownPart<Element>,
        noun: String,
        rest: [String],
        item: (Element) -> Markup
    ) -> (markup: Markup, count: Int) {
        var items: [Markup] = []
        var bytes = 0
        for element in part.elements {
            let next = item(element)
            bytes += next.html.utf8.count
            if bytes > report.context.limits.listBytes, !items.isEmpty { break }
            items.append(next)
        }
        let left = part.total - items.count
        let note: Markup =
            left == 0
            ? ""
            : """
            <div class="left-out"><p>\(PageWords.count(items.count, noun: noun)) of \(PageWords.number(part.total)) \
            are on this page. To see the others:</p>
            \(rest.map { "<pre class=\"command\"><code>\($0)</code></pre>" as Markup })</div>
            """
        return ("<div class=\"items\" data-noun=\"\(noun)\">\n\(items)</div>\n\(note)", items.count)
    }

    /// A key that stays short, with what nobody can see written as `\u{…}`.
    static func key(text: String) -> String { short(text: text).namedVisibly }

    /// A name that stays short.
    static func short(text: String, limit: Int = ReportLimits.maxNameScalars) -> String {
        PageWords.short(text: text, limit: limit)
    }

    /// The differing fields of some versions, side by side. Each version after the first is marked where it differs
    /// from the first that stands.
    func comparison(of comparison: SideComparison, caption: String, undecided: [String] = []) -> Markup {
        let columns =
            [PageTable.Column.text("Field")]
            + comparison.sides.map { side in
                var name = side.name
                if side.isDeleted { name += " (deleted)" }
                return PageTable.Column.text(name)
            }
        let edits: Markup = "<span class=\"quiet\">edited</span>"
        var rows = [[edits] + comparison.sides.map(edited)]
        let first = comparison.sides.firstIndex(where: \.isStanding) ?? 0
        rows += comparison.rows.map { row in
            let values = row.values.map { $0.map { ShownValue(json: $0) } }
            let cells = values.enumerated().map { index, value -> Markup in
                guard comparison.sides[index].isStanding else { return "<span class=\"quiet\">–</span>" }
                guard let value else { return "<span class=\"quiet\">(absent)</span>" }
                return index == first ? value.markup : value.markup(against: values[first])
            }
            let badge: Markup =
                undecided.contains(row.field) ? " <span class=\"badge conflict\">to decide</span>" : ""
            return ["<bdi>\(Self.short(text: row.field))</bdi>\(badge)"] + cells
        }
        return PageTable(caption: caption, columns: columns, rows: rows, style: "compare").markup
    }

    private func edited(side: SideComparison.Side) -> Markup {
        guard let edit = side.edit else {
            return side.isForgotten
                ? "<span class=\"quiet\">not kept any more</span>"
                : "<span class=\"quiet\">no such version</span>"
        }
        return """
            <span class="quiet">\(side.isDeleted ? "deleted " : "")\(time(at: edit.time)) by \
            \(InspectorWords.device(id: edit.device, own: report.context.device))</span>
            """
    }
}
