/// How far an export or an import is.
public struct RecordProgress: Sendable, Hashable {
    /// Records that were written or read.
    public internal(set) var records = 0
    /// All of them, where that is known: of an export without deleted records.
    public internal(set) var totalRecords: Int?
    /// Bytes that were written or read.
    public internal(set) var bytes: Int64 = 0
    /// All of them, where that is known: of an import from a file.
    public internal(set) var totalBytes: Int64?

    /// The part that is done, from 0 to 1; nil where no total is known.
    public var part: Double? {
        if let totalBytes { return totalBytes > 0 ? min(1, Double(bytes) / Double(totalBytes)) : 1 }
        return totalRecords.map { $0 > 0 ? min(1, Double(records) / Double($0)) : 1 }
    }
}

/// Counts progress, decides when it is reported, and notices that the task was cancelled.
package struct ProgressMeter {
    /// The present progress.
    package private(set) var progress: RecordProgress

    /// How many records there are between two reports.
    package static let recordsBetweenReports = 1000

    /// Makes a meter at 0.
    package init(totalRecords: Int? = nil, totalBytes: Int64? = nil) {
        progress = RecordProgress(totalRecords: totalRecords, totalBytes: totalBytes)
    }

    /// Counts a record and reports each thousandth one. Throws the error of `report`, or `CancellationError`.
    package mutating func pass(bytes: Int64, report: (RecordProgress) throws -> Void) throws {
        try Task.checkCancellation()
        progress.records += 1
        progress.bytes = bytes
        if progress.records.isMultiple(of: Self.recordsBetweenReports) { try report(progress) }
    }

    /// Reports the end, where all that was done is the total. Throws as `pass` does.
    package mutating func finish(bytes: Int64, report: (RecordProgress) throws -> Void) throws {
        try Task.checkCancellation()
        progress.bytes = bytes
        if progress.totalRecords != nil { progress.totalRecords = progress.records }
        if progress.totalBytes != nil { progress.totalBytes = bytes }
        try report(progress)
    }
}
