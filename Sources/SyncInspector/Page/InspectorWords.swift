import SyncCore
import SyncPages
import SyncRuntime

/// The wording of this page that other texts do not bring along.
enum InspectorWords {
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
        case "restored": "A person brought another value back, and this one was replaced."
        case "discarded": "A person gave up a rejected edit."
        case "cascade": "It was deleted with its parent, whose delete had not seen it."
        case "nullify": "The record that it refers to was deleted. The reference returns with that record."
        case "circle": "Its move was undone, because it had led into a circle with another move."
        case "gone-elsewhere": "The record went because of somebody else, with what was kept to this device."
        case "copied-store": "A copy of this store had written another value by the same name."
        case "altered": "The server's database altered what was written, and this value was lost by it."
        case "overwritten": "The whole record was replaced by one that had not been read from here."
        case "renamed": "A field got the name under which another app had already written this value."
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
            return
                "\(PageWords.time(at: edit.time)) by \(device(id: edit.device, own: own)), edit \(edit.sequence)"
                + (trailing.isEmpty ? "" : ";")
        }.joined(separator: " ")
    }
}
