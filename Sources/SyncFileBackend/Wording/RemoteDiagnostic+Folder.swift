import SyncCore
import SyncWire

/// Diagnostics about a folder. Those that hide entries, or may, are serious.
extension RemoteDiagnostic {
    static func foreignFile(place: String) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "foreign-file",
            place: place,
            message: "This is not a file of ours and was skipped.",
            isSerious: false
        )
    }

    static func moreForeignFiles(count: Int, place: String) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "foreign-file",
            place: place,
            message: "\(count) more files here are not ours and were skipped.",
            isSerious: false
        )
    }

    static func temporaryFile(place: String) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "temporary-file",
            place: place,
            message: "A write that is under way or was cut off left this file; it was skipped.",
            isSerious: false
        )
    }

    static func placeholder(place: String, hides: Bool) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "placeholder",
            place: place,
            message: "This is in the cloud and not on this disk yet; it is read once it is downloaded. "
                + "Check the folder service's network, account and free space.",
            isSerious: hides
        )
    }

    static func renamed(place: String, hides: Bool) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "renamed-file",
            place: place,
            message: "The name differs from one of ours in upper and lower case; it was skipped.",
            isSerious: hides
        )
    }

    static func link(place: String) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "link",
            place: place,
            message: "Links inside the folder are not followed.",
            isSerious: true
        )
    }

    static func notAFolder(place: String) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "not-a-folder",
            place: place,
            message: "A device's folder is expected here.",
            isSerious: true
        )
    }

    static func notAFile(place: String) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "not-a-file",
            place: place,
            message: "A regular file is expected here.",
            isSerious: true
        )
    }

    static func tooLarge(place: String, limit: Int) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "too-large",
            place: place,
            message: "The file is larger than \(limit) bytes and was skipped.",
            isSerious: true
        )
    }

    static func unreadable(place: String, error: StorageError) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "unreadable",
            place: place,
            message: "It could not be read: \(error.reason).",
            isSerious: true
        )
    }

    static func refused(place: String, refusal: SegmentError) -> RemoteDiagnostic {
        func unread(rule: String, message: String) -> RemoteDiagnostic {
            RemoteDiagnostic(
                rule: rule,
                place: place,
                message: "\(message); it is read once it is whole. "
                    + "If it stays so, let the device that wrote it join the folder anew.",
                commandLineMessage: "\(message); it is read once it is whole. "
                    + "If it stays so, run 'sync --rejoin' on the device that wrote it.",
                isSerious: true
            )
        }
        return switch refusal {
        case .empty: unread(rule: "empty-segment", message: "The file is empty")
        case .torn: unread(rule: "torn-segment", message: "The file is cut off or half-copied")
        case .wrongDigest: unread(rule: "changed-segment", message: "The file's bytes were changed")
        case .foreign:
            unread(rule: "foreign-segment", message: "The file has one of our names but not our format")
        case .newerFormat(let version):
            RemoteDiagnostic(
                rule: "newer-format",
                place: place,
                message: "A newer version wrote it (format \(version)); update this program to read it.",
                isSerious: true
            )
        }
    }

    static func misplaced(place: String) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "misplaced-segment",
            place: place,
            message: "Its first line names another device or number than its place; it was skipped.",
            isSerious: true
        )
    }

    static func malformedEntry(place: String, line: Int) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "malformed-entry",
            place: "\(place):\(line)",
            message: "This entry could not be read and was skipped; the others were taken.",
            isSerious: true
        )
    }

    static func gap(place: String, missing: ClosedRange<Int64>) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "gap",
            place: place,
            message: "\(numbers(range: missing)) not arrived yet; later ones were taken.",
            isSerious: true
        )
    }

    /// The folder's file system flushes files, but not the names of files.
    static func namesNotFlushed() -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "names-not-flushed",
            place: "",
            message:
                "The folder's file system cannot flush the names of files to its disk. After a power cut, what was "
                + "published last may be missing there; it is then published again.",
            isSerious: false
        )
    }

    /// `isSerious` until this device has published again its own versions of the lost ones.
    static func lostSegments(place: String, missing: ClosedRange<Int64>, isSerious: Bool) -> RemoteDiagnostic
    {
        RemoteDiagnostic(
            rule: "lost-segment",
            place: place,
            message: "\(numbers(range: missing)) been lost. " + publishedAgain(isAhead: isSerious),
            isSerious: isSerious
        )
    }

    static func shrunk(place: String, taken: Int64, found: Int64, isSerious: Bool) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "shrunk-device",
            place: place,
            message:
                "The device had published \(taken) segments and now shows \(found); nothing was deleted for it. "
                + publishedAgain(isAhead: isSerious),
            isSerious: isSerious
        )
    }

    static func vanished(place: String, isSerious: Bool) -> RemoteDiagnostic {
        let gone =
            "The device's folder is gone; nothing was deleted for it. " + publishedAgain(isAhead: isSerious)
        return RemoteDiagnostic(
            rule: "vanished-device",
            place: place,
            message: gone + " If the device will not return, retire it.",
            commandLineMessage: gone + " 'retire' tells that the device will not return.",
            isSerious: isSerious
        )
    }

    private static func publishedAgain(isAhead: Bool) -> String {
        isAhead
            ? "If it stays so, the next sync publishes again what this device holds of it."
            : "What this device holds of it was published again."
    }

    static func retired(place: String) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "retired-device",
            place: place,
            message:
                "Another device has retired this one. It has joined anew under another identity: what was deleted "
                + "meanwhile is gone here, too, and what it had not sent is sent now. Sync once more to see all of it.",
            isSerious: true
        )
    }

    static func waitsToCompare() -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "waits-to-compare",
            place: FolderLayout.home,
            message:
                "Something was deleted that this device may still hold. It is compared once all that other devices "
                + "have published is here. If it stays so, retire devices that will not return.",
            isSerious: true
        )
    }

    static func recordsDiffer(place: String, entities: [String]) -> RemoteDiagnostic {
        recordsDiffer(
            place: place,
            entities: entities,
            help: "Let this device join the folder anew: values are kept, and meet by their rules.",
            commandLineHelp:
                "Run 'sync --rejoin' on one of the two: values are kept, and meet by their rules."
        )
    }

    private static func numbers(range: ClosedRange<Int64>) -> String {
        range.lowerBound == range.upperBound
            ? "Segment \(range.lowerBound) has"
            : "Segments \(range.lowerBound) to \(range.upperBound) have"
    }
}
