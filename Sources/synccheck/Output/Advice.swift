import EntitySync
import SyncSchema

/// An observation about a store's status, and what to do about it. This file has all of its wording.
struct Advice {
    /// A stable id, for example `rejected`.
    var rule: String
    /// The observation.
    var message: String
    /// The next step.
    var next: String
    /// Whether a person must act. Then `doctor` ends with 1.
    var isFinding = false

    /// Observation and next step in one sentence.
    var sentence: String { "\(message): \(next)" }

    /// Writes the object for scripts.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(name: "rule", text: rule)
        writer.member(name: "problem", value: isFinding)
        writer.member(name: "message", text: message)
        writer.member(name: "next", text: next)
        writer.endObject()
    }

    /// The largest clock skew in seconds. With more, edit times are misleading.
    static let maxClockSkewSeconds = 60.0
}

extension Advice {
    /// All advice for a status, the most urgent first.
    static func all(status: StoreStatus, warnings: [Diagnostic] = []) -> [Advice] {
        var all: [Advice] = []
        if let last = status.history.first, last.outcome == .failed {
            all.append(failed(sync: last, nextRetry: status.sync.outside.nextRetry))
        }
        if let last = status.history.first, last.outcome == .partial, status.sync.rejected == 0 {
            all.append(.partial)
        }
        if status.account == .unreadable { all.append(.unreadableAccounts) }
        if status.account == .notInUse { all.append(.accountNotInUse) }
        if let skew = status.sync.outside.clockSkewSeconds, abs(skew) > maxClockSkewSeconds {
            all.append(clock(skew: skew))
        }
        let sync = status.sync
        if sync.rejected > 0 { all.append(rejected(count: sync.rejected)) }
        if sync.conflicted > 0 { all.append(conflicts(count: sync.conflicted)) }
        if sync.orphaned > 0 { all.append(orphans(count: sync.orphaned)) }
        if sync.deletedWithParent > 0 { all.append(deletedWithParent(count: sync.deletedWithParent)) }
        if status.isUnanswered { all.append(.unanswered) }
        if sync.pending > 0 { all.append(pending(count: sync.pending, hasSynced: status.lastSync != nil)) }
        if all.isEmpty, !status.isUntouched, !sync.isInSync { all.append(.unconfirmed) }
        if !warnings.isEmpty { all.append(.schemaWarnings) }
        return all
    }

    /// The sentence for a store without advice; nil if there is any.
    static func nothing(status: StoreStatus, advice: [Advice]) -> String? {
        guard advice.allSatisfy({ $0.rule == schemaWarnings.rule }) else { return nil }
        return status.isUntouched
            ? "Start with 'synccheck put' or 'synccheck import', then 'synccheck sync --remote DIR'."
            : "All is well: nothing waits, conflicts or was rejected."
    }

    private static let sync = "'synccheck sync --remote DIR'"

    /// A full-text index was made anew.
    static func searchRebuilt(entity: EntityDescriptor) -> Advice {
        Advice(
            rule: "search-rebuilt",
            message: "The search index of \(entity.name) did not fit its records and was made anew",
            next: "nothing needs to be done."
        )
    }

    private static func failed(sync: PastSync, nextRetry: Timestamp?) -> Advice {
        let next =
            switch sync.errorKind {
            case _ where nextRetry != nil: "sync again after the time for which the server asked"
            case .unreachable: "check the remote's address and the network, then sync again"
            case .notPermitted: "check the token, or the permissions of the folder, then sync again"
            case .wrongRemote: "sync with the remote of before, or accept this one with 'sync --rejoin'"
            case .busy: "wait until the other process is done, then sync again"
            case .inputOutput: "check free space and permissions, then sync again"
            case .unreadableStore: "keep the file and restore a backup"
            case .invalidInput, .usage, .notFound, nil: "sync again; its error says more"
            }
        let wait = nextRetry.map { "; the next attempt is due at \($0) at the earliest" } ?? ""
        return Advice(
            rule: "sync-failed",
            message: "The last sync failed (\(sync.reason))\(wait)",
            next: next + ".",
            isFinding: true
        )
    }

    private static let partial = Advice(
        rule: "sync-partial",
        message: "The last sync had to leave something out",
        next: "run \(sync) again, which says what and why.",
        isFinding: true
    )

    private static func clock(skew: Double) -> Advice {
        let seconds = Int(abs(skew).rounded())
        return Advice(
            rule: "clock-skew",
            message: "This machine's clock is \(seconds) s \(skew > 0 ? "behind" : "ahead of") the server's",
            next: "set the clock, as the times of edits decide which of them wins.",
            isFinding: true
        )
    }

    private static func rejected(count: Int) -> Advice {
        Advice(
            rule: "rejected",
            message: "\(count) rejected",
            next: "see why with 'synccheck rejected', correct them with 'put', or the remote and then "
                + "'synccheck rejected retry', and sync.",
            isFinding: true
        )
    }

    private static func conflicts(count: Int) -> Advice {
        Advice(
            rule: "conflicts",
            message: "\(count) in conflict",
            next: "compare with 'synccheck conflicts', resolve each with 'synccheck resolve'."
        )
    }

    private static func orphans(count: Int) -> Advice {
        Advice(
            rule: "orphans",
            message: "\(count) kept back until the record that they belong to arrives",
            next: "sync the device that made it, then run \(sync) here."
        )
    }

    private static func deletedWithParent(count: Int) -> Advice {
        Advice(
            rule: "deleted-with-parent",
            message: "\(count) deleted with a parent that another device had deleted without knowing of them",
            next: "see 'synccheck journal', and bring one back with 'synccheck restore ID --with-parents'."
        )
    }

    private static func pending(count: Int, hasSynced: Bool) -> Advice {
        Advice(
            rule: "pending",
            message: "\(count) not sent yet\(hasSynced ? "" : "; this store has never synced")",
            next: "run \(sync)."
        )
    }

    private static let unanswered = Advice(
        rule: "unanswered",
        message: "A push runs just now, or broke off before its answer came",
        next: "run \(sync), which finds out what arrived and sends nothing twice."
    )

    private static let unconfirmed = Advice(
        rule: "unconfirmed",
        message: "Nothing waits, but no sync has confirmed it",
        next: "run \(sync)."
    )

    private static let accountNotInUse = Advice(
        rule: "account-not-in-use",
        message: "The account of this store is not the one in use",
        next: "sign in to it in the app, so that its edits are sent."
    )

    private static let unreadableAccounts = Advice(
        rule: "accounts-unreadable",
        message: "The index of accounts cannot be read",
        next: "keep the folder of the accounts as it is and restore its 'index.json' from a backup.",
        isFinding: true
    )

    private static let schemaWarnings = Advice(
        rule: "schema-warnings",
        message: "The schemas have warnings",
        next: "see them with 'synccheck validate'."
    )
}
