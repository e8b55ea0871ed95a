import SyncCore

/// Where everything stands in the folder. Keys are made here and nowhere else, from fixed names, device ids and numbers
/// only: what a listing or a header says never becomes part of a key.
///
///     entitysync/00f1e2d3c4b5a697/device.json
///                                 snapshot-00000001-00000040-5f0c3a9be1d27846.ndjson
///                                 segment-00000041-9d1e66f2a0b34c75.ndjson
///
/// A name ends with a tag that follows from the content, so that two contents of one number are two files.
/// A device writes under its own prefix only. All names are lower-case, so that a file system that ignores case cannot
/// confuse two of them.
enum FolderLayout {
    /// The folder that holds all others, as people see it.
    static let home = "entitysync"
    /// The prefix of all keys.
    static let homePrefix = home + "/"
    static let deviceFile = "device.json"
    /// What an unfinished atomic write leaves behind begins with this.
    static let temporaryPrefix = ".tmp-"

    /// The prefix of a device's keys.
    static func prefix(device: DeviceID) -> String { "\(homePrefix)\(device)/" }

    /// The key of a device's description of itself.
    static func deviceFile(device: DeviceID) -> String { prefix(device: device) + deviceFile }

    /// The key of a segment or snapshot.
    static func key(device: DeviceID, file: NumberedFile) -> String { prefix(device: device) + file.name }

    /// A place for people, relative to the root.
    static func place(device: DeviceID, name: String? = nil) -> String {
        "\(home)/\(device)" + (name.map { "/" + shown(name: $0) } ?? "")
    }

    /// The place of a file of ours.
    static func place(device: DeviceID, file: NumberedFile) -> String { "\(home)/\(device)/\(file.name)" }

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
