import Foundation

/// Unique Swift case names for the values of one enum.
struct EnumCaseNames {
    private var taken: Set<String> = []

    /// Makes a unique case name for a value: `in-progress` and `IN_PROGRESS` become `inProgress`, and `1st`
    /// becomes `value1st`. A value without ASCII letters or digits becomes `value` with its position from 1.
    mutating func claim(_ value: String, position: Int) -> String {
        // Accents are removed, so `café` becomes `cafe`. Characters without an ASCII base separate words.
        let plain = value.utf8.count <= 256 ? value.decomposedStringWithCanonicalMapping : ""
        let ascii = String(
            String.UnicodeScalarView(
                plain.unicodeScalars.filter { $0.properties.canonicalCombiningClass == .notReordered }
                    .map { $0.isASCII ? $0 : " " }
            )
        )
        var name = Words.lowerCamelCase(ascii)
        if name.isEmpty { name = "value\(position)" }
        if name.utf8.first.map({ (0x30...0x39).contains($0) }) ?? false {
            name = "value" + Words.upperFirst(word: name)
        }
        name = String(name.prefix(SwiftNames.maxLength))
        if SwiftNames.reservedCases.contains(name) { name += "Value" }
        return unique(name: name)
    }

    private mutating func unique(name: String) -> String {
        if taken.insert(name).inserted { return name }
        let separator = name.utf8.last.map { (0x30...0x39).contains($0) } ?? false ? "_" : ""
        var number = 2
        while !taken.insert("\(name)\(separator)\(number)").inserted { number += 1 }
        return "\(name)\(separator)\(number)"
    }
}
