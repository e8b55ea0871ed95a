/// Helpers for the sentences of diagnostics.
extension String {
    /// The text with all characters escaped that could forge a line or hide in a terminal or log.
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

    /// The text in single quotes, escaped, and cut at 60 characters.
    var quoted: String {
        let head = String(String.UnicodeScalarView(unicodeScalars.prefix(60)))
        let isCut = unicodeScalars.dropFirst(60).first != nil
        return "'\(head.visible)\(isCut ? "..." : "")'"
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is not shown as itself: control and format characters (including direction
    /// overrides), line separators, private-use and unassigned scalars.
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
    /// The texts quoted and joined with commas and a final "or": `'a', 'b' or 'c'`.
    var alternatives: String {
        let quoted = map(\.quoted)
        guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "" }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
    }
}

/// "did you mean 'x'?" if a known name is similar, otherwise the given advice.
///
/// Among more than 500 names it does not search, so that a thousand diagnostics stay fast.
func suggestion(for name: String, among known: some Collection<String>, otherwise: String) -> String {
    guard known.count <= 500, let near = NearestName.find(name, among: known) else { return otherwise }
    return "did you mean \(near.quoted)?"
}
