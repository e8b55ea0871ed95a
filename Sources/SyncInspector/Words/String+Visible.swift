import SyncPages

extension String {
    /// The text of a name, with what nobody can see written as `\u{…}`.
    package var namedVisibly: String {
        guard unicodeScalars.contains(where: \.isInvisible) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isInvisible {
                text.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }
}
