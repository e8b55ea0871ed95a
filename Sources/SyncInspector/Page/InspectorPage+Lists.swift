import SyncCore
import SyncRuntime

/// What waits, conflicts, was rejected, or was lost.
extension InspectorPage {
    var waitingSection: Section {
        let advice = report.context.advice.filter { Self.waitingRules.contains($0.rule) }
        let reasons = advice.map { "<li>\($0.message): \(self.advice($0.next))</li>\n" as Markup }
        let part = report.waiting
        guard part.total > 0 || report.status.orphaned > 0 else {
            return Section(
                id: "waiting",
                title: "Waiting",
                count: 0,
                content: "<p>Nothing waits to be sent.</p>"
            )
        }
        let rows = part.elements.prefix(Self.maxWaitingRows).map { change -> [Markup] in
            let again: Markup = change.isTriedAgain ? ", again after a rejection" : ""
            return [
                name(change.record), "\(PageWords.kind(change.kind))\(again)", time(change.at),
                "\(ago(change.at))",
            ]
        }
        let left: Markup =
            part.total > rows.count
            ? """
            <p>The first \(PageWords.number(rows.count)) of \(PageWords.number(part.total)) are listed, in the order \
            in which they will be sent.</p>
            """ : ""
        let columns: [Column] = [.text("Record"), .text("What"), .text("Made"), .text("Waits since")]
        let list = rows.isEmpty ? "" : table("Changes that the next sync sends", columns: columns, rows: rows)
        return Section(
            id: "waiting",
            title: "Waiting",
            count: report.status.pending,
            content: """
                <h3>Why</h3>
                <ul class="reasons">\(reasons)</ul>
                \(part.total > 0 ? command("Send them:", report.context.commands.sync(remote: report.context.remote)) : "")\
                \(left)\(list)
                """
        )
    }

    /// The most lines of the list of waiting changes.
    private static let maxWaitingRows = 200

    /// Advice that says why something waits.
    private static let waitingRules: Set = [
        "sync-failed", "sync-partial", "accounts-unreadable", "account-not-in-use", "unanswered", "orphans",
        "pending",
    ]

    var conflictsSection: Section {
        guard report.conflicts.total > 0 else {
            return Section(
                id: "conflicts",
                title: "Conflicts",
                count: 0,
                content: "<p>There are no conflicts.</p>"
            )
        }
        let commands = report.context.commands
        let list = self.list(
            report.conflicts,
            noun: "conflict",
            rest: [commands.list("conflicts"), commands.inspect(limit: report.conflicts.total)]
        ) { conflict($0) }
        return Section(
            id: "conflicts",
            title: "Conflicts",
            count: report.conflicts.total,
            content: """
                <p>Both this device and the remote changed these records without having seen the other's change. \
                Nothing is lost until you decide, and what is not chosen goes to the journal. The decision reaches \
                the other devices with the next sync.</p>
                \(list)
                """
        )
    }

    private func conflict(_ conflict: ReportedConflict) -> Markup {
        let commands = report.context.commands
        let draft: Markup =
            conflict.draft.map {
                command(
                    "Or write a value of your own (this one is a draft):",
                    commands.resolve(conflict, with: $0)
                )
            } ?? ""
        let undecided: Markup =
            conflict.undecided.isEmpty
            ? ""
            : "<p>Only \(PageWords.count(conflict.undecided.count, noun: "field")) must be decided; the rest is merged already.</p>"
        return """
            <article class="item" id="conflict-\(conflict.record.entity)-\(conflict.record.hexKey.prefix(64).description)">
            <h3>\(name(conflict.record))</h3>
            \(undecided)\
            \(comparison(conflict.comparison, caption: "Where the versions differ", undecided: conflict.undecided))
            \(resolveForm(conflict))\
            <details class="ways"><summary>Ways out, as commands<span class="sr"> for \(Self.short(conflict.record.key.text))</span></summary>
            \(command("Keep what this device has:", commands.resolve(conflict, keep: "local")))\
            \(command("Take what the remote has:", commands.resolve(conflict, keep: "remote")))\
            \(draft)\(command("See all that is known of it:", commands.explain(conflict.record)))</details>
            </article>

            """
    }

