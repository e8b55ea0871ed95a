import SyncCore
import SyncPages

/// Histories of records, each as a picture and as a list.
extension InspectorPage {
    var historiesSection: PageSection {
        let part = report.histories
        let ask: Markup = command(
            label: "Any other record, as a page or as text:",
            line: report.context.commands.inspect(RecordName(entity: "ENTITY", key: RecordKey("KEY")))
        )
        guard !part.elements.isEmpty else {
            let text: Markup =
                "<p>Records in conflict, rejected, waiting or in the journal have their history here; there are none.</p>"
            return PageSection(id: "histories", title: "Histories", count: 0, content: "\(text)\(find)\(ask)")
        }
        let left: Markup =
            part.total > part.elements.count
            ? """
            <p>The histories of \(PageWords.number(part.elements.count)) of \(PageWords.number(part.total)) records \
            are on this page: first those in conflict, then rejected ones, then those of the journal and what waits.</p>
            """ : ""
        let items = part.elements.enumerated().map { article(history: $1, number: $0) }
        return PageSection(
            id: "histories",
            title: "Histories",
            count: part.elements.count,
            of: part.total,
            content:
                "\(find)\(left)\(HistoryPicture.legend)<div class=\"items\" data-noun=\"history\">\n\(items)</div>\n\(ask)"
        )
    }

    /// The form that leads to any record; only a live page can answer it.
    private var find: Markup {
        guard live != nil else { return "" }
        let options = report.entities.map { "<option>\($0.name)</option>" as Markup }
        return """
            <form class="find" method="get" action="/#histories">
            <label>Entity <select name="entity">\(options)</select></label>
            <label>Key <input name="text" required autocomplete="off"></label>
            <button>Show its history</button>
            </form>
            <p class="quiet">A key may be written as this page shows it: \\u{a}, for example, is a line break.</p>

            """
    }

    private func article(history: RecordHistory, number: Int) -> Markup {
        let steps = history.steps.enumerated().map { index, step -> Markup in
            """
            <li><span class="mark \(Self.style(of: step.kind))" aria-hidden="true"></span><div>\
            <strong>\(title(of: step, in: history))</strong> <span class="quiet">\(time(at: step.at))</span>\
            \(note(on: step))</div></li>

            """
        }
        let hidden: Markup =
            switch history.visibility {
            case .live: ""
            case .deleted: " It is deleted."
            case .setAside: " It is set aside, because its schema cannot read it."
            }
        let survivor: Markup =
            history.mergedInto.map {
                " It lives on as <bdi class=\"key\">\(Self.key(text: $0.text))</bdi>."
            }
            ?? ""
        return """
            <article class="item" id="history-\(number)">
            <h3>\(name(of: history.record))</h3>
            <p>State: \(InspectorWords.words(state: history.state)).\(hidden)\(survivor)</p>
            \(HistoryPicture(history: history, number: number, own: report.context.device).svg)
            <details\(number == 0 && report.context.asked != nil ? " open" : "")><summary>\
            \(PageWords.count(history.steps.count, noun: "step"))<span class="sr"> of \(label(of: history.record))</span>\
            </summary><ol class="steps">
            \(steps)</ol></details>
            </article>

            """
    }

    private func title(of step: RecordHistory.Step, in history: RecordHistory) -> String {
        let device = InspectorWords.device(id: history.devices[step.device], own: report.context.device)
        return switch step.kind {
        case .edit(let sequence): "Written by \(device), edit \(sequence)"
        case .delete(let sequence): "Deleted by \(device), edit \(sequence)"
        case .event(let event): InspectorWords.words(event: Self.short(text: event))
        }
    }

    private func note(on step: RecordHistory.Step) -> Markup {
        let detail = InspectorWords.words(
            detail:
                Self.short(text: step.detail, limit: ReportLimits.maxValueScalars),
            own: report.context.device
        )
        return detail.isEmpty ? "" : "<br><bdi>\(detail)</bdi>"
    }

    /// The class of a step's mark.
    static func style(of kind: RecordHistory.Kind) -> String {
        switch kind {
        case .edit: "edit"
        case .delete: "delete"
        case .event("conflict"): "conflict"
        case .event("merged"), .event("agreed"): "merged"
        case .event("resolved"), .event("restored"): "resolved"
        case .event: "other"
        }
    }
}
