/// Makes words of Arabic and Hebrew script equal that people take for the same.
///
/// The letters are those of Lucene's Arabic and Persian normalizers, the digits those of its digit filter. Words of other
/// scripts are left as they are.
enum WordFolding {
    /// Whether a word may hold such letters or marks, by its bytes in UTF-8: from U+0580 to U+06FF or U+0800 to U+0FFF.
    static func concerns(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
        word.contains { (0xd6...0xdb).contains($0) || $0 == 0xe0 }
    }

    /// Appends a word's folded form. It is empty for nothing but marks.
    static func append(_ word: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        for scalar in String(decoding: word, as: UTF8.self).unicodeScalars where !isMark(scalar.value) {
            if let encoded = UTF8.encode(letter(scalar)) { bytes.append(contentsOf: encoded) }
        }
    }

    /// Vowel signs, cantillation marks, and the sign that stretches a word.
    private static func isMark(_ value: UInt32) -> Bool {
        switch value {
        case 0x0591...0x05bd, 0x05bf, 0x05c1...0x05c2, 0x05c4...0x05c5, 0x05c7: true
        case 0x0610...0x061a, 0x0640, 0x064b...0x065f, 0x0670: true
        case 0x06d6...0x06dc, 0x06df...0x06e4, 0x06e7...0x06e8, 0x06ea...0x06ed: true
        case 0x08d3...0x08e1, 0x08e3...0x08ff: true
        default: false
        }
    }

    private static func letter(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        // Alef with hamza, madda or wasla.
        case 0x0622, 0x0623, 0x0625, 0x0671: "\u{0627}"
        // Alef maksura and Farsi yeh.
        case 0x0649, 0x06cc: "\u{064a}"
        // Teh marbuta.
        case 0x0629: "\u{0647}"
        // Keheh.
        case 0x06a9: "\u{0643}"
        case 0x0660...0x0669: Unicode.Scalar(UInt8(scalar.value - 0x0660) + UInt8(ascii: "0"))
        case 0x06f0...0x06f9: Unicode.Scalar(UInt8(scalar.value - 0x06f0) + UInt8(ascii: "0"))
        default: scalar
        }
    }
}
