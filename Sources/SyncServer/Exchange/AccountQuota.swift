/// What an account may still store, for one request. A delete is always taken, and so is an edit that needs no more space.
struct AccountQuota {
    private let maxRecords: Int?
    private let maxBytes: Int?
    /// Records that the account has, those that this request adds included.
    private var records: Int
    /// Bytes that the account uses, and that this request adds.
    private var bytes: Int

    /// The quota of an account whose logs were found in some state.
    init(policy: ExchangePolicy, state: LogState) {
        (maxRecords, maxBytes) = (policy.maxRecords, policy.maxBytes)
        (records, bytes) = (state.usedRecords ?? 0, state.usedBytes ?? 0)
    }

    /// Takes what a version needs. Throws `ChangeError` where that is more than there is.
    ///
    /// - Parameter replacedBytes: The size of the entry that it replaces; nil where it replaces none.
    mutating func take(_ version: NewVersion, replacedBytes: Int?) throws {
        let growth = version.entry.count - (replacedBytes ?? 0)
        if let maxBytes {
            guard version.isDeleted || growth <= 0 || bytes + growth <= maxBytes else {
                throw ChangeError.tooManyBytes
            }
            bytes += growth
        }
        guard let maxRecords, replacedBytes == nil else { return }
        guard version.isDeleted || records < maxRecords else { throw ChangeError.tooManyRecords }
        records += 1
    }
}
