public import SyncCore
import SyncFiles

/// A shared folder as the remote: iCloud Drive, Dropbox, Syncthing, a NAS, a USB stick.
///
/// There are no locks, no server and no shared files: each device writes only in its own folder, so two devices never
/// write the same file. A push is a new, numbered, checksummed, immutable segment; a long push is several.
public struct FolderBackend: RemoteBackend {
    let reader: FolderReader
    /// What waits for files that are only in the cloud; nil where nobody can be asked for them.
    private let downloads: FolderDownloads?

    /// A backend on any object storage: a bucket, a WebDAV collection.
    public init(storage: any ObjectStorage) {
        self.init(storage: storage, limits: FolderLimits())
    }

    /// A backend on the file system's folder at `root`, which may be a link and need not exist yet. Nothing outside
    /// of it is touched.
    ///
    /// On Apple platforms, a sync asks iCloud Drive for files of the folder that are in the cloud only, and waits for each
    /// at most `maxDownloadSeconds`. It leaves out what has not come until then, and reports it.
    public init(root: String, maxDownloadSeconds: Double = 30) {
        let downloads = DownloadService.system.map {
            FolderDownloads(
                root: POSIXFileSystem.trimmed(path: root),
                service: $0,
                sleeper: SystemSleeper(),
                maxSeconds: maxDownloadSeconds
            )
        }
        let storage = FolderStorage(path: root, downloads: downloads)
        self.init(storage: storage, limits: FolderLimits(), downloads: downloads)
    }

    /// The same with other limits.
    package init(storage: any ObjectStorage, limits: FolderLimits, downloads: FolderDownloads? = nil) {
        reader = FolderReader(storage: storage, limits: limits)
        self.downloads = downloads
    }

    /// All versions are kept with their metadata, deletes included.
    public var capabilities: RemoteCapabilities { [.tombstones, .versionMetadata] }

    /// Checks that the store is bound to this folder, registers the device, and lists what is new. Throws
    /// `SyncError`.
    public func open(_ request: SessionRequest) async throws -> any RemoteSession {
        try await folderErrors {
            try await awaitDownloads(request)
            try await checkFolders(request)
            var (scan, members) = try await survey(request: request)
            var own = try await OwnSegments(request: request, scan: scan, members: members, reader: reader)
            // A store that must take another identity leaves no trace of the present one.
            if !request.readOnly, own.renewal == nil, members[request.device] == nil {
                try await register(request)
                // NB: the folder is listed again after registering, because other devices drop tombstones that an
                // unregistered reader still needs.
                (scan, members) = try await survey(request: request)
                own = try await OwnSegments(request: request, scan: scan, members: members, reader: reader)
            }
            let plan = try await FolderPlan(
                request: request,
                scan: scan,
                members: members,
                own: own,
                reader: reader
            )
            if plan.comparing != nil { try await own.addOwnFiles(scan, reader: reader) }
            return FolderSession(
                reader: reader,
                request: request,
                view: FolderView(scan: scan, members: members, own: own, plan: plan)
            )
        }
    }

    /// Asks for what the session needs and is in the cloud only, and waits for it. What does not come is reported by the
    /// session, as is a folder that cannot be listed.
    private func awaitDownloads(_ request: SessionRequest) async throws {
        guard let downloads else { return }
        downloads.begin()
        while let scan = try? await reader.scan() {
            let (needed, others) = scan.missing(for: request)
            guard try await downloads.wait(for: needed, askingFor: others) else { return }
        }
    }

    /// The listing of the folder, and the device files.
    private func survey(request: SessionRequest) async throws -> (FolderScan, [DeviceID: DeviceFile]) {
        guard let scan = try await reader.scan() else { return (FolderScan(), [:]) }
        return (scan, try await reader.deviceFiles(scan: scan, own: request.device))
    }
}

/// The folder as a session finds it.
struct FolderView: Sendable {
    /// The listing.
    var scan: FolderScan
    /// The device files.
    var members: [DeviceID: DeviceFile]
    /// The session's own files.
    var own: OwnSegments
    /// What to do in addition to reading what is new.
    var plan: FolderPlan

    /// Whether every device that is not retired has taken everything that any has published, this device by its cursor.
    func isSettled(for device: DeviceID) -> Bool {
        let retired = Set(members.values.flatMap(\.retired))
        return scan.devices.allSatisfy { taker in
            if retired.contains(taker.device) { return true }
            return scan.devices.allSatisfy { writer in
                let published = max(writer.numbers.highest, members[writer.device]?.number ?? 0)
                let taken =
                    taker.device == device
                    ? own.start.taken[writer.device]?.contiguous : members[taker.device]?.taken[writer.device]
                return writer.device == taker.device || taken ?? 0 >= published
            }
        }
    }
}