    var rejectedSection: Section {
        guard report.rejected.total > 0 else {
            return Section(
                id: "rejected",
                title: "Rejected",
                count: 0,
                content: "<p>Nothing was rejected.</p>"
            )
        }
        let commands = report.context.commands
        let list = self.list(
            report.rejected,
            noun: "rejected record",
            rest: [commands.list("rejected"), commands.inspect(limit: report.rejected.total)]
        ) { rejection($0) }
        return Section(id: "rejected", title: "Rejected", count: report.rejected.total, content: list)
    }

    private func rejection(_ rejection: ReportedRejection) -> Markup {
        let commands = report.context.commands
        let side: Markup =
            rejection.isLocal
            ? "The remote refused the change of this device" : "What the remote sent could not be taken in"
        let other: Markup =
            rejection.other.map {
                "<p>It clashes with the record <bdi class=\"key\">\(Self.short($0))</bdi>.</p>"
            } ?? ""
        let record = rejection.record
        var ways: [Markup] = []
        if rejection.isLocal, let local = rejection.local {
            ways.append(
                command("Correct it (this is its value):", commands.put(entity: record.entity, json: local))
            )
        }
        if rejection.isLocal {
            ways.append(command("Or send it again as it is, once the cause is gone:", commands.retry(record)))
        } else {
            ways.append("<p>Every sync tries it again; it is taken in once the schemas allow it.</p>")
            ways.append(command("See what came:", commands.list("rejected export")))
        }
        if rejection.isKnown {
            let label =
                rejection.isLocal
                ? "Or give it up; its value goes to the journal:"
                : "Or forget it here; it stays on the remote:"
            ways.append(command(label, commands.discard(record)))
        }
        return """
            <article class="item">
            <h3>\(name(record))</h3>
            <p class="reason"><strong><bdi>\(Self.short(rejection.reason, limit: ReportLimits.maxValueScalars))</bdi></strong></p>
            <p class="quiet">\(side), since \(time(rejection.since)), in \(PageWords.count(rejection.attempts, noun: "attempt")).</p>
            \(other)\(value("The value of this device", rejection.local))\(value("What came", rejection.raw))\
            \(retryForm(rejection))\
            <details class="ways"><summary>Ways out, as commands<span class="sr"> for \(Self.short(record.key.text))</span></summary>
            \(ways)</details>
            </article>

            """
    }

    private func value(_ label: String, _ json: String?) -> Markup {
        guard let json, !json.isEmpty else { return "" }
        return """
            <details><summary>\(label)</summary><pre class="value"><code>\(Self.short(json, limit: 4000))</code></pre></details>

            """
    }

    var journalSection: Section {
        guard report.journal.total > 0 else {
            return Section(
                id: "journal",
                title: "Journal",
                count: 0,
                content: "<p>No value was lost to a decision.</p>"
            )
        }
        let commands = report.context.commands
        let list = self.list(
            report.journal,
            noun: "entry",
            rest: [commands.list("journal"), commands.inspect(limit: report.journal.total)]
        ) { loss($0) }
        return Section(
            id: "journal",
            title: "Journal",
            count: report.journal.total,
            content: """
                <p>Values that a rule or a person decided against, the newest first. Each can be brought back: it \
                becomes an edit of its own.</p>
                \(list)
                """
        )
    }

    private func loss(_ loss: ReportedLoss) -> Markup {
        let commands = report.context.commands
        let parents: Markup =
            loss.hasParents
            ? command(
                "If the record that it belongs to was deleted, bring that back with it:",
                commands.restore(id: loss.id, withParents: true)
            ) : ""
        return """
            <article class="item">
            <h3>\(name(loss.record))</h3>
            <p>\(PageWords.rule(loss.rule)) <span class="quiet">\(time(loss.at)), \(ago(loss.at))</span></p>
            \(comparison(loss.comparison, caption: "What was kept, and what was lost"))
            \(restoreForm(loss))\
            <details class="ways"><summary>How to bring it back<span class="sr">: \(Self.short(loss.record.key.text))</span></summary>
            \(command("Bring the lost value back:", commands.restore(id: loss.id)))\(parents)</details>
            </article>

            """
    }
}
