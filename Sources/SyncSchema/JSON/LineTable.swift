/// The starts of the lines in a text. A line ends with LF, CRLF or a lone CR.
struct LineTable {
    private let starts: [Int]

    /// Finds the line ends from the offset at which the text starts.
    init(bytes: UnsafeBufferPointer<UInt8>, start: Int) {
        var starts = [start]
        for index in start..<bytes.count {
            let isLineFeed = bytes[index] == 0x0A
            guard isLineFeed || bytes[index] == 0x0D else { continue }
            let endsPair = isLineFeed && index > start && bytes[index - 1] == 0x0D
            if endsPair { starts.removeLast() }
            starts.append(index + 1)
        }
        self.starts = starts
    }

    /// The line and column of a byte.
    func position(of offset: Int) -> Position {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return Position(
            line: Int32(clamping: low + 1),
            column: Int32(clamping: offset - starts[low] + 1)
        )
    }
}
