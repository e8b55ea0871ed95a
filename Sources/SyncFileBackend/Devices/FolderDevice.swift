public import SyncCore

/// A device that has a place in a folder.
public struct FolderDevice: Sendable, Hashable {
    /// The store's incarnation.
    public var device: DeviceID
    /// Its name for people; empty when its device file cannot be read.
    public var label: String
    /// The number of the last segment that it published, 0 before the first.
    public var published: Int64
    /// For every other device the number up to which it has taken everything.
    public var taken: [DeviceID: Int64]
    /// Whether some device has retired it: nothing is kept for it any more.
    public var isRetired: Bool
}

extension FolderBackend {
    /// The devices that have a place in the folder, ascending. Empty when nothing was synced here yet.
    /// Throws `SyncError` when the folder cannot be read.
    public func devices() async throws -> [FolderDevice] {
        try await folderErrors {
            guard let scan = try await scanOfFolder() else { return [] }
            let members = try await reader.deviceFiles(scan: scan)
            let retired = Set(members.values.flatMap(\.retired))
            return scan.devices.map { listing in
                let file = members[listing.device]
                return FolderDevice(
                    device: listing.device,
                    label: file?.label ?? "",
                    published: listing.numbers.highest,
                    taken: file?.taken ?? [:],
                    isRetired: retired.contains(listing.device)
                )
            }
        }
    }

    /// Notes, in `own`'s device file, that `device` will not return, so that no tombstone is kept for it any longer.
    /// Returns what is given up with it. Hold the store's lease meanwhile, and sync before with
    /// `SyncOptions.replacesLosses`, so that what the folder has lost of the device is published again.
    /// Throws `notFound` when one of the two has no place in the folder.
    @discardableResult
    public func retire(_ device: DeviceID, by own: DeviceID) async throws -> RetiredDevice {
        try await folderErrors {
            guard var file = try await reader.deviceFile(device: own) else {
                throw SyncError.notRegistered(device: own)
            }
            // A device whose folder somebody removed by hand is known from what we took of it.
            let stands = try await stands(device: device)
            guard stands || file.taken[device] != nil else { throw SyncError.notRegistered(device: device) }
            let published = stands ? try await reader.deviceFile(device: device)?.number ?? 0 : 0
            let result = RetiredDevice(
                device: device,
                givenUp: max(0, published - (file.taken[device] ?? 0))
            )
            guard !file.retired.contains(device) else { return result }
            file.retired = (file.retired + [device]).sorted()
            try await reader.write(file)
            return result
        }
    }

    /// The names in the folder; nil where nothing was synced here yet.
    private func scanOfFolder() async throws -> FolderScan? {
        do { return try await reader.scan() } catch let error as StorageError where error.isOfOtherKind {
            return nil
        }
    }

    /// Whether a device has a folder.
    private func stands(device: DeviceID) async throws -> Bool {
        try await reader.listIfFolder(device: device) != nil
    }
}

extension FolderReader {
    /// Lists one device's folder; nil where it has none, or something else stands in its place.
    func listIfFolder(device: DeviceID) async throws -> DeviceListing? {
        do { return try await list(device: device) } catch let error as StorageError
            where error.isOfOtherKind
        { return nil }
    }
}

extension StorageError {
    /// Whether something else stands where a folder is looked for.
    fileprivate var isOfOtherKind: Bool { kind == .isLink || kind == .notAFolder }
}

/// A device that will not return, and what goes with it.
public struct RetiredDevice: Sendable, Hashable {
    /// The store's incarnation.
    public var device: DeviceID
    /// How many segments the device says it has published that never arrived here. Nobody waits for them any more; what
    /// they hold is read all the same, should they arrive.
    public var givenUp: Int64
}
