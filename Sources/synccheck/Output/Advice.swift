import EntitySync
import SyncInspector
import SyncSchema

/// An observation about a store's status, and what to do about it. This file has all of its wording.
struct Advice {
    /// A stable id, for example `rejected`.
    var rule: String
    /// The observation.
    var message: String
    /// The next step.
    var next: Instruction
    /// Whether a person must act. Then `doctor` ends with 1.
    var isFinding = false

    /// Observation and next step in one sentence.
    var sentence: String { "\(message): \(next.text)" }

    /// Writes the object for scripts.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(name: "rule", text: rule)
        writer.member(name: "problem", value: isFinding)
        writer.member(name: "message", text: message)
        writer.member(name: "next", text: next.text)
        writer.endObject()
    }

    /// The largest clock skew in seconds. With more, edit times are misleading.
    static let maxClockSkewSeconds = 60.0
}

extension Advice {
    /// All advice for a status, the most urgent first.
    static func all(status: StoreStatus, commands: StoreCommands, warnings: [Diagnostic] = []) -> [Advice] {
        var all: [Advice] = []
        let push = commands.sync(remote: status.remote)
        if let last = status.history.first, last.outcome == .failed {
            all.append(failed(sync: last, nextRetry: status.sync.outside.nextRetry))
        }
        if let last = status.history.first, last.outcome == .partial, status.sync.rejected == 0 {
            all.append(partial(sync: push))
        }
        if status.account == .unreadable { all.append(.unreadableAccounts) }
        if status.account == .notInUse { all.append(.accountNotInUse) }
        if let skew = status.sync.outside.clockSkewSeconds, abs(skew) > maxClockSkewSeconds {
            all.append(clock(skew: skew))
        }
        let sync = status.sync
        if sync.rejected > 0 { all.append(rejected(count: sync.rejected, commands: commands)) }
        if sync.conflicted > 0 { all.append(conflicts(count: sync.conflicted, commands: commands)) }
        if sync.orphaned > 0 { all.append(orphans(count: sync.orphaned, sync: push)) }
        if sync.deletedWithParent > 0 {
            all.append(deletedWithParent(count: sync.deletedWithParent, commands: commands))
        }
        if sync.altered > 0 { all.append(altered(count: sync.altered, commands: commands)) }
        for (name, count) in status.withoutSchema.sorted(by: { $0.key < $1.key }) {
            all.append(withoutSchema(entity: name, count: count))
        }
        if status.isUnanswered { all.append(unanswered(sync: push)) }
        if sync.pending > 0 {
            all.append(pending(count: sync.pending, hasSynced: status.lastSync != nil, sync: push))
        }
        if all.isEmpty, !status.isUntouched, !sync.isInSync { all.append(unconfirmed(sync: push)) }
        if !warnings.isEmpty { all.append(schemaWarnings(commands: commands)) }
        return all
    }

    /// The sentence for a store without advice; nil if there is any.
    static func nothing(status: StoreStatus, advice: [Advice], commands: StoreCommands) -> Instruction? {
        guard advice.allSatisfy({ $0.rule == schemaWarningsRule }) else { return nil }
        guard status.isUntouched else { return "All is well: nothing waits, conflicts or was rejected." }
        return """
            Start with \(command: commands.list("put")) or \(command: commands.list("import")), then \
            \(command: commands.sync(remote: status.remote)).
            """
    }

    /// A full-text index was made anew.
    static func searchRebuilt(entity: EntityDescriptor) -> Advice {
        Advice(
            rule: "search-rebuilt",
            message: "The search index of \(entity.name) did not fit its records and was made anew",
            next: "nothing needs to be done."
        )
    }

    /// Records do not fit their schema.
    static func unfitRecords(_ unfitRecords: UnfitRecords) -> Advice {
        let records = unfitRecords.count == 1 ? "record does" : "records do"
        return Advice(
            rule: "does-not-fit",
            message:
                "\(unfitRecords.count) \(unfitRecords.entity) \(records) not fit the schema (\(unfitRecords.reason.visible))",
            next:
                "correct them with 'put', or let the schema allow it; other devices with these schemas refuse them.",
            isFinding: true
        )
    }

