import SyncCore
import SyncPages
import SyncRuntime

/// What waits, conflicts, was rejected, or was lost.
extension InspectorPage {
    var waitingSection: PageSection {
        let advice = report.context.advice.filter { Self.waitingRules.contains($0.rule) }
        let reasons = advice.map { "<li>\($0.message): \(self.advice(text: $0.next))</li>\n" as Markup }
        let part = report.waiting
        guard part.total > 0 || report.status.orphaned > 0 else {
            return PageSection(
                id: "waiting",
                title: "Waiting",
                count: 0,
                content: "<p>Nothing waits to be sent.</p>"
            )
        }
        let places = Dictionary(
            report.histories.elements.enumerated().map { ($1.record, "history-\($0)") }
        ) { first, _ in first }
        let rows = part.elements.prefix(Self.maxWaitingRows).map { change -> [Markup] in
            let again: Markup = change.isTriedAgain ? ", again after a rejection" : ""
            return [
                name(of: change.record, link: places[change.record]),
                "\(InspectorWords.words(kind: change.kind))\(again)",
                time(at: change.at),
                "\(ago(since: change.at))",
            ]
        }
        let left: Markup =
            part.total > rows.count
            ? """
            <p>The first \(PageWords.number(rows.count)) of \(PageWords.number(part.total)) are listed, in the order \
            in which they will be sent.</p>
            """ : ""
        let columns: [PageTable.Column] = [
            .text("Record"), .text("What"), .text("Made"), .text("Waits since"),
        ]
        let list =
            rows.isEmpty
            ? "" : PageTable(caption: "Changes that the next sync sends", columns: columns, rows: rows).markup
        return PageSection(
            id: "waiting",
            title: "Waiting",
            count: rows.count,
            of: part.total,
            content: """
                <h3>Why</h3>
                <ul class="reasons">\(reasons)</ul>
                \(part.total > 0 ? command(label: "Send them:", line: report.context.commands.sync(remote: report.context.remote)) : "")\
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

    var conflictsSection: PageSection {
        section(
            id: "conflicts",
            title: "Conflicts",
            part: report.conflicts,
            noun: "conflict",
            empty: "There are no conflicts.",
            introduction: """
                <p>Both this device and the remote changed these records without having seen the other's change. \
                Nothing is lost until you decide, and what is not chosen goes to the journal. The decision reaches \
                the other devices with the next sync.</p>

                """
        ) { article(conflict: $0) }
    }

    /// A section with a list, of which `synccheck` has a command of the same name.
    private func section<Element>(
        id: String,
        title: String,
        part: ShownPart<Element>,
        noun: String,
        empty: String,
        introduction: Markup = "",
        notes: Markup = "",
        item: (Element) -> Markup
    ) -> PageSection {
        guard part.total > 0 else {
            return PageSection(id: id, title: title, count: 0, content: "\(notes)<p>\(empty)</p>")
        }
        let commands = report.context.commands
        let list = self.list(
            of: part,
            noun: noun,
            rest: [commands.list(id), commands.inspect(limit: part.total)],
            item: item
        )
        return PageSection(
            id: id,
            title: title,
            count: list.count,
            of: part.total,
            content: "\(introduction)\(notes)\(list.markup)"
        )
    }

    private func article(conflict: ReportedConflict) -> Markup {
        let commands = report.context.commands
        let draft: Markup =
            conflict.draft.map {
                command(label: draftLabel(of: conflict, json: $0), line: commands.resolve(conflict, with: $0))
            } ?? ""
        let undecided: Markup =
            conflict.undecided.isEmpty
            ? ""
            : "<p>Only \(PageWords.count(conflict.undecided.count, noun: "field")) must be decided; the rest is merged already.</p>"
        return """
            <article class="item" id="conflict-\(conflict.record.entity)-\(conflict.record.hexKey.prefix(64).description)">
            <h3>\(name(of: conflict.record))</h3>
            \(undecided)\
            \(comparison(of: conflict.comparison, caption: "Where the versions differ", undecided: conflict.undecided))
            \(form(resolving: conflict))\
            <details class="ways"><summary>Ways out, as commands<span class="sr"> for \(label(of: conflict.record))</span></summary>
            \(whyNoCommands(for: conflict.record))\(command(label: "Keep what this device has:", line: commands.resolve(conflict.record, keep: "local", against: conflict.version)))\
            \(command(label: "Take what the remote has:", line: commands.resolve(conflict.record, keep: "remote", against: conflict.version)))\
            \(draft)\(command(label: "See all that is known of it:", line: commands.explain(conflict.record)))</details>
            </article>

            """
    }

    /// What a person does with the draft of a value.
    private func draftLabel(of conflict: ReportedConflict, json: String) -> Instruction {
        guard StoreCommands.isLong(json) else {
            return "Or write a value of your own (this one is a draft):"
        }
        let what = conflict.undecided.isEmpty ? "the whole record" : "the fields to decide"
        let list = report.context.commands.list("conflicts") + " --json"
        return """
            Or write a value of your own: put \(what) as JSON into a file record.json, \(conflict.timesLeftOut)with \
            what \(command: list) prints of both sides as a draft, and run:
            """
    }

    var rejectedSection: PageSection {
        section(
            id: "rejected",
            title: "Rejected",
            part: report.rejected,
            noun: "rejected record",
            empty: "Nothing was rejected."
        ) { article(rejection: $0) }
    }

    private func article(rejection: ReportedRejection) -> Markup {
        let commands = report.context.commands
        let side: Markup =
            rejection.isLocal
            ? "The remote refused the change of this device" : "What the remote sent could not be taken in"
        let other: Markup =
            rejection.other.map {
                "<p>It clashes with the record <bdi class=\"key\">\(Self.key(text: $0))</bdi>.</p>"
            } ?? ""
        let record = rejection.record
        var ways: [Markup] = []
        if rejection.isLocal, let draft = rejection.draft {
            let label: Instruction =
                StoreCommands.isLong(draft)
                ? "Correct it: put its key and what to change as JSON into a file record.json, and run:"
                : "Correct it (this is its value):"
            ways.append(command(label: label, line: commands.put(entity: record.entity, json: draft)))
        }
        if rejection.isLocal {
            ways.append(
                command(
                    label: "Or send it again as it is, once the cause is gone:",
                    line: commands.retry(record)
                )
            )
        } else {
            ways.append("<p>Every sync tries it again; it is taken in once the schemas allow it.</p>")
            ways.append(command(label: "See what came:", line: commands.list("rejected export")))
        }
        if rejection.isKnown {
            let label: Instruction =
                rejection.isLocal
                ? "Or give it up; its value goes to the journal:"
                : "Or forget it here; it stays on the remote:"
            ways.append(command(label: label, line: commands.discard(record)))
        }
        ways.append(whyNoCommands(for: record))
        return """
            <article class="item">
            <h3>\(name(of: record))</h3>
            <p class="reason"><strong><bdi>\(Self.short(text: rejection.reason, limit: ReportLimits.maxValueScalars))</bdi></strong></p>
            <p class="quiet">\(side), since \(time(at: rejection.since)), in \(PageWords.count(rejection.attempts, noun: "attempt")).</p>
            \(other)\(value(label: "The value of this device", json: rejection.local))\(value(label: "What came", json: rejection.raw))\
            \(form(retrying: rejection))\
            <details class="ways"><summary>Ways out, as commands<span class="sr"> for \(label(of: record))</span></summary>
            \(ways)</details>
            </article>

            """
    }

    private func value(label: String, json: String?) -> Markup {
        guard let json, !json.isEmpty else { return "" }
        return """
            <details><summary>\(label)</summary><pre class="value"><code>\(Self.short(text: json, limit: 4000))</code></pre></details>

            """
    }

    var journalSection: PageSection {
        section(
            id: "journal",
            title: "Journal",
            part: report.journal,
            noun: "entry",
            empty: "No value was lost to a decision.",
            introduction: """
                <p>Values that a rule or a person decided against, the newest first. Each can be brought back: it \
                becomes an edit of its own.</p>

                """,
            notes: damagedLosses
        ) { article(loss: $0) }
    }

    private var damagedLosses: Markup {
        guard report.damagedLosses > 0 else { return "" }
        let entries = PageWords.count(report.damagedLosses, noun: "entry")
        return """
            <p><strong>\(entries) cannot be read: the file of the store was damaged.</strong> A backup may have what \
            is missing here.</p>

            """
    }

    private func article(loss: ReportedLoss) -> Markup {
        let ways: Markup =
            loss.restoration.changesRecord
            ? ways(restoring: loss)
            : """
            <p>The record has this value now.</p>

            """
        return """
            <article class="item">
            <h3>\(name(of: loss.record))</h3>
            <p>\(InspectorWords.words(rule: loss.rule)) <span class="quiet">\(time(at: loss.at)), \(ago(since: loss.at))</span></p>
            \(comparison(of: loss.comparison, caption: "What was kept, and what was lost"))
            \(ways)</article>

            """
    }

    private func ways(restoring loss: ReportedLoss) -> Markup {
        let commands = report.context.commands
        let parents: Markup =
            loss.hasParents
            ? command(
                label: "If the record that it belongs to was deleted, bring that back with it:",
                line: commands.restore(id: loss.id, withParents: true)
            ) : ""
        return """
            \(form(restoring: loss))\
            <details class="ways"><summary>How to bring it back<span class="sr">: \(label(of: loss.record))</span></summary>
            \(command(label: "Bring the lost value back:", line: commands.restore(id: loss.id)))\(parents)</details>

            """
    }
}
