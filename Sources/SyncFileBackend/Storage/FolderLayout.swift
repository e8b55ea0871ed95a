import SyncCore

/// The layout of a folder. Keys are made only here, from fixed names, device ids and numbers: the content of a
/// listing or a header never becomes part of a key.
///
/// ```
/// entitysync/00f1e2d3c4b5a697/device.json
///                             snapshot-00000001-00000040-5f0c3a9be1d27846.ndjson
///                             segment-00000041-9d1e66f2a0b34c75.ndjson
/// ```
///
/// A name ends with a tag derived from the content, so that two contents of one number are two files. A device writes
/// only under its own prefix. All names are lower-case, so that a case-insensitive file system cannot confuse them.
enum FolderLayout {
    /// The home folder, as people see it.
    static let home = "entitysync"
    /// The prefix of all keys.
    static let homePrefix = home + "/"
    static let deviceFile = "device.json"

    /// The prefix of a device's keys.
    static func prefix(device: DeviceID) -> String { "\(homePrefix)\(device)/" }

    /// The key of a device's file.
    static func deviceFile(device: DeviceID) -> String { prefix(device: device) + deviceFile }

    /// The key of a segment or snapshot.
    static func key(device: DeviceID, file: NumberedFile) -> String { prefix(device: device) + file.name }

    /// A place for people, relative to the root.
    static func place(device: DeviceID, name: String? = nil) -> String {
        "\(home)/\(device)" + (name.map { "/" + shown(name: $0) } ?? "")
    }

    /// The place of a file of ours.
    static func place(device: DeviceID, file: NumberedFile) -> String { "\(home)/\(device)/\(file.name)" }

    /// A foreign name made printable: one line, no control characters, limited length.
    static func shown(name: String) -> String {
        let scalars = name.unicodeScalars.prefix(120).map { scalar -> Character in
            scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
                || scalar.properties.generalCategory == .lineSeparator
                || scalar.properties.generalCategory == .paragraphSeparator ? "?" : Character(scalar)
        }
        return String(scalars) + (name.unicodeScalars.count > 120 ? "..." : "")
    }
}
