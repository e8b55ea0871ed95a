import SyncCore
import SyncPages

/// A record's history as a picture: a line for each device, and a mark for each step, from left to right in order.
///
/// Positions are percentages of the width, so that texts keep their size on any screen.
struct HistoryPicture {
    /// The most steps of a picture; earlier ones are only in the list.
    private static let maxSteps = 40
    /// The most devices with a line of their own; all others share the last one.
    private static let maxLanes = 8
    private static let laneHeight = 44

    private let history: RecordHistory
    private let number: Int
    private let own: String
    private let steps: ArraySlice<RecordHistory.Step>

    /// A picture of a history; `number` tells it from the others of the page.
    init(history: RecordHistory, number: Int, own: String) {
        self.history = history
        self.number = number
        self.own = own
        steps = history.steps.suffix(Self.maxSteps)
    }

    var svg: Markup {
        let lanes = min(history.devices.count, Self.maxLanes)
        let names = (0..<lanes).map { lane -> Markup in
            let y = lane * Self.laneHeight
            return """
                <text class="lane-name" x="0" y="\(y + 13)">\(laneName(lane: lane, of: lanes))</text>\
                <line class="lane" x1="0" x2="100%" y1="\(y + 29)" y2="\(y + 29)"></line>

                """
        }
        let edges = steps.indices.flatMap { index in
            steps[index].origins.filter(steps.indices.contains).map { edge(from: $0, to: index) }
        }
        return """
            <svg class="picture" role="img" aria-labelledby="picture-\(number)-title picture-\(number)-text" width="100%" \
            height="\(lanes * Self.laneHeight + 26)" focusable="false">
            <title id="picture-\(number)-title">History of this record</title>
            <desc id="picture-\(number)-text">\(summary)</desc>
            \(names)\(edges)\(steps.indices.map(mark))\(times(top: lanes * Self.laneHeight))</svg>
            """
    }

    /// A line to a step from one that it came from.
    private func edge(from origin: Int, to step: Int) -> Markup {
        let (start, end) = (place(of: origin), place(of: step))
        return """
            <line class="edge" x1="\(start.x)" x2="\(end.x)" y1="\(start.y)" y2="\(end.y)"></line>

            """
    }

    /// When the first and the last of the steps were.
    private func times(top: Int) -> Markup {
        guard let first = steps.first?.at, let last = steps.last?.at else { return "" }
        let end: Markup =
            steps.count > 1
            ? "<text class=\"time\" x=\"100%\" y=\"\(top + 18)\" text-anchor=\"end\">\(Self.minute(of: last))</text>"
            : ""
        return "<text class=\"time\" x=\"0\" y=\"\(top + 18)\">\(Self.minute(of: first))</text>\(end)\n"
    }

    /// An instant to the minute.
    private static func minute(of time: Timestamp) -> String { String(PageWords.time(at: time).prefix(16)) }

    /// What the marks mean.
    static var legend: Markup {
        let words: [(RecordHistory.Kind, String)] = [
            (.edit(0), "edit"), (.delete(0), "delete"), (.event("merged"), "merged or agreed"),
            (.event("conflict"), "conflict"), (.event("resolved"), "decided or brought back"),
            (.event(""), "anything else"),
        ]
        let items = words.map { kind, word -> Markup in
            """
            <span><svg width="20" height="20" aria-hidden="true" focusable="false"><svg x="10" y="10" \
            overflow="visible">\(shape(of: kind))</svg></svg> \(word)</span>

            """
        }
        return "<p class=\"legend\">\(items)</p>"
    }

    /// The picture in words, short.
    private var summary: String {
        let shown = steps.count < history.steps.count ? "The last \(steps.count) of " : ""
        let words = steps.map { step in
            switch step.kind {
            case .edit: "edit by \(InspectorWords.device(id: history.devices[step.device], own: own))"
            case .delete: "delete by \(InspectorWords.device(id: history.devices[step.device], own: own))"
            case .event(let event): String(event.prefix(40))
            }
        }
        return "\(shown)\(PageWords.count(history.steps.count, noun: "step")), in order: "
            + words.joined(separator: "; ") + "."
    }

    private func laneName(lane: Int, of lanes: Int) -> String {
        let left = history.devices.count - lanes
        return lane == lanes - 1 && left > 0
            ? PageWords.count(left + 1, noun: "other device")
            : InspectorWords.device(id: history.devices[lane], own: own)
    }

    private func mark(at index: Int) -> Markup {
        let place = place(of: index)
        return """
            <svg x="\(place.x)" y="\(place.y)" overflow="visible">\(Self.shape(of: steps[index].kind))</svg>

            """
    }

    /// Where a step is: from 4 % to 96 % of the width, and on the line of its device.
    private func place(of index: Int) -> (x: String, y: Int) {
        let tenths = 40 + 920 * (index - steps.startIndex) / max(steps.count - 1, 1)
        let lane = min(steps[index].device, Self.maxLanes - 1)
        return ("\(tenths / 10).\(tenths % 10)%", lane * Self.laneHeight + 29)
    }

    /// The mark of a kind of step. No two differ by their colours alone.
    private static func shape(of kind: RecordHistory.Kind) -> Markup {
        switch InspectorPage.style(of: kind) {
        case "edit": "<circle class=\"mark edit\" r=\"7\"></circle>"
        case "delete":
            "<circle class=\"mark delete\" r=\"6\"></circle><path class=\"mark delete\" d=\"M-4 4 4-4\"></path>"
        case "conflict": "<path class=\"mark conflict\" d=\"M0-9 9 7H-9Z\"></path>"
        case "merged": "<path class=\"mark merged\" d=\"M0-9 9 0 0 9-9 0Z\"></path>"
        case "resolved": "<path class=\"mark resolved\" d=\"M-7-7H7V7H-7Z\"></path>"
        default: "<circle class=\"mark other\" r=\"5\"></circle>"
        }
    }
}
