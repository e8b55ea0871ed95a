/// The name of an entity, from its file.
enum EntityName {
    static let suffix = ".schema.json"

    /// The kebab-case name from a path; nil if the file is not named `<name>.schema.json`.
    static func fromPath(path: String) -> String? {
        let file = path.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? ""
        guard file.utf8.count > suffix.utf8.count,
            ByteKey(String(file.suffix(suffix.count))) == ByteKey(suffix)
        else { return nil }
        let name = String(file.dropLast(suffix.count))
        return isKebabCase(name) ? name : nil
    }

    /// Whether a name consists of lowercase letters, digits and single hyphens between words, and starts with
    /// a letter.
    static func isKebabCase(_ name: String) -> Bool {
        guard name.utf8.count <= SwiftNames.maxLength, let first = name.utf8.first,
            (0x61...0x7A).contains(first)
        else { return false }
        let words = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return words.allSatisfy { word in
            !word.isEmpty && word.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
        }
    }

    /// Whether the name's table would be one that SQLite or the store reserves.
    static func isReserved(_ name: String) -> Bool {
        name == "sqlite" || name == "sync" || name.hasPrefix("sqlite-") || name.hasPrefix("sync-")
    }

    /// Whether `$id` matches the entity: as its name, or as a URI whose last part is the name or the file name.
    static func agrees(id: String, name: String) -> Bool {
        let last = id.split(separator: "/").last.map(String.init) ?? ""
        let stem =
            [suffix, ".json"].first { last.hasSuffix($0) }.map { String(last.dropLast($0.count)) } ?? last
        return ByteKey(stem) == ByteKey(name)
    }
}
