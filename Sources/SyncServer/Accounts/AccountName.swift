import Foundation

/// Account names: validation, the stored form, and the key that detects confusable names.
enum AccountName {
    /// The stored form of a name: composed (NFC), with single spaces between words and none around. Nil if
    /// the name is empty, too long, or has invisible characters.
    static func normalized(name: String) -> String? {
        let composed = name.precomposedStringWithCanonicalMapping
        guard composed.unicodeScalars.allSatisfy(isAllowed) else { return nil }
        let words = composed.split { $0.isWhitespace }
        let text = words.joined(separator: " ")
        guard (1...ServerAccounts.maxNameBytes).contains(text.utf8.count),
            let first = text.unicodeScalars.first,
            isVisible(first)
        else { return nil }
        return text
    }

    /// A key that is equal for confusable names. It ignores case, compatibility forms (`ａ` and `a`),
    /// invisible marks, and letters of other scripts that look like Latin ones. The file of the accounts stores it:
    /// another rule needs a new format, which makes all keys anew.
    static func key(name: String) -> String {
        var key = ""
        for scalar in name.precomposedStringWithCompatibilityMapping.lowercased().unicodeScalars
        where !scalar.properties.isDefaultIgnorableCodePoint {
            key.unicodeScalars.append(lookalikes[scalar] ?? scalar)
        }
        return key.precomposedStringWithCompatibilityMapping
    }

    /// Allows joiners and variation selectors, which some scripts need, but no other invisible marks.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        case .format: scalar.value == 0x200c || scalar.value == 0x200d
        default: !scalar.properties.isDefaultIgnorableCodePoint || (0xfe00...0xfe0f).contains(scalar.value)
        }
    }

    /// Whether the scalar is visible when it stands alone.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: false
        // The blank Braille pattern.
        default: !scalar.properties.isDefaultIgnorableCodePoint && scalar.value != 0x2800
        }
    }

    /// Maps letters of other scripts to the lowercase Latin letters that they, or their capitals, look like.
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
