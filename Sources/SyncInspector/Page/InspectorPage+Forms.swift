import SyncCore
import SyncPages
import SyncRuntime

/// The buttons of a live page. A file has none.
extension InspectorPage {
    func form(resolving conflict: ReportedConflict) -> Markup {
        let label = label(of: conflict.record)
        return form(
            action: "resolve",
            record: conflict.record,
            fields: ["against": conflict.version ?? ""],
            buttons: """
                <button name="keep" value="local">Keep this device's<span class="sr"> version of \(label)</span></button>
                <button name="keep" value="remote">Take the remote's<span class="sr"> version of \(label)</span></button>
                """
        )
    }

    func form(retrying rejection: ReportedRejection) -> Markup {
        guard rejection.isLocal, rejection.isKnown else { return "" }
        let label = label(of: rejection.record)
        return form(
            action: "retry",
            record: rejection.record,
            fields: [:],
            buttons: "<button>Send it again<span class=\"sr\">: \(label)</span></button>"
        )
    }

    func form(restoring loss: ReportedLoss) -> Markup {
        let label = label(of: loss.record)
        let parents: Markup =
            loss.hasParents
            ? "\n<button name=\"parents\" value=\"1\">Bring it back with its parents<span class=\"sr\">: \(label)</span></button>"
            : ""
        return form(
            action: "restore",
            record: loss.record,
            fields: ["id": loss.id, "over": loss.restoration.current?.description ?? ""],
            buttons: "<button>Bring it back<span class=\"sr\">: \(label)</span></button>\(parents)"
        )
    }

    private func form(action: String, record: RecordName, fields: [String: String], buttons: Markup)
        -> Markup
    {
        guard let live else { return "" }
        let hidden = (fields.sorted { $0.key < $1.key } + [(key: "form", value: live.formToken)]).map {
            field in
            "<input type=\"hidden\" name=\"\(field.key)\" value=\"\(field.value)\">" as Markup
        }
        return """
            <form class="acts" method="post" action="/\(action)">\
            <input type="hidden" name="entity" value="\(record.entity)">\
            <input type="hidden" name="key" value="\(record.hexKey)">\(hidden)
            \(buttons)
            </form>

            """
    }
}
