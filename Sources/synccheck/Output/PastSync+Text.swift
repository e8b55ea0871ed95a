import EntitySync
import SyncCore

/// Past syncs as text and JSON.
extension PastSync {
    /// A table with a line per sync, the newest first.
    static func table(syncs: some Sequence<PastSync>) -> String {
        var table = TextTable(["last syncs", "outcome", "pushed", "pulled", "merged", "requests"])
        for sync in syncs {
            let outcome = sync.outcome == .failed ? "failed: \(sync.reason)" : sync.outcome.rawValue
            let numbers = [sync.pushed, sync.pulled, sync.merged, sync.requests].map(String.init)
            table.add([sync.ended.description, outcome] + numbers)
        }
        return table.text
    }

    /// Why the sync failed, briefly.
    var reason: String {
        switch errorKind {
        case .unreachable: "remote unreachable"
        case .notPermitted: "not permitted"
        case .wrongRemote: "another remote"
        case .busy: "store busy"
        case .inputOutput: "reading or writing failed"
        case .unreadableStore: "store unreadable"
        case .invalidInput: "the remote's data do not fit"
        case .usage, .notFound: "asked wrongly"
        case nil: "interrupted"
        }
    }
}

extension JSONWriter {
    /// Writes a past sync as a JSON object.
    mutating func pastSync(sync: PastSync) {
        beginObject()
        member(name: "started", text: sync.started.description)
        member(name: "ended", text: sync.ended.description)
        member(name: "outcome", text: sync.outcome.rawValue)
        member(name: "error", text: sync.errorKind?.rawValue)
        for (name, count) in [
            ("requests", sync.requests), ("pushed", sync.pushed), ("pulled", sync.pulled),
            ("merged", sync.merged), ("conflicts", sync.conflicts), ("rejected", sync.rejected),
        ] {
            member(name: name, count: count)
        }
        member(name: "clockSkewSeconds", number: sync.clockSkewSeconds)
        member(name: "notBefore", text: sync.notBefore?.description)
        endObject()
    }
}