    /// Records of a tree refer to each other in a circle.
    static func circles(_ circle: Workspace.Circle) -> Advice {
        Advice(
            rule: "circle",
            message:
                "\(circle.keys.count) \(circle.entity) records are inside of each other (\(circle.text))",
            next:
                "put one of them elsewhere, or let the next sync undo a move; no tree shows them until then.",
            isFinding: true
        )
    }

    private static func withoutSchema(entity: String, count: Int) -> Advice {
        let records = count == 1 ? "1 record of \(entity) is" : "\(count) records of \(entity) are"
        return Advice(
            rule: "without-schema",
            message: "\(records) not synced, and no schema describes \(entity)",
            next: "put its schema back or name its folder with '--schemas'; until then it is not sent.",
            isFinding: true
        )
    }

    private static func failed(sync: PastSync, nextRetry: Timestamp?) -> Advice {
        let next: String =
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
            next: "\(next).",
            isFinding: true
        )
    }

    private static func partial(sync: String) -> Advice {
        Advice(
            rule: "sync-partial",
            message: "The last sync had to leave something out",
            next: "run \(command: sync) again, which says what and why.",
            isFinding: true
        )
    }

    private static func clock(skew: Double) -> Advice {
        let seconds = Int(abs(skew).rounded())
        return Advice(
            rule: "clock-skew",
            message: "This machine's clock is \(seconds) s \(skew > 0 ? "behind" : "ahead of") the server's",
            next: "set the clock, as the times of edits decide which of them wins.",
            isFinding: true
        )
    }

    private static func rejected(count: Int, commands: StoreCommands) -> Advice {
        Advice(
            rule: "rejected",
            message: "\(count) rejected",
            next: """
                see why with \(command: commands.list("rejected")), correct them with 'put', or the remote and then \
                \(command: commands.list("rejected retry")), and sync.
                """,
            isFinding: true
        )
    }

    private static func conflicts(count: Int, commands: StoreCommands) -> Advice {
        Advice(
            rule: "conflicts",
            message: "\(count) in conflict",
            next: "compare with \(command: commands.list("conflicts")), which says how to resolve each."
        )
    }

    private static func orphans(count: Int, sync: String) -> Advice {
        Advice(
            rule: "orphans",
            message: "\(count) kept back until the record that they belong to arrives",
            next: "sync the device that made it, then run \(command: sync) here."
        )
    }

    private static func deletedWithParent(count: Int, commands: StoreCommands) -> Advice {
        Advice(
            rule: "deleted-with-parent",
            message: "\(count) deleted with a parent that another device had deleted without knowing of them",
            next: """
                see \(command: commands.list("journal")), and bring one back with \
                \(command: commands.restore(id: "ID", withParents: true)).
                """
        )
    }

    private static func altered(count: Int, commands: StoreCommands) -> Advice {
        Advice(
            rule: "altered",
            message: "\(count) stored by the server without something that was written here",
            next: """
                see \(command: commands.list("journal")), and write again what its database can hold, or bring one back \
                with \(command: commands.restore(id: "ID")) once that was changed.
                """
        )
    }

    private static func pending(count: Int, hasSynced: Bool, sync: String) -> Advice {
        Advice(
            rule: "pending",
            message: "\(count) not sent yet\(hasSynced ? "" : "; this store has never synced")",
            next: "run \(command: sync)."
        )
    }

    private static func unanswered(sync: String) -> Advice {
        Advice(
            rule: "unanswered",
            message: "A push runs just now, or broke off before its answer came",
            next: "run \(command: sync), which finds out what arrived and sends nothing twice."
        )
    }

    private static func unconfirmed(sync: String) -> Advice {
        Advice(
            rule: "unconfirmed",
            message: "Nothing waits, but no sync has confirmed it",
            next: "run \(command: sync)."
        )
    }

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

    private static let schemaWarningsRule = "schema-warnings"

    private static func schemaWarnings(commands: StoreCommands) -> Advice {
        Advice(
            rule: schemaWarningsRule,
            message: "The schemas have warnings",
            next: "see them with \(command: commands.validate())."
        )
    }
}
