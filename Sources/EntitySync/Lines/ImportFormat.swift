import SyncCore

/// How a file holds the records that are imported.
public enum ImportFormat: String, Sendable, Hashable, CaseIterable {
    /// One JSON object on each line, as an export writes them.
    case lines
    /// One JSON array of objects. It is read in pieces, however long it is.
    case array
    /// Rows of cells with commas between them, as RFC 4180 has them; the first row names the fields.
    case csv
}

extension ImportFormat {
    /// Calls `visit` with each part of the source that holds a record, and of rows also with the first, which names the
    /// fields. Returns the bytes of the source. Throws `SyncError` where the parts cannot be told apart.
    func forEachPart(of source: any LineSource, visit: (LineReader.Line) throws -> Void) throws -> Int64 {
        switch self {
        case .lines: try LineReader(source).forEach(visit: visit)
        case .array: try PartReader(source).forEach(grammar: ArrayGrammar(), visit: visit)
        case .csv: try PartReader(source).forEach(grammar: RowGrammar(), visit: visit)
        }
    }
}
