package import SyncCore

/// What the names in the folder say: one listing per device, and what was skipped. No file was opened for it.
struct FolderScan: Sendable {
    /// Devices, ascending.
    var devices: [DeviceListing] = []
    /// What was skipped beside the device folders.
    var problems: [RemoteDiagnostic] = []

    /// The listing of a device, if it has a folder.
    subscript(device: DeviceID) -> DeviceListing? {
        devices.first { $0.device == device }
    }
}

/// The names in one device's folder.
struct DeviceListing: Sendable {
    /// The device.
    var device: DeviceID
    /// Segments and snapshots, the widest first among those that begin alike.
    var files: [NumberedFile] = []
    /// Segments and snapshots that stand in the cloud only.
    var placeholders: [NumberedFile] = []
    /// Whether `device.json` stands there.
    var hasDeviceFile = false
    /// Whether `device.json` stands in the cloud only.
    var hasDevicePlaceholder = false
    /// What cut-off writes left behind.
    var leftovers: [String] = []
    /// What was skipped.
    var problems: [RemoteDiagnostic] = []

    /// The numbers that stand there by name, in the cloud or on this disk.
    var numbers: NumberSet {
        var numbers = NumberSet()
        for file in files { numbers.insert(file.range) }
        for file in placeholders { numbers.insert(file.range) }
        return numbers
    }
}

/// Reads the folder's names and files.
struct FolderReader: Sendable {
    let layout: FolderLayout
    let files: any FileSystem
    let limits: FolderLimits

    /// Lists all device folders. The folder that holds them must be there.
    func scan() throws -> FolderScan {
        var scan = FolderScan()
        var foreign = ForeignNames(place: FolderLayout.home)
        for name in try files.list(path: layout.home) {
            if let device = DeviceID(name) {
                try add(device, to: &scan)
            } else if let device = DeviceID(name.lowercased()) {
                scan.problems.append(.renamed(place: layout.place(device: device), hides: true))
            } else if let hidden = Self.placeholder(name: name), let device = DeviceID(hidden) {
                scan.problems.append(.placeholder(place: layout.place(device: device), hides: true))
            } else {
                foreign.add(name)
            }
        }
        scan.problems += foreign.problems
        return scan
    }

    private func add(_ device: DeviceID, to scan: inout FolderScan) throws {
        do {
            switch try files.kind(path: layout.folder(device: device)) {
            case .folder: scan.devices.append(try list(device: device))
            case .link: scan.problems.append(.link(place: layout.place(device: device)))
            case .file, .other: scan.problems.append(.notAFolder(place: layout.place(device: device)))
            case nil: break
            }
        } catch let problem as FileError where problem.kind != .notFound {
            scan.problems.append(.unreadable(place: layout.place(device: device), problem: problem))
        }
    }

    /// Lists one device's folder.
    func list(device: DeviceID) throws -> DeviceListing {
        var listing = DeviceListing(device: device)
        var foreign = ForeignNames(place: layout.place(device: device))
        let names = try files.list(path: layout.folder(device: device))
        for name in names {
            if name == FolderLayout.deviceFile {
                listing.hasDeviceFile = true
            } else if let file = NumberedFile(name: name) {
                listing.files.append(file)
            } else if name.hasPrefix(FolderLayout.temporaryPrefix) {
                listing.leftovers.append(name)
                listing.problems.append(.temporaryFile(place: layout.place(device: device, name: name)))
            } else if let hidden = Self.placeholder(name: name), let file = NumberedFile(name: hidden) {
                listing.placeholders.append(file)
            } else if Self.placeholder(name: name) == FolderLayout.deviceFile {
                listing.hasDevicePlaceholder = true
            } else if Self.isOurs(name.lowercased()) {
                let isThere = names.contains(name.lowercased())
                listing.problems.append(
                    .renamed(place: layout.place(device: device, name: name), hides: !isThere)
                )
            } else {
                foreign.add(name)
            }
        }
        listing.problems += foreign.problems
        listing.files.sort {
            ($0.range.lowerBound, -$0.range.upperBound) < ($1.range.lowerBound, -$1.range.upperBound)
        }
        return listing
    }

    private static func isOurs(_ name: String) -> Bool {
        name == FolderLayout.deviceFile || NumberedFile(name: name) != nil
    }

    /// The name that an iCloud placeholder (`.name.icloud`) stands for.
    private static func placeholder(name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(".icloud") else { return nil }
        return String(name.dropFirst().dropLast(7))
    }
}

/// Names that are not ours, told one by one up to a limit.
private struct ForeignNames {
    let place: String
    private var names: [String] = []
    private static let limit = 20

    init(place: String) {
        self.place = place
    }

    mutating func add(_ name: String) { names.append(name) }

    var problems: [RemoteDiagnostic] {
        var problems = names.prefix(Self.limit).map {
            RemoteDiagnostic.foreignFile(place: "\(place)/\(FolderLayout.shown(name: $0))")
        }
        if names.count > Self.limit {
            problems.append(.moreForeignFiles(count: names.count - Self.limit, place: place))
        }
        return problems
    }
}

/// Limits of reading and writing a folder.
package struct FolderLimits: Sendable {
    /// A larger file is not read, and none is written.
    package var maxFileBytes = 1 << 30
    /// A larger file is read in pieces of this size; one entry alone may be larger.
    package var pieceBytes = 8 << 20
    /// What is new is handed on once this many bytes of files were read.
    package var roundBytes = 8 << 20
    /// The most changes, and bytes of their bodies, of one segment; one change alone may be larger.
    package var pushLimit = PushLimit(changes: 10_000, bytes: 4 << 20)
    /// The most bytes that are held of all files that are merged, and of each.
    package var mergeBytes = 32 << 20
    package var mergePieceBytes = 256 << 10
    /// Items of one page.
    package var pageItems = 5_000
    /// Body bytes of one page.
    package var pageBytes = 8 << 20
    /// More own files than this are merged into a snapshot, large ones not counted.
    package var maxOwnFiles = 8
    /// A file of this many bytes is large, as all segments of a long push are but the last.
    package var largeBytes = 1 << 20
    /// Entries of other devices are looked through for tombstones that may go only once the folder has doubled, and
    /// has grown by this many bytes.
    package var collectBytes: Int64 = 1 << 20
    /// How far numbers jump when a store joins again and does not know what it had used.
    package var numberJump: Int64 = 1_000_000

    /// The usual ones.
    package init() {}
}
