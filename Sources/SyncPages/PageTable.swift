/// A table whose rows become blocks on a narrow screen. The first cell of each row is its heading.
package struct PageTable: Sendable {
    let caption: String
    let columns: [Column]
    let rows: [[Markup]]
    let sums: [Markup]?
    let style: Markup

    /// Makes a table. Each row has a cell for each column, and so have the sums, which are the last line and no row.
    package init(
        caption: String,
        columns: [Column],
        rows: [[Markup]],
        sums: [Markup]? = nil,
        style: Markup = ""
    ) {
        self.caption = caption
        self.columns = columns
        self.rows = rows
        self.sums = sums
        self.style = style
    }

    /// A column.
    package struct Column: Sendable {
        let name: String
        var isNumber = false

        /// The attributes of its cells.
        var attributes: Markup { isNumber ? " class=\"number\"" : "" }

        /// A column of texts.
        package static func text(_ name: String) -> Column { Column(name: name) }

        /// A column of numbers.
        package static func number(_ name: String) -> Column { Column(name: name, isNumber: true) }
    }

    /// The table's HTML.
    package var markup: Markup {
        let head = columns.map { column -> Markup in
            "<th role=\"columnheader\" scope=\"col\"\(column.attributes)>\(column.name)</th>"
        }
        let foot: Markup =
            sums.map { "<tfoot role=\"rowgroup\">\n\(line(of: $0))</tfoot>" } ?? ""
        return """
            <table role="table" class="stack \(style)"><caption>\(caption)</caption>
            <thead role="rowgroup"><tr role="row">\(head)</tr></thead>
            <tbody role="rowgroup">
            \(rows.map(line))</tbody>\(foot)</table>
            """
    }

    private func line(of cells: [Markup]) -> Markup {
        let cells = zip(columns, cells).enumerated().map { index, cell -> Markup in
            let (column, content) = cell
            return index == 0
                ? "<th role=\"rowheader\" scope=\"row\">\(content)</th>"
                : """
                <td role="cell"\(column.attributes)><span class="label" aria-hidden="true">\(column.name)</span>\
                <div>\(content)</div></td>
                """
        }
        return "<tr role=\"row\">\(cells)</tr>\n"
    }

    /// A count in a cell. Nothing is shown of a zero where the screen is narrow.
    package static func cell(count number: Int) -> Markup {
        number == 0 ? "<span class=\"zero\">0</span>" : "\(PageWords.number(number))"
    }
}
