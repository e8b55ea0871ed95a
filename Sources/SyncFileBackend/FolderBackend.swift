public import SyncCore

/// A shared folder as remote: iCloud Drive, Dropbox, Syncthing, a NAS, a USB stick.
///
/// No locks, no server and no shared file: each device writes only in its own folder, so two devices never write the
/// same file. A push is one new, numbered, checksummed, immutable segment; a long one is several.
public struct FolderBackend: RemoteBackend {
    let reader: FolderReader

    /// A backend on the folder at `root`, which may be a link and need not exist yet. Nothing outside of it is touched.
    public init(root: String, files: any FileSystem) {
        self.init(root: root, files: files, limits: FolderLimits())
    }

    /// A backend on the operating system's folder at `root`, confined to it.
    public init(root: String) {
        self.init(root: root, files: POSIXFileSystem(confinedTo: root))
    }

    /// The same with other limits.
    package init(root: String, files: any FileSystem, limits: FolderLimits) {
        reader = FolderReader(layout: FolderLayout(root: root), files: files, limits: limits)
    }

    /// Checks that this is the folder that the store is bound to, makes the device known in it, and lists what is new.
    /// Throws `SyncError`.
    public func open(_ request: SessionRequest) async throws -> any RemoteSession {
        try folderErrors {
            try checkFolders(request)
            var (scan, members) = try survey(request: request)
            var own = try OwnSegments(request: request, scan: scan, members: members, reader: reader)
            // A store that takes another identity leaves no trace of this one.
            if !request.readOnly, own.renewal == nil, members[request.device] == nil {
                try register(request)
                // NB: listed again, as whoever reads must be known before: others drop tombstones that it still needs.
                (scan, members) = try survey(request: request)
                own = try OwnSegments(request: request, scan: scan, members: members, reader: reader)
            }
            let plan = try FolderPlan(
                request: request,
                scan: scan,
                members: members,
                own: own,
                reader: reader
            )
            if plan.comparing != nil { try own.addOwnFiles(scan, reader: reader) }
            return FolderSession(
                reader: reader,
                request: request,
                view: FolderView(scan: scan, members: members, own: own, plan: plan)
            )
        }
    }

    /// The names in the folder, and what devices say of themselves.
    private func survey(request: SessionRequest) throws -> (FolderScan, [DeviceID: DeviceFile]) {
        guard try reader.files.kind(path: reader.layout.home) != nil else { return (FolderScan(), [:]) }
        let scan = try reader.scan()
        var members = reader.deviceFiles(scan: scan, but: request.device)
        // NB: one of its own that a newer version wrote must not be written over.
        members[request.device] = try reader.deviceFile(device: request.device)
        return (scan, members)
    }
}

/// A folder as a session finds it.
struct FolderView: Sendable {
    /// The names in it.
    var scan: FolderScan
    /// What devices say of themselves.
    var members: [DeviceID: DeviceFile]
    /// What is the session's own.
    var own: OwnSegments
    /// What there is to do besides reading what is new.
    var plan: FolderPlan
}

extension FolderBackend {
    /// Checks that this is the folder that the store is bound to, and makes what a new store needs.
    private func checkFolders(_ request: SessionRequest) throws {
        let isNew = request.binding == nil
        guard try rootStands() else {
            // A dry run of a new store reads nothing, and makes nothing.
            if isNew, try reader.files.kind(path: reader.layout.parent + "/.") == .folder {
                if !request.readOnly { try reader.files.makeFolder(reader.layout.root) }
            } else {
                throw isNew ? SyncError.folderParentMissing() : SyncError.folderMissing()
            }
            return try makeHome(request)
        }
        if isNew, !request.readOnly { try keepRoot() }
        let stands = try isFolder(path: reader.layout.home, place: FolderLayout.home)
        if let binding = request.binding, !request.rejoin {
            try checkClaim(binding, request: request, homeStands: stands)
        } else if !stands || isNew {
            try makeHome(request)
        }
    }

    /// Makes sure that a power cut leaves the root, which a sync may have made that failed before it was on the disk.
    private func keepRoot() throws {
        guard try reader.files.kind(path: reader.layout.root) == .folder else { return }
        do { try reader.files.makeFolder(reader.layout.root) } catch let problem as FileError
            where problem.kind == .notPermitted || problem.kind == .notFound
        {
            // Somebody else made it, in a folder that is not this user's, or it is the root of all.
        }
    }

    private func makeHome(_ request: SessionRequest) throws {
        if !request.readOnly { try reader.files.makeFolder(reader.layout.home) }
    }

    private func rootStands() throws -> Bool {
        let root = reader.layout.root
        switch try reader.files.kind(path: root) {
        case nil: return false
        case .folder: return true
        // The user chose the link: what it leads to is the root. A link that leads nowhere is a drive that is away.
        case .link:
            switch try reader.files.kind(path: root + "/.") {
            case .folder: return true
            case nil: throw SyncError.folderMissing()
            default: throw SyncError.notAFolder(place: "The remote")
            }
        case .file, .other: throw SyncError.notAFolder(place: "The remote")
        }
    }

    /// Whether a folder stands there; throws when something else does.
    private func isFolder(path: String, place: String) throws -> Bool {
        switch try reader.files.kind(path: path) {
        case nil: return false
        case .folder: return true
        case .link: throw SyncError.folderIsLink(place: place)
        case .file, .other: throw SyncError.notAFolder(place: "'\(place)' in the remote folder")
        }
    }

    /// The folder must still hold what this store left there: its device file, and its last segment.
    private func checkClaim(_ text: String, request: SessionRequest, homeStands: Bool) throws {
        guard let binding = FolderBinding(text) else { throw SyncError.otherKindOfRemote() }
        let cursor = request.cursor.flatMap { FolderCursor($0) }
        let expected = cursor?.device == binding.device ? cursor?.own ?? 0 : 0
        let place = reader.layout.place(device: binding.device)
        var found: Int64 = 0
        if homeStands, try isFolder(path: reader.layout.folder(device: binding.device), place: place) {
            let listing = try reader.list(device: binding.device)
            found = listing.numbers.highest
            if found >= expected, found > 0 || listing.hasDeviceFile { return }
            if listing.hasDevicePlaceholder {
                throw SyncError.folderNotDownloaded(
                    place: reader.layout.place(device: binding.device, name: FolderLayout.deviceFile)
                )
            }
        }
        let devices = homeStands ? try reader.scan().devices.count : 0
        throw SyncError.folderEmptied(
            found: FolderCounts(devices: devices, segments: found),
            expected: FolderCounts(devices: 1 + (cursor?.taken.count ?? 0), segments: expected)
        )
    }

    /// Makes this device known in the folder.
    private func register(_ request: SessionRequest) throws {
        let folder = reader.layout.folder(device: request.device)
        _ = try isFolder(path: folder, place: reader.layout.place(device: request.device))
        // A sync that failed may have made it, and not have got it onto the disk.
        try reader.files.makeFolder(folder)
        var file = DeviceFile(device: request.device, label: request.label)
        file.former = request.former
        try reader.write(file)
    }
}

extension FolderReader {
    /// Replaces a device's file.
    func write(_ file: DeviceFile) throws {
        try files.writeAtomically(file.bytes, to: layout.deviceFile(device: file.device), replaces: true)
    }
}

/// Turns what the file system says into what a person can act on.
func folderErrors<Value>(body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let problem as FileError {
        throw SyncError.folderFailed(problem: problem)
    } catch DeviceFile.Refusal.newerFormat(let version) {
        throw SyncError.newerFolder(version: version)
    }
}
