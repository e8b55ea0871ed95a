/// Rows of one entity by their numbers, a bit for each.
struct PushedRows {
    /// Bits by the number of their first row, divided by that of a chunk's rows.
    private var chunks: [Int64: [UInt64]] = [:]
    private static let words: Int64 = 512

    mutating func insert(_ row: Int64) {
        let (chunk, word, bit) = Self.place(row: row)
        chunks[chunk, default: Array(repeating: 0, count: Int(Self.words))][word] |= bit
    }

    mutating func remove(_ row: Int64) {
        let (chunk, word, bit) = Self.place(row: row)
        chunks[chunk]?[word] &= ~bit
    }

    func contains(_ row: Int64) -> Bool {
        let (chunk, word, bit) = Self.place(row: row)
        return chunks[chunk].map { $0[word] & bit != 0 } ?? false
    }

    private static func place(row: Int64) -> (chunk: Int64, word: Int, bit: UInt64) {
        // NB: shifts round down, so that a negative number has a place, too.
        let word = row >> 6
        return (word >> 9, Int(word & (words - 1)), 1 << UInt64(row & 63))
    }
}
