/// The remaining quota of an account during one request. Deletes, and edits that need no more space, always
/// pass.
struct AccountQuota {
    private let maxRecords: Int?
    private let maxBytes: Int?
    /// Records of the account, including those that this request adds.
    private var records: Int
    /// Bytes that the account uses, including those that this request adds.
    private var bytes: Int

    /// Makes the quota of an account from the state of its logs.
    init(policy: ExchangePolicy, state: LogState) {
        (maxRecords, maxBytes) = (policy.maxRecords, policy.maxBytes)
        (records, bytes) = (state.usedRecords ?? 0, state.usedBytes ?? 0)
    }

    /// Charges a version to the quota. Throws `ChangeError` if the quota is exceeded.
    ///
    /// - Parameter replacedBytes: The size of the entry that the version replaces; nil if it replaces none.
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
