/// The characters of a text in UTF-8 that belong to a script without spaces between words, as byte ranges.
struct UnspacedCharacters: Sequence, IteratorProtocol {
    private let text: UnsafeBufferPointer<UInt8>
    private var place = 0

    init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

    mutating func next() -> Range<Int>? {
        while place < text.count {
            let lead = text[place]
            // All of them are from U+0E00 on, in three bytes or four.
            guard lead >= 0xe0 else {
                place += 1
                continue
            }
            let start = place
            let count = lead >= 0xf0 ? 4 : 3
            guard start + count <= text.count else {
                place = text.count
                return nil
            }
            place += count
            let bits = UInt32(lead) & (count == 4 ? 0x07 : 0x0f)
            let value = text[(start + 1)..<place].reduce(bits) { $0 << 6 | UInt32($1 & 0x3f) }
            if Self.contains(value) { return start..<place }
        }
        return nil
    }

    /// Unicode's blocks of these scripts.
    private static func contains(_ value: UInt32) -> Bool {
        switch value {
        // Thai, Lao; Myanmar; Khmer.
        case 0x0e00...0x0eff, 0x1000...0x109f, 0x1780...0x17ff: true
        // Hangul letters and syllables.
        case 0x1100...0x11ff, 0xac00...0xd7a3: true
        // Hiragana and Katakana, without the signs between words.
        case 0x3041...0x309f, 0x30a1...0x30fa, 0x30fc...0x30ff, 0x31f0...0x31ff, 0xff66...0xff9f: true
        // Han.
        case 0x3005...0x3007, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xf900...0xfaff, 0x20000...0x323af: true
        default: false
        }
    }
}