extension FolderBackend {
    /// Checks that the store is bound to this folder, and makes the folders of a new store.
    private func checkFolders(_ request: SessionRequest) async throws {
        let isNew = request.binding == nil
        switch try await reader.storage.root() {
        case .present: break
        case .absent where isNew:
            // A dry run of a new store reads nothing and makes nothing.
            if !request.readOnly { try await reader.storage.prepare(prefix: "") }
            return try await makeHome(request)
        case .withoutParent where isNew: throw SyncError.folderParentMissing()
        case .absent, .withoutParent, .away: throw SyncError.folderMissing()
        case .notAFolder: throw SyncError.notAFolder(place: "The remote")
        }
        if isNew, !request.readOnly { try await keepRoot() }
        if let binding = request.binding, !request.rejoin {
            try await checkClaim(binding, request: request)
        } else if try await !homeStands() || isNew {
            try await makeHome(request)
        }
    }

    /// Makes the root durable: a sync that failed may have made it without flushing it.
    private func keepRoot() async throws {
        do { try await reader.storage.prepare(prefix: "") } catch let error as StorageError
            where error.kind == .notPermitted || error.kind == .notFound
        {
            // Somebody else made it in another user's folder, or it is the root of all.
        }
    }

    private func makeHome(_ request: SessionRequest) async throws {
        if !request.readOnly { try await reader.storage.prepare(prefix: FolderLayout.homePrefix) }
    }

    /// Whether the home folder exists. Throws if something else is in its place.
    private func homeStands() async throws -> Bool {
        try await withKind(of: FolderLayout.home) {
            try await reader.storage.list(prefix: FolderLayout.homePrefix) != nil
        }
    }

    /// Adds to errors what is in the place of a folder.
    private func withKind<Value>(of place: String, body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as StorageError {
            switch error.kind {
            case .isLink: throw SyncError.folderIsLink(place: place)
            case .notAFolder: throw SyncError.notAFolder(place: "'\(place)' in the remote folder")
            default: throw error
            }
        }
    }

    /// The folder must still have this store's device file and last segment.
    private func checkClaim(_ text: String, request: SessionRequest) async throws {
        guard let binding = FolderBinding(text) else { throw SyncError.otherKindOfRemote() }
        let cursor = request.cursor.flatMap { FolderCursor($0) }
        let expected = cursor?.device == binding.device ? cursor?.own ?? 0 : 0
        var found: Int64 = 0
        if let listing = try await ownListing(device: binding.device) {
            found = listing.numbers.highest
            if found >= expected, found > 0 || listing.hasDeviceFile { return }
            if listing.hasDevicePlaceholder {
                throw SyncError.folderNotDownloaded(
                    place: FolderLayout.place(device: binding.device, name: FolderLayout.deviceFile)
                )
            }
        }
        let devices = try await homeStands() ? reader.scan()?.devices.count ?? 0 : 0
        throw SyncError.folderEmptied(
            found: FolderCounts(devices: devices, segments: found),
            expected: FolderCounts(devices: 1 + (cursor?.taken.count ?? 0), segments: expected)
        )
    }

    /// The listing of the bound device's folder; nil if it is gone.
    private func ownListing(device: DeviceID) async throws -> DeviceListing? {
        do {
            return try await withKind(of: FolderLayout.place(device: device)) {
                try await reader.list(device: device)
            }
        } catch let error as StorageError {
            // The obstacle may be in a parent folder.
            _ = try await homeStands()
            throw error
        }
    }

    /// Registers this device in the folder.
    private func register(_ request: SessionRequest) async throws {
        // An earlier sync may have made the folder and failed before it was durable.
        try await withKind(of: FolderLayout.place(device: request.device)) {
            try await reader.storage.prepare(prefix: FolderLayout.prefix(device: request.device))
        }
        var file = DeviceFile(device: request.device, label: request.label)
        file.former = request.former
        try await reader.write(file)
    }
}

/// Converts errors of the storage to ones that a person can act on.
func folderErrors<Value>(
    isolation: isolated (any Actor)? = #isolation,
    body: () async throws -> Value
) async throws -> Value {
    do {
        return try await body()
    } catch let error as StorageError {
        throw SyncError.folderFailed(error: error)
    } catch DeviceFile.ReadError.newerFormat(let version) {
        throw SyncError.newerFolder(version: version)
    }
}
