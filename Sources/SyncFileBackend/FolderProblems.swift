import SyncCore
import SyncWire

/// The wording of what is skipped in a folder. Serious is what hides entries, or may.
extension RemoteProblem {
    static func foreignFile(_ place: String) -> RemoteProblem {
        RemoteProblem(
            rule: "foreign-file",
            place: place,
            message: "This is not a file of ours and was skipped.",
            isSerious: false
        )
    }

    static func moreForeignFiles(_ count: Int, _ place: String) -> RemoteProblem {
        RemoteProblem(
            rule: "foreign-file",
            place: place,
            message: "\(count) more files here are not ours and were skipped.",
            isSerious: false
        )
    }

    static func temporaryFile(_ place: String) -> RemoteProblem {
        RemoteProblem(
            rule: "temporary-file",
            place: place,
            message: "A write that is under way or was cut off left this file; it was skipped.",
            isSerious: false
        )
    }

    static func placeholder(_ place: String, hides: Bool) -> RemoteProblem {
        RemoteProblem(
            rule: "placeholder",
            place: place,
            message: "This is in the cloud and not on this disk yet; it is read once it is downloaded.",
            isSerious: hides
        )
    }

    static func renamed(_ place: String, hides: Bool) -> RemoteProblem {
        RemoteProblem(
            rule: "renamed-file",
            place: place,
            message: "The name differs from one of ours in upper and lower case; it was skipped.",
            isSerious: hides
        )
    }

    static func link(_ place: String) -> RemoteProblem {
        RemoteProblem(
            rule: "link",
            place: place,
            message: "Links inside the folder are not followed.",
            isSerious: true
        )
    }

    static func notAFolder(_ place: String) -> RemoteProblem {
        RemoteProblem(
            rule: "not-a-folder",
            place: place,
            message: "A device's folder is expected here.",
            isSerious: true
        )
    }

    static func notAFile(_ place: String) -> RemoteProblem {
        RemoteProblem(
            rule: "not-a-file",
            place: place,
            message: "A regular file is expected here.",
            isSerious: true
        )
    }

    static func tooLarge(_ place: String, limit: Int) -> RemoteProblem {
        RemoteProblem(
            rule: "too-large",
            place: place,
            message: "The file is larger than \(limit) bytes and was skipped.",
            isSerious: true
        )
    }

    static func unreadable(_ place: String, _ problem: FileProblem) -> RemoteProblem {
        RemoteProblem(
            rule: "unreadable",
            place: place,
            message: "It could not be read: \(problem.reason).",
            isSerious: true
        )
    }

    static func refused(_ place: String, _ refusal: SegmentRefusal) -> RemoteProblem {
        func serious(_ rule: String, _ message: String) -> RemoteProblem {
            RemoteProblem(rule: rule, place: place, message: message, isSerious: true)
        }
        let waiting =
            "it is read once it is whole. If it stays so, run 'sync --rejoin' on the device that wrote it"
        return switch refusal {
        case .empty: serious("empty-segment", "The file is empty; \(waiting).")
        case .torn: serious("torn-segment", "The file is cut off or half-copied; \(waiting).")
        case .wrongDigest: serious("changed-segment", "The file's bytes were changed; \(waiting).")
        case .foreign:
            serious("foreign-segment", "The file has one of our names but not our format; \(waiting).")
        case .newerFormat(let version):
            serious(
                "newer-format",
                "A newer version wrote it (format \(version)); update this program to read it."
            )
        }
    }

    static func misplaced(_ place: String) -> RemoteProblem {
        RemoteProblem(
            rule: "misplaced-segment",
            place: place,
            message: "Its first line names another device or number than its place; it was skipped.",
            isSerious: true
        )
    }

    static func malformedEntry(_ place: String, line: Int) -> RemoteProblem {
        RemoteProblem(
            rule: "malformed-entry",
            place: "\(place):\(line)",
            message: "This entry could not be read and was skipped; the others were taken.",
            isSerious: true
        )
    }

    static func gap(_ place: String, _ missing: ClosedRange<Int64>) -> RemoteProblem {
        RemoteProblem(
            rule: "gap",
            place: place,
            message: "\(numbers(missing)) not arrived yet; later ones were taken.",
            isSerious: true
        )
    }

    static func lostSegments(_ place: String, _ missing: ClosedRange<Int64>, isOwn: Bool) -> RemoteProblem {
        let whose = isOwn ? "this device" : "the device that wrote it"
        return RemoteProblem(
            rule: "lost-segment",
            place: place,
            message:
                "\(numbers(missing)) been lost: this device has taken what was in it, a new one would miss it; "
                + "'sync --rejoin' on \(whose) publishes it again.",
            isSerious: isOwn
        )
    }

    static func shrunk(_ place: String, taken: Int64, found: Int64) -> RemoteProblem {
        RemoteProblem(
            rule: "shrunk-device",
            place: place,
            message:
                "The device had published \(taken) segments and now shows \(found); nothing was deleted for it.",
            isSerious: true
        )
    }

    static func vanished(_ place: String) -> RemoteProblem {
        RemoteProblem(
            rule: "vanished-device",
            place: place,
            message: "The device's folder is gone; nothing was deleted for it. "
                + "'retire' tells that the device will not return.",
            isSerious: true
        )
    }

    private static func numbers(_ range: ClosedRange<Int64>) -> String {
        range.lowerBound == range.upperBound
            ? "Segment \(range.lowerBound) has"
            : "Segments \(range.lowerBound) to \(range.upperBound) have"
    }
}
