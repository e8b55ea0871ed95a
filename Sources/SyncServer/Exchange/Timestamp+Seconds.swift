import SyncCore

extension Timestamp {
    /// The instant some seconds later, or the last or first one that there is.
    func adding(seconds: Int64) -> Timestamp {
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflow) = microseconds.addingReportingOverflow(product)
        if isTooLarge || overflow { return Timestamp(microseconds: seconds < 0 ? .min : .max) }
        return Timestamp(microseconds: sum)
    }
}
