extension String {
    /// Whether both texts have the same bytes. `==` would also hold for two spellings that look alike.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let order = withBoth(other: other) { one, two in
            for index in 0..<one.count where one[index] != two[index] { return false }
            return true
        }
        return order ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether this text precedes the other one in byte order.
    package func precedesByBytes(other: String) -> Bool {
        let order = withBoth(other: other) { one, two in
            for index in 0..<min(one.count, two.count) where one[index] != two[index] {
                return one[index] < two[index]
            }
            return one.count < two.count
        }
        return order ?? utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Nil if a text is not contiguous in memory.
    @inline(__always)
    private func withBoth<Result>(
        other: String,
        body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result? {
        utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { body(one, $0) }
        } ?? nil
    }
}
