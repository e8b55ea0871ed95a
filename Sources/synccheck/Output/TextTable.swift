/// A text table: the first column is left-aligned, the others right-aligned.
struct TextTable {
    private var rows: [[String]]

    init(_ headings: [String]) {
        rows = [headings]
    }

    /// Adds a row with one cell per heading.
    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    /// The table, one line per row.
    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + space : "  " + space + cell
            }.joined() + "\n"
        }.joined()
    }
}
