/// Small helpers for the sentences of the catalogue.
extension String {
    /// The text with everything escaped that could forge a line or hide itself in a terminal or a log.
    var visible: String {
        guard unicodeScalars.contains(where: \.isHidden) else { return self }
        var shown = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isHidden {
                shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                shown.append(scalar)
            }
        }
        return String(shown)
    }

    /// The text in single quotes, visible, and cut at 60 characters.
    var quoted: String {
        let head = String(String.UnicodeScalarView(unicodeScalars.prefix(60)))
        let isCut = unicodeScalars.dropFirst(60).first != nil
        return "'\(head.visible)\(isCut ? "..." : "")'"
    }
}

extension Unicode.Scalar {
    /// Whether the scalar does not show as itself: control and format characters (also those that turn the
    /// direction of text), line separators, private and unassigned ones.
    var isHidden: Bool {
        if value >= 0x20 && value < 0x7F { return false }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            return true
        default: return false
        }
    }
}

extension Sequence<String> {
    /// The texts quoted, with commas and a last "or": `'a', 'b' or 'c'`.
    var alternatives: String {
        let quoted = map(\.quoted)
        guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "" }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
    }
}

/// "did you mean 'x'?" when a known name is near, else the given advice.
///
/// NB: among more than 500 names it does not search, so that a thousand findings cannot take long.
func suggestion(for name: String, among known: some Collection<String>, otherwise: String) -> String {
    guard known.count <= 500, let near = NearestName.find(name, among: known) else { return otherwise }
    return "did you mean \(near.quoted)?"
}
