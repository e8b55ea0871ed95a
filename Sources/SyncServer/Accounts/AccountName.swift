import Foundation

/// The names of accounts: what may be one, how it is written down, and which ones people take for the same.
enum AccountName {
    /// The name as it is stored: composed (NFC), with single blanks between words and none around. Nil for one that is
    /// empty, too long, or holds what cannot be seen.
    static func normalized(name: String) -> String? {
        let composed = name.precomposedStringWithCanonicalMapping
        guard composed.unicodeScalars.allSatisfy(isAllowed) else { return nil }
        let words = composed.split { $0.isWhitespace }
        let text = words.joined(separator: " ")
        guard (1...AccountBook.maxNameBytes).contains(text.utf8.count), let first = text.unicodeScalars.first,
            isVisible(first)
        else { return nil }
        return text
    }

    /// Equal for names that people take for the same: without regard to case, to compatible forms (`ａ` and `a`), to marks
    /// that cannot be seen, and to letters of other scripts that look like Latin ones.
    static func key(name: String) -> String {
        var key = ""
        for scalar in name.precomposedStringWithCompatibilityMapping.lowercased().unicodeScalars
        where !scalar.properties.isDefaultIgnorableCodePoint {
            key.unicodeScalars.append(lookalikes[scalar] ?? scalar)
        }
        return key.precomposedStringWithCompatibilityMapping
    }

    /// Joiners and selectors are part of how some scripts are written; other marks that cannot be seen are not.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        case .format: scalar.value == 0x200c || scalar.value == 0x200d
        default: !scalar.properties.isDefaultIgnorableCodePoint || (0xfe00...0xfe0f).contains(scalar.value)
        }
    }

    /// Whether something can be seen of it that stands alone.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: false
        // The empty cell of Braille.
        default: !scalar.properties.isDefaultIgnorableCodePoint && scalar.value != 0x2800
        }
    }

    /// Small letters that look like Latin ones, or whose capitals do.
    private static let lookalikes: [Unicode.Scalar: Unicode.Scalar] = {
        let pairs: [(String, String)] = [
            ("авеһіјкмнорѕтухԁԛԝӏ", "abehijkmhopstyxdqwl"), ("αβεζικμνορτυχ", "abezikmvoptux"), ("ıɡ", "ig"),
        ]
        var table: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (others, latin) in pairs {
            for (other, letter) in zip(others.unicodeScalars, latin.unicodeScalars) { table[other] = letter }
        }
        return table
    }()
}
