import SyncCore
import SyncFiles

/// A listing of the folder: one listing per device, and diagnostics. It opens no file.
struct FolderScan: Sendable {
    /// Devices, ascending.
    var devices: [DeviceListing] = []
    /// Devices whose folders are only in the cloud.
    var devicesInCloud: [DeviceID] = []
    /// Diagnostics about names other than device folders.
    var diagnostics: [RemoteDiagnostic] = []

    /// The listing of a device, if it has a folder.
    subscript(device: DeviceID) -> DeviceListing? {
        devices.first { $0.device == device }
    }
}

/// The listing of one device's folder.
struct DeviceListing: Sendable {
    /// The device.
    var device: DeviceID
    /// Segments and snapshots; of those with the same first number, the widest first.
    var files: [NumberedFile] = []
    /// Segments and snapshots that are only in the cloud.
    var placeholders: [NumberedFile] = []
    /// Whether there is a `device.json`.
    var hasDeviceFile = false
    /// Whether `device.json` is only in the cloud.
    var hasDevicePlaceholder = false
    /// Files left by interrupted writes.
    var leftovers: [String] = []
    /// Diagnostics about skipped names.
    var diagnostics: [RemoteDiagnostic] = []
    /// The kind of object under each name in `files`.
    var kinds: [NumberedFile: ObjectKind] = [:]

    /// The size of a segment or snapshot; nil if something else has its name.
    func bytes(of file: NumberedFile) -> Int? {
        if case .object(let bytes) = kinds[file] { bytes } else { nil }
    }

    /// The bytes of all segments and snapshots.
    var bytes: Int { files.reduce(0) { $0 + (bytes(of: $1) ?? 0) } }

    /// The numbers of all files by name, local or in the cloud.
    var numbers: NumberSet {
        var numbers = NumberSet()
        for file in files { numbers.insert(file.range) }
        for file in placeholders { numbers.insert(file.range) }
        return numbers
    }
}

/// Reads listings and files of the folder.
struct FolderReader: Sendable {
    let storage: any ObjectStorage
    let limits: FolderLimits

    /// Lists all device folders; nil if there is no folder.
    func scan() async throws -> FolderScan? {
        guard let entries = try await storage.list(prefix: FolderLayout.homePrefix) else { return nil }
        let listings = try await storage.concurrentMap(entries.compactMap { $0.device }) { device in
            try await attempt(device: device)
        }
        var found: [DeviceID: Result<DeviceListing?, StorageError>] = [:]
        for (device, listing) in zip(entries.compactMap(\.device), listings) { found[device] = listing }
        return scan(of: entries, listings: found)
    }

    /// Combines the entries below the home prefix with the listings of their folders.
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
                case (.link, _): scan.diagnostics.append(.link(place: place))
                case (.object, _), (.other, _): scan.diagnostics.append(.notAFolder(place: place))
                case (.unreadable(let error), _), (.folder, .failure(let error)):
                    scan.diagnostics.append(.unreadable(place: place, error: error))
                case (.folder, .success(let listing?)): scan.devices.append(listing)
                // It was removed meanwhile.
                case (.folder, .success(nil)), (.folder, nil): break
                }
            } else if let device = DeviceID(entry.name.lowercased()) {
                scan.diagnostics.append(.renamed(place: FolderLayout.place(device: device), hides: true))
            } else if let hidden = CloudPlaceholder.file(name: entry.name), let device = DeviceID(hidden) {
                scan.devicesInCloud.append(device)
                scan.diagnostics.append(.placeholder(place: FolderLayout.place(device: device), hides: true))
            } else {
                foreign.add(entry.name)
            }
        }
        scan.diagnostics += foreign.diagnostics
        return scan
    }

    /// The listing of a device's folder, or the error.
    private func attempt(device: DeviceID) async throws -> Result<DeviceListing?, StorageError> {
        do { return .success(try await list(device: device)) } catch let error as StorageError {
            return .failure(error)
        }
    }

    /// Lists one device's folder; nil if there is none.
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
            } else if name.hasPrefix(POSIXFileSystem.temporaryPrefix) {
                listing.leftovers.append(name)
                listing.diagnostics.append(
                    .temporaryFile(place: FolderLayout.place(device: device, name: name))
                )
            } else if let hidden = CloudPlaceholder.file(name: name), let file = NumberedFile(name: hidden) {
                listing.placeholders.append(file)
            } else if CloudPlaceholder.file(name: name) == FolderLayout.deviceFile {
                listing.hasDevicePlaceholder = true
            } else if isOurs(name.lowercased()) {
                let isThere = entries.contains { $0.name == name.lowercased() }
                listing.diagnostics.append(
                    .renamed(place: FolderLayout.place(device: device, name: name), hides: !isThere)
                )
            } else {
                foreign.add(name)
            }
        }
        listing.diagnostics += foreign.diagnostics
        listing.files.sort {
            ($0.range.lowerBound, -$0.range.upperBound) < ($1.range.lowerBound, -$1.range.upperBound)
        }
        return listing
    }

    private static func isOurs(_ name: String) -> Bool {
        name == FolderLayout.deviceFile || NumberedFile(name: name) != nil
    }
}

/// Foreign names, reported one by one up to a limit.
private struct ForeignNames {
    let place: String
    private var names: [String] = []
    private static let limit = 20

    init(place: String) {
        self.place = place
    }

    mutating func add(_ name: String) { names.append(name) }

    var diagnostics: [RemoteDiagnostic] {
        var diagnostics = names.prefix(Self.limit).map {
            RemoteDiagnostic.foreignFile(place: "\(place)/\(FolderLayout.shown(name: $0))")
        }
        if names.count > Self.limit {
            diagnostics.append(.moreForeignFiles(count: names.count - Self.limit, place: place))
        }
        return diagnostics
    }
}

extension ObjectEntry {
    /// The device of a folder with this name; nil for anything else.
    fileprivate var device: DeviceID? { kind == .folder ? DeviceID(name) : nil }
}
