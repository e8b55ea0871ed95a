import SyncCore

/// Where everything stands in the folder. Paths are made here and nowhere else, from fixed names, device ids and
/// numbers only: what a listing, a key or a header says never becomes part of a path.
///
///     <root>/entitysync/00f1e2d3c4b5a697/device.json
///                                        snapshot-00000001-00000040-5f0c3a9be1d27846.ndjson
///                                        segment-00000041-9d1e66f2a0b34c75.ndjson
///
/// A name ends with a tag that follows from the content, so that two contents of one number are two files.
/// A device writes in its own folder only. All names are lower-case, so that a file system that ignores case cannot
/// confuse two of them.
struct FolderLayout: Sendable {
    /// The folder that the user chose, without a slash at its end.
    let root: String

    /// Takes the user's path.
    init(root: String) {
        var root = root
        while root.utf8.count > 1, root.utf8.last == UInt8(ascii: "/") { root.removeLast() }
        self.root = root.isEmpty ? "." : root
    }

    static let home = "entitysync"
    static let deviceFile = "device.json"
    /// What an unfinished atomic write leaves behind begins with this.
    static let temporaryPrefix = ".tmp-"

    var home: String { root == "/" ? "/\(Self.home)" : "\(root)/\(Self.home)" }

    /// The folder that holds the root.
    var parent: String {
        guard let slash = root.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == root.utf8.startIndex ? "/" : String(root[..<slash])
    }

    func folder(device: DeviceID) -> String { "\(home)/\(device)" }

    func deviceFile(device: DeviceID) -> String { "\(folder(device: device))/\(Self.deviceFile)" }

    func path(device: DeviceID, file: NumberedFile) -> String { "\(folder(device: device))/\(file.name)" }

    /// A place for people, relative to the root.
    func place(device: DeviceID, name: String? = nil) -> String {
        "\(Self.home)/\(device)" + (name.map { "/" + FolderLayout.shown(name: $0) } ?? "")
    }

    /// The place of a file of ours.
    func place(device: DeviceID, file: NumberedFile) -> String { "\(Self.home)/\(device)/\(file.name)" }

    /// A foreign name fit to be printed: one line, no control characters, not endless.
    static func shown(name: String) -> String {
        let scalars = name.unicodeScalars.prefix(120).map { scalar -> Character in
            scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
                || scalar.properties.generalCategory == .lineSeparator
                || scalar.properties.generalCategory == .paragraphSeparator ? "?" : Character(scalar)
        }
        return String(scalars) + (name.unicodeScalars.count > 120 ? "..." : "")
    }
}

/// A segment or snapshot, known by its name only.
package struct NumberedFile: Sendable, Hashable {
    /// The numbers that it stands for.
    var range: ClosedRange<Int64>
    /// Whether it is a snapshot.
    var isSnapshot: Bool
    /// What tells its content from others of these numbers: 16 hexadecimal digits. Nil in names of earlier versions.
    var tag: String?

    /// A segment.
    init(number: Int64, tag: String? = nil) {
        range = number...number
        isSnapshot = false
        self.tag = tag
    }

    /// A snapshot.
    init(snapshot range: ClosedRange<Int64>, tag: String? = nil) {
        self.range = range
        isSnapshot = true
        self.tag = tag
    }

    /// The tag of a content with this fingerprint.
    static func tag(of digest: Digest) -> String { String(digest.description.prefix(tagDigits)) }

    /// The tag as `TagNotes` notes it: with a star for a snapshot, which says nothing new of its numbers.
    var notedTag: String? { tag.map { isSnapshot ? $0 + "*" : $0 } }

    /// Whether a text may be a tag.
    static func isTag(_ text: some StringProtocol) -> Bool {
        text.utf8.count == tagDigits
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static let tagDigits = 16

    /// Its file name.
    package var name: String {
        let numbers =
            isSnapshot
            ? "snapshot-\(Self.digits(number: range.lowerBound))-\(Self.digits(number: range.upperBound))"
            : "segment-\(Self.digits(number: range.lowerBound))"
        return numbers + (tag.map { "-" + $0 } ?? "") + ".ndjson"
    }

    /// Reads exactly what `name` writes; nil for anything else.
    package init?(name: String) {
        guard name.hasSuffix(".ndjson") else { return nil }
        let parts = name.dropLast(7).split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.first == "snapshot" ? 2 : 1
        guard parts.count == 1 + numbers || parts.count == 2 + numbers, let first = Int64(parts[1]), first > 0
        else { return nil }
        let tag = parts.count == 2 + numbers ? String(parts[1 + numbers]) : nil
        if let tag, !Self.isTag(tag) { return nil }
        if numbers == 1 {
            self.init(number: first, tag: tag)
        } else {
            guard let last = Int64(parts[2]), first <= last else { return nil }
            self.init(snapshot: first...last, tag: tag)
        }
        guard range.upperBound <= Self.maxNumber, self.name.utf8.elementsEqual(name.utf8) else { return nil }
    }

    /// Far above what a device can publish, and far below where adding one would overflow.
    static let maxNumber: Int64 = 1_000_000_000_000_000

    private static func digits(number: Int64) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 8 - text.utf8.count)) + text
    }
}
