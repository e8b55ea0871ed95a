import SyncCore
import SyncWire

/// What is decided about the changes of one request.
struct PushOutcome: Sendable {
    /// What became of each change.
    var results: [Result] = []
    /// What is to be stored, in order.
    var versions: [NewVersion] = []
    /// The run of the stored revisions; empty where nothing is stored.
    var run = ""
    /// Places in the query's records whose present entries are shown.
    var shown: [Int] = []
    /// Revisions of the request's own changes, which its page passes by.
    var own: Set<Int64> = []
    /// The highest revision among the request's own changes; 0 for none.
    var accepted = LogPosition(number: 0, run: "")
    /// Entities of which tombstones are stored.
    var tombstoned: Set<String> = []

    /// What became of one change.
    enum Result: Sendable {
        /// Stored, or stored before; the entry where it was stored otherwise than sent.
        case accepted(Revision, stored: Entry?)
        /// Not made on what the log holds; the present entry where there is one.
        case conflict(current: Entry?)
        /// Not taken.
        case refused(ChangeError)
    }

    /// An entry that is part of the answer.
    enum Entry: Sendable {
        /// The entry at this place among those that are shown.
        case shown(Int, Revision)
        /// One that this request stores.
        case version(Int, Revision)
    }

    /// What became of the changes, counted.
    var counts: PushCounts {
        results.reduce(into: PushCounts()) { counts, result in
            switch result {
            case .accepted: counts.accepted += 1
            case .conflict: counts.conflicts += 1
            case .refused: counts.refused += 1
            }
        }
    }

    /// What became of the changes, as the answer writes it, with the entries that a store has read.
    func outcomes(shown: [[UInt8]]) -> [ExchangeAnswerWriter.Outcome] {
        func text(_ entry: Entry) -> [UInt8] {
            switch entry {
            case .shown(let place, let revision):
                StoredVersion.answer(revision: revision, entry: shown[place])
            case .version(let place, let revision):
                StoredVersion.answer(revision: revision, entry: versions[place].entry)
            }
        }
        return results.map { result in
            switch result {
            case .accepted(let revision, let entry): .accepted(revision, stored: entry.map(text))
            case .conflict(let entry): .conflict(current: entry.map(text))
            case .refused(let refusal): .refused(rule: refusal.rule, reason: refusal.reason)
            }
        }
    }
}
