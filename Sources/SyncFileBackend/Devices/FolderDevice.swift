public import SyncCore

/// A device that takes part in a folder.
public struct FolderDevice: Sendable, Hashable {
    /// The store's incarnation.
    public var device: DeviceID
    /// Its name for people; empty if its device file cannot be read.
    public var label: String
    /// The number of the last segment that it published, 0 before the first.
    public var published: Int64
    /// For every other device, the number up to which it has taken everything.
    public var taken: [DeviceID: Int64]
    /// Whether some device has retired it. Nothing is kept for a retired device.
    public var isRetired: Bool
    /// Whether it is a former incarnation of a store that goes on as another device. Nobody waits for it.
    public var isFormer: Bool
}

extension FolderBackend {
    /// The devices that take part in the folder, ascending. Empty if nothing was synced here yet. Throws `SyncError`
    /// if the folder cannot be read.
    public func devices() async throws -> [FolderDevice] {
        try await folderErrors {
            guard let scan = try await scanOfFolder() else { return [] }
            let members = try await reader.deviceFiles(scan: scan)
            let retired = Set(members.values.flatMap(\.retired))
            let former = Set(members.values.flatMap(\.former))
            return scan.devices.map { listing in
                let file = members[listing.device]
                return FolderDevice(
                    device: listing.device,
                    label: file?.label ?? "",
                    published: listing.numbers.highest,
                    taken: file?.taken ?? [:],
                    isRetired: retired.contains(listing.device),
                    isFormer: former.contains(listing.device)
                )
            }
        }
    }

    /// The key of a device's file, which the device writes again at each sync that sends or takes something.
    package static func deviceFileKey(_ device: DeviceID) -> String {
        FolderLayout.deviceFile(device: device)
    }

    /// Retires `device`: notes in `own`'s device file that it will not return, so that no tombstone is kept for it.
    /// Returns what is given up with it. Hold the store's lease during the call. Sync first with
    /// `SyncOptions.replacesLosses`, so that versions of the device that the folder has lost are published again.
    /// Throws `notFound` if one of the two takes no part in the folder.
    @discardableResult
    public func retire(_ device: DeviceID, by own: DeviceID) async throws -> RetiredDevice {
        try await folderErrors {
            guard var file = try await reader.deviceFile(device: own) else {
                throw SyncError.notRegistered(device: own)
            }
            // A device whose folder was removed by hand is known from what we took of it.
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

    /// The listing of the folder; nil if nothing was synced here yet.
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
    /// Lists one device's folder; nil if there is none, or something else is in its place.
    func listIfFolder(device: DeviceID) async throws -> DeviceListing? {
        do { return try await list(device: device) } catch let error as StorageError
            where error.isOfOtherKind
        { return nil }
    }
}

extension StorageError {
    /// Whether something else is where a folder was expected.
    fileprivate var isOfOtherKind: Bool { kind == .isLink || kind == .notAFolder }
}

/// A retired device, and what is given up with it.
public struct RetiredDevice: Sendable, Hashable {
    /// The store's incarnation.
    public var device: DeviceID
    /// How many of the segments that the device says it has published never arrived here. Nobody waits for them any
    /// more, but if they arrive, they are read.
    public var givenUp: Int64
}
