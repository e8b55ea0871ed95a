import SyncCore
import SyncWire

/// The wording of everything that this module says to a person, in one place: first the errors that stop a sync.
extension SyncError {
    static func folderMissing() -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "The remote folder is not there.",
            help: "Connect the drive or start the folder service, or make the folder, and sync again.",
            retry: .later
        )
    }

    static func folderParentMissing() -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "The remote folder cannot be made: the folder that should hold it is not there.",
            help: "Check the path, or make the folder, and sync again.",
            retry: .afterAction
        )
    }

    static func notAFolder(place: String) -> SyncError {
        SyncError(
            kind: .wrongRemote,
            message: "\(place) is not a folder.",
            help: "Choose a folder as remote, or move away what stands there; it was not touched."
        )
    }

    static func folderIsLink(place: String) -> SyncError {
        SyncError(
            kind: .wrongRemote,
            message:
                "'\(place)' in the remote folder is a link, and links inside the folder are not followed.",
            help: "Replace the link by the folder itself; nothing was touched."
        )
    }

    static func otherKindOfRemote() -> SyncError {
        SyncError(
            kind: .wrongRemote,
            message: "This store is bound to another remote, not to a folder.",
            help: "Sync with that remote, or let this device join the folder anew; values are kept.",
            commandLineHelp:
                "Sync with that remote, or bind the store to this folder with 'sync --rejoin'; values are kept."
        )
    }

    static func folderEmptied(found: FolderCounts, expected: FolderCounts) -> SyncError {
        SyncError(
            kind: .wrongRemote,
            message:
                "The folder is not as this store left it: it holds \(found), where \(expected) are expected.",
            help:
                "Check that it is the right folder. If it was emptied or replaced on purpose, let this device join "
                + "it anew: that publishes what the device holds. Nothing was changed.",
            commandLineHelp:
                "Check the path. If the folder was emptied or replaced on purpose, 'sync --rejoin' publishes "
                + "what this store holds; nothing was changed."
        )
    }

    static func folderNotDownloaded(place: String) -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "'\(place)' is in the cloud and not on this disk yet.",
            help:
                "Wait until the folder service has downloaded it, and sync again. Check its network, account and free space.",
            retry: .later
        )
    }

    static func newerFolder(version: Int64) -> SyncError {
        SyncError(
            kind: .wrongRemote,
            message: "This device's files in the folder were written by a newer version (format \(version)).",
            help: "Update this program; nothing was touched."
        )
    }

    static func publishedMeanwhile() -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "Another copy of this store has published in the folder meanwhile.",
            help: "Sync again: the store then takes an identity of its own.",
            retry: .later
        )
    }

    static func pushTooLarge(_ bytes: Int, limit: Int) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "One push of \(bytes) bytes is more than a segment may hold (\(limit)).",
            help: "Push fewer records at once."
        )
    }

    static func foreignIntent() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The push was not prepared for a folder.",
            help: "Prepare it with this session, and push then."
        )
    }

    static func overlappingFetch() -> SyncError {
        SyncError(
            kind: .usage,
            message: "Two pages of one session are fetched at once.",
            help: "Wait for one page before the next is fetched."
        )
    }

    static func readOnlyPush() -> SyncError {
        SyncError(
            kind: .usage,
            message: "A session that only reads cannot push.",
            help: "Sync without asking for a dry run.",
            commandLineHelp: "Sync without '--dry-run'."
        )
    }

    static func notRegistered(device: DeviceID) -> SyncError {
        SyncError(
            kind: .notFound,
            message: "There is no device \(device) in the folder.",
            help: "It may have been removed meanwhile; look at the list of devices again.",
            commandLineHelp: "'status' lists the devices."
        )
    }

    static func folderFailed(error: StorageError) -> SyncError {
        switch error.kind {
        case .notPermitted:
            SyncError(
                kind: .notPermitted,
                message: "The remote folder may not be read or written.",
                help: "Check the permissions of the folder and of what is in it.",
                retry: .afterAction
            )
        case .noSpace:
            SyncError(
                kind: .inputOutput,
                message: "There is no space left in the remote folder.",
                help: "Free some space and sync again; nothing was lost.",
                retry: .afterAction
            )
        case .notFound: folderMissing()
        case .exists, .notAnObject, .notAFolder, .isLink, .tooLarge, .failed:
            SyncError(
                kind: .inputOutput,
                message: "The remote folder could not be read or written (\(error.reason)).",
                help: "Check the drive or the folder service and sync again; nothing was lost.",
                retry: .later
            )
        }
    }
}

extension StorageError {
    /// The reason in words.
    var reason: String {
        switch kind {
        case .notFound: "it is gone"
        case .notPermitted: "it is not permitted"
        case .exists: "something stands there already"
        case .notAnObject: "it is not a regular file"
        case .notAFolder: "it is not a folder"
        case .isLink: "it is a link"
        case .tooLarge: "it is too large"
        case .noSpace: "no space is left"
        case .failed: "system error \(number)"
        }
    }
}

/// Counts that help a person to judge whether this is the right folder.
struct FolderCounts: Sendable, Hashable, CustomStringConvertible {
    /// Device folders.
    var devices: Int
    /// The number of the last segment that this store published there.
    var segments: Int64

    var description: String {
        "\(devices) device \(devices == 1 ? "folder" : "folders") and "
            + "\(segments) \(segments == 1 ? "segment" : "segments") of this store"
    }
}
