package import SyncCore

/// Bytes that are read once, from the beginning to the end.
package protocol LineSource {
    /// How many bytes there are; nil if that is not known.
    var totalBytes: Int64? { get }
    /// Appends at most `count` bytes and returns their number; 0 at the end.
    func read(into bytes: inout [UInt8], count: Int) throws -> Int
    /// The error for a line of more than `maxBytes`.
    func lineTooLong(number: Int, maxBytes: Int) -> SyncError
}
