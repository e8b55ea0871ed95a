import SyncCore
import SyncSQLite

/// The order of decimals by value. Their columns hold text.
enum DecimalCollation {
    /// The order's name in SQL.
    static let name = "sync_decimal"
}

extension Connection {
    /// Adds what the SQL of queries needs beside SQLite's own functions. The file itself needs none of it, so that any
    /// program can open it.
    func addQueryFunctions() throws(SQLiteError) {
        try addFunction(name: FoldedText.function) { text, options in
            FoldedText.folded(text, ignoring: StoreQuery.TextFolding(rawValue: Int(options)))
        }
        try addOrder(name: DecimalCollation.name) { DecimalText.isLess(left: $0, right: $1) }
    }
}
