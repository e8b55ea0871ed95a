import SyncCore
import SyncPages
import SyncRuntime

/// What a person wants to know first: is everything well, and if not, what to do.
extension InspectorPage {
    /// How the store is.
    enum Condition: String {
        /// A person must act.
        case act
        /// A person may decide.
        case decide
        /// Something waits, which a sync does.
        case wait
        /// Nothing is left to do.
        case well
    }

    var condition: Condition {
        let status = report.status
        if report.context.advice.contains(where: \.isFinding) || status.rejected > 0 { return .act }
        if status.conflicted > 0 || status.deletedWithParent > 0 || status.altered > 0 { return .decide }
        return report.context.advice.isEmpty ? .well : .wait
    }

    /// The answer in a few words.
    var headline: String {
        switch condition {
        case .act, .decide:
            let count = report.context.advice.filter(isPersonal).reduce(0) { $0 + things(in: $1) }
            return count <= 1 ? "One thing needs you." : "\(PageWords.number(count)) things need you."
        case .wait:
            return report.status.pending > 0 ? "Nothing is wrong; some changes wait." : "Nothing is wrong."
        case .well: return isUntouched ? "Nothing is here yet." : "All is well."
        }
    }

    private var isUntouched: Bool {
        report.syncs.isEmpty && report.entities.allSatisfy { $0.counts.records + $0.counts.deleted == 0 }
    }

    /// Advice that only a person can follow, without being a finding.
    private static let personal: Set = ["conflicts", "deleted-with-parent", "altered", "account-not-in-use"]

    private func isPersonal(advice: ReportedAdvice) -> Bool {
        advice.isFinding || Self.personal.contains(advice.rule)
    }

    /// How many things a piece of advice speaks of.
    private func things(in advice: ReportedAdvice) -> Int {
        switch advice.rule {
        case "rejected": report.status.rejected
        case "conflicts": report.status.conflicted
        case "deleted-with-parent": report.status.deletedWithParent
        case "altered": report.status.altered
        default: 1
        }
    }

    /// Sections with more on a piece of advice.
    private static let places = [
        "rejected": "rejected", "conflicts": "conflicts", "deleted-with-parent": "journal",
        "altered": "journal",
        "pending": "waiting", "unanswered": "waiting", "orphans": "waiting", "sync-failed": "syncs",
        "sync-partial": "syncs", "clock-skew": "syncs",
    ]

    var verdict: Markup {
        let advice = report.context.advice
        let personal = list(of: advice.filter(isPersonal))
        let other = list(of: advice.filter { !isPersonal(advice: $0) })
        let isMixed = !personal.html.isEmpty && !other.html.isEmpty
        let between: Markup = isMixed ? "<p>This needs no decision:</p>\n" : ""
        let list: Markup = "\(personal)\(between)\(other)"
        let calm: Markup = report.context.reassurance.map { "<p>\(self.advice(text: $0))</p>" } ?? ""
        return """
            <section id="verdict" class="verdict \(condition.rawValue)" aria-labelledby="verdict-title">
            <h2 id="verdict-title">\(headline)</h2>
            \(calm)\(list)
            </section>

            """
    }

    private func list(of advice: [ReportedAdvice]) -> Markup {
        if advice.isEmpty { return "" }
        let items = advice.map { advice -> Markup in
            let link: Markup =
                Self.places[advice.rule].map {
                    " <a href=\"#\($0)\">Show<span class=\"sr\"> what is meant by “\(advice.message)”</span></a>"
                } ?? ""
            return """
                <li class="\(advice.isFinding ? "finding" : "remark")"><p class="what">\(advice.message).\(link)</p>\
                <p class="next"><span class="quiet">Next:</span> \(self.advice(text: advice.next))</p></li>

                """
        }
        return "<ol class=\"advice\">\n\(items)</ol>"
    }
}
