import SyncCore

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
    /// What stands under the names of `files`.
    var kinds: [NumberedFile: ObjectKind] = [:]

    /// The bytes of a segment or snapshot; nil where something else stands under its name.
    func bytes(of file: NumberedFile) -> Int? {
        if case .object(let bytes) = kinds[file] { bytes } else { nil }
    }

    /// The bytes of all segments and snapshots.
    var bytes: Int { files.reduce(0) { $0 + (bytes(of: $1) ?? 0) } }

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
    let storage: any ObjectStorage
    let limits: FolderLimits

    /// Lists all device folders; nil where nothing stands in the folder.
    func scan() async throws -> FolderScan? {
        guard let entries = try await storage.list(prefix: FolderLayout.homePrefix) else { return nil }
        let listings = try await storage.concurrentMap(entries.compactMap { $0.device }) { device in
            try await attempt(device: device)
        }
        var found: [DeviceID: Result<DeviceListing?, StorageError>] = [:]
        for (device, listing) in zip(entries.compactMap(\.device), listings) { found[device] = listing }
        return scan(of: entries, listings: found)
    }

    /// What the entries below the home prefix and the listings of their folders say together.
    private func scan(
        of entries: [ObjectEntry],
        listings: [DeviceID: Result<DeviceListing?, StorageError>]
    ) -> FolderScan {
        var scan = FolderScan()
        var foreign = ForeignNames(place: FolderLayout.home)
        for entry in entries {
            if let device = DeviceID(entry.name) {
                let place = FolderLayout.place(device: device)
                switch (entry.kind, listings[device]) {
                case (.link, _): scan.problems.append(.link(place: place))
                case (.object, _), (.other, _): scan.problems.append(.notAFolder(place: place))
                case (.unreadable(let error), _), (.folder, .failure(let error)):
                    scan.problems.append(.unreadable(place: place, problem: error))
                case (.folder, .success(let listing?)): scan.devices.append(listing)
                // It is gone meanwhile.
                case (.folder, .success(nil)), (.folder, nil): break
                }
            } else if let device = DeviceID(entry.name.lowercased()) {
                scan.problems.append(.renamed(place: FolderLayout.place(device: device), hides: true))
            } else if let hidden = Self.placeholder(name: entry.name), let device = DeviceID(hidden) {
                scan.problems.append(.placeholder(place: FolderLayout.place(device: device), hides: true))
            } else {
                foreign.add(entry.name)
            }
        }
        scan.problems += foreign.problems
        return scan
    }

    /// A device's folder, or why it cannot be listed.
    private func attempt(device: DeviceID) async throws -> Result<DeviceListing?, StorageError> {
        do { return .success(try await list(device: device)) } catch let error as StorageError {
            return .failure(error)
        }
    }

    /// Lists one device's folder; nil where it has none.
    func list(device: DeviceID) async throws -> DeviceListing? {
        try await storage.list(prefix: FolderLayout.prefix(device: device)).map {
            Self.listing(device: device, entries: $0)
        }
    }

    private static func listing(device: DeviceID, entries: [ObjectEntry]) -> DeviceListing {
        var listing = DeviceListing(device: device)
        var foreign = ForeignNames(place: FolderLayout.place(device: device))
        for entry in entries {
            let name = entry.name
            if name == FolderLayout.deviceFile {
                listing.hasDeviceFile = true
            } else if let file = NumberedFile(name: name) {
                listing.files.append(file)
                listing.kinds[file] = entry.kind
            } else if name.hasPrefix(FolderLayout.temporaryPrefix) {
                listing.leftovers.append(name)
                listing.problems.append(
                    .temporaryFile(place: FolderLayout.place(device: device, name: name))
                )
            } else if let hidden = placeholder(name: name), let file = NumberedFile(name: hidden) {
                listing.placeholders.append(file)
            } else if placeholder(name: name) == FolderLayout.deviceFile {
                listing.hasDevicePlaceholder = true
            } else if isOurs(name.lowercased()) {
                let isThere = entries.contains { $0.name == name.lowercased() }
                listing.problems.append(
                    .renamed(place: FolderLayout.place(device: device, name: name), hides: !isThere)
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

extension ObjectEntry {
    /// The device whose folder this is, by its name; nil for anything else.
    fileprivate var device: DeviceID? { kind == .folder ? DeviceID(name) : nil }
}
