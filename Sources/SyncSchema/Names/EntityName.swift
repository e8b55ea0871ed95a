/// The name that a file gives to its entity.
enum EntityName {
    static let suffix = ".schema.json"

    /// The kebab-case name in a path, or nil when the file is not called `<name>.schema.json`.
    static func fromPath(path: String) -> String? {
        let file = path.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? ""
        guard file.utf8.count > suffix.utf8.count,
            ByteKey(String(file.suffix(suffix.count))) == ByteKey(suffix)
        else { return nil }
        let name = String(file.dropLast(suffix.count))
        return isKebabCase(name) ? name : nil
    }

    /// Whether a name consists of words of small letters and digits, joined by single hyphens, a letter first.
    static func isKebabCase(_ name: String) -> Bool {
        guard name.utf8.count <= SwiftNames.maxLength, let first = name.utf8.first,
            (0x61...0x7A).contains(first)
        else { return false }
        let words = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return words.allSatisfy { word in
            !word.isEmpty && word.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
        }
    }

    /// Whether the name would give a table that SQLite or the store keeps for itself.
    static func isReserved(_ name: String) -> Bool {
        name == "sqlite" || name == "sync" || name.hasPrefix("sqlite-") || name.hasPrefix("sync-")
    }

    /// Whether `$id` names the entity: the name itself, or a URI whose last part is the name or the file name.
    static func agrees(id: String, name: String) -> Bool {
        let last = id.split(separator: "/").last.map(String.init) ?? ""
        let stem =
            [suffix, ".json"].first { last.hasSuffix($0) }.map { String(last.dropLast($0.count)) } ?? last
        return ByteKey(stem) == ByteKey(name)
    }
}
