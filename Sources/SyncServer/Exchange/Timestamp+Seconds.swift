import SyncCore

extension Timestamp {
    /// The time some seconds later, clamped to the representable range.
    func adding(seconds: Int64) -> Timestamp {
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflow) = microseconds.addingReportingOverflow(product)
        if isTooLarge || overflow { return Timestamp(microseconds: seconds < 0 ? .min : .max) }
        return Timestamp(microseconds: sum)
    }
}
