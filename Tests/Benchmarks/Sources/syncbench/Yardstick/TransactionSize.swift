/// How large the transactions of the bound are: as large as those of the product, which grow from one page to 5,000 records
/// or 8 MiB.
struct TransactionSize {
    private var records = 0
    private var bytes = 0
    private var limit = 1

    /// Whether the present transaction is large enough.
    var isFull: Bool { records >= limit || bytes >= 8 << 20 }

    /// Counts a page in.
    mutating func add(records: Int, bytes: Int) {
        self.records += records
        self.bytes += bytes
    }

    /// Begins the next transaction.
    mutating func begin() {
        limit = min(5000, max(limit, records) * 2)
        (records, bytes) = (0, 0)
    }
}
