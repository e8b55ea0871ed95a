import SyncCore

/// Finds the rows of a file of comma-separated values (RFC 4180). A line feed inside quotation marks ends no row.
/// Blank lines are no rows.
struct RowGrammar: PartGrammar {
    private var cell: CellState?
    /// The line on which the present row began.
    private var firstLine = 1

    mutating func take(byte: UInt8, line: Int) throws -> PartBoundary {
        guard let cell else {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return .none }
            (self.cell, firstLine) = (CellState.start.after(byte: byte), line)
            return .begins
        }
        if byte == UInt8(ascii: "\n"), cell != .quoted {
            self.cell = nil
            return .endsBefore
        }
        self.cell = cell.after(byte: byte)
        return .none
    }

    func end(line: Int) throws -> Bool {
        if cell == .quoted { throw SyncError.openQuotation(line: firstLine) }
        return cell != nil
    }
}

/// Where a byte stands in its cell.
private enum CellState {
    /// Before the first byte of a cell.
    case start
    /// In a cell without quotation marks, or behind those that ended.
    case plain
    /// Inside quotation marks.
    case quoted
    /// After a quotation mark inside of others: it ends them, or stands for itself if another one follows.
    case closing

    func after(byte: UInt8) -> CellState {
        switch (self, byte) {
        case (.quoted, UInt8(ascii: "\"")): .closing
        case (.quoted, _), (.start, UInt8(ascii: "\"")), (.closing, UInt8(ascii: "\"")): .quoted
        case (_, UInt8(ascii: ",")): .start
        default: .plain
        }
    }
}

/// The cells of a row.
struct CellRow {
    /// A cell.
    struct Cell {
        /// The text without the quotation marks around it.
        var text: [UInt8] = []
        /// Whether it stood in quotation marks: then it is text, also if it is empty.
        var isQuoted = false
    }

    private(set) var cells: [Cell] = []
    /// Whether quotation marks stand where RFC 4180 has none.
    private(set) var isMalformed = false
    /// Where the second cell begins.
    private(set) var second: Int

    /// Reads a row, without its line feed.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        let count = bytes.last == UInt8(ascii: "\r") ? bytes.count - 1 : bytes.count
        second = count
        var (cell, state) = (Cell(), CellState.start)
        for (index, byte) in bytes.prefix(count).enumerated() {
            let next = state.after(byte: byte)
            switch (state, next) {
            case (_, .start):
                if cells.isEmpty { second = index + 1 }
                cells.append(cell)
                cell = Cell()
            case (.start, .quoted): cell.isQuoted = true
            case (_, .closing): break
            case (_, .quoted), (.start, .plain): cell.text.append(byte)
            case (_, .plain):
                isMalformed = isMalformed || state == .closing || byte == UInt8(ascii: "\"")
                cell.text.append(byte)
            }
            state = next
        }
        cells.append(cell)
    }
}
