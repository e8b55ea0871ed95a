import SyncCore
import SyncWire

/// The results of one request's changes, and the versions to store.
struct PushOutcome: Sendable {
    /// The result of each change.
    var results: [Result] = []
    /// The versions to store, in order.
    var versions: [NewVersion] = []
    /// The run of the stored revisions; empty if nothing is stored.
    var run = ""
    /// Indices in the query's records whose present entries the answer contains.
    var shown: [Int] = []
    /// Revisions of the request's own changes, which its page skips.
    var own: Set<Int64> = []
    /// The highest revision of the request's own changes; 0 for none.
    var accepted = LogPosition(number: 0, run: "")
    /// Entities with new tombstones.
    var tombstoned: Set<String> = []

    /// The result of one change.
    enum Result: Sendable {
        /// Stored now or before. Has the entry if it was stored differently than sent.
        case accepted(Revision, stored: Entry?)
        /// Not based on the stored version. Has the stored entry, if there is one.
        case conflict(current: Entry?)
        /// Rejected as invalid.
        case refused(ChangeError)
    }

    /// An entry that is part of the answer.
    enum Entry: Sendable {
        /// The stored entry at this index of the shown entries.
        case shown(Int, Revision)
        /// A version that this request stores.
        case version(Int, Revision)
    }

    /// The number of changes by result.
    var counts: PushCounts {
        results.reduce(into: PushCounts()) { counts, result in
            switch result {
            case .accepted: counts.accepted += 1
            case .conflict: counts.conflicts += 1
            case .refused: counts.refused += 1
            }
        }
    }

    /// The results as the answer encodes them, with the entries that the store has read.
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
