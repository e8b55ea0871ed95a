import SyncCore
import SyncRuntime

/// The wording of the page that other texts do not bring along.
enum PageWords {
    /// A number with a comma between thousands.
    static func number(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// A count with its noun.
    static func count(_ count: Int, noun: String) -> String {
        let plural = noun.hasSuffix("y") ? noun.dropLast() + "ies" : noun + "s"
        return "\(number(count)) \(count == 1 ? noun : plural)"
    }

    /// A size in bytes, with three digits at most.
    static func size(bytes: Int64) -> String {
        let units = ["bytes", "kB", "MB", "GB", "TB"]
        var value = bytes
        var unit = 0
        // Tenths of the unit, rounded once.
        var tenths = bytes * 10
        while value >= 1000, unit < units.count - 1 {
            value /= 1000
            unit += 1
            tenths = (tenths + 500) / 1000
        }
        let isWhole = unit == 0 || tenths >= 1000 || tenths.isMultiple(of: 10)
        return isWhole
            ? "\(number(Int((tenths + 5) / 10))) \(units[unit])"
            : "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// How long something took.
    static func duration(microseconds: Int64) -> String {
        switch max(0, microseconds) {
        case ..<1_000_000: "\(max(0, microseconds) / 1000) ms"
        case ..<60_000_000: "\(microseconds / 1_000_000).\(microseconds / 100_000 % 10) s"
        default: age(microseconds: microseconds)
        }
    }

    /// How long ago something was.
    static func age(microseconds: Int64) -> String {
        let seconds = max(0, microseconds) / 1_000_000
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(number(Int(seconds / 86_400))) days"
        }
    }

    /// An instant for people, to the second.
    static func time(at time: Timestamp) -> String {
        let text = time.description
        return text.prefix { $0 != "T" } + " " + text.drop { $0 != "T" }.dropFirst().prefix(8) + " UTC"
    }

    /// A device, in a few characters.
    static func device(id device: DeviceID, own: String) -> String {
        device.description == own ? "this device" : "device \(device.description.prefix(6))"
    }

    /// A sync state.
    static func words(state: SyncState) -> String {
        switch state {
        case .synced: "synced"
        case .pending: "waits for the next sync"
        case .conflict: "in conflict"
        case .rejected: "rejected"
        }
    }

    /// What a rule of the journal did.
    static func words(rule: String) -> String {
        switch rule {
        case "last-write-wins": "The later edit was kept, this one gave way."
        case "preserve-local": "Two versions were joined, and this value gave way."
        case "set-union": "Both versions were merged, and this value gave way."
        case "resolution": "A person decided a conflict, and this value was not chosen."
        case "discarded": "A person gave up a rejected edit."
        case "copied-store": "A copy of this store had written another value by the same name."
        default: "It was decided by the rule \(rule)."
        }
    }

    /// What an event of a record's history was.
    static func words(event: String) -> String {
        switch event {
        case "agreed": "Both sides turned out to agree"
        case "merged": "Merged"
        case "conflict": "Came into conflict"
        case "resolved": "A person decided"
        case "restored": "Brought back from the journal"
        case "adopted": "Taken over from the guest"
        case "reference": "Followed its parent"
        default: event.prefix(1).uppercased() + event.dropFirst()
        }
    }

    /// What waits.
    static func words(kind: WaitingChange.Kind) -> String {
        switch kind {
        case .created: "new record"
        case .edited: "edit"
        case .deleted: "delete"
        case .times: "times of an edit"
        }
    }

    /// How a sync ended.
    static func words(outcomeOf sync: PastSync) -> String {
        switch sync.outcome {
        case .synced: "synced"
        case .partial: "partial"
        case .failed: sync.errorKind == nil ? "interrupted" : "failed"
        }
    }

    /// Replaces edit timestamps in a stored detail by time, device and edit number.
    static func words(detail: String, own: String) -> String {
        detail.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let trailing = word.hasSuffix(",") ? "," : ""
            guard let edit = EditTimestamp(word.dropLast(trailing.count)) else { return String(word) }
            return "\(time(at: edit.time)) by \(device(id: edit.device, own: own)), edit \(edit.sequence)"
                + (trailing.isEmpty ? "" : ";")
        }.joined(separator: " ")
    }
}
