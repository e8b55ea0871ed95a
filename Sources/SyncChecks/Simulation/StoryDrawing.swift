import SyncPages

/// The space-time diagram of a story: a list with a line for each event, which draws the event beside its text. Places
/// across are parts of the drawing's width, so that texts have room to wrap on any screen.
struct StoryDrawing {
    let outcome: Simulator.Outcome
    let names: [String]

    /// The height of the marks of a line, in its drawing.
    private static let middle = 14
    /// The most lines of devices that fit beside a text on a narrow screen; with more, the text goes below.
    private static let maxNarrowLanes = 5

    init(outcome: Simulator.Outcome, names: [String]) {
        self.outcome = outcome
        self.names = names
    }

    /// The name of the place in the middle; nil for copies of a folder.
    private var hub: String? {
        switch outcome.story.place {
        case .server: "server"
        case .folder: "folder"
        case .folders: nil
        }
    }
    private var lanes: Int { names.count + (hub == nil ? 0 : 1) }

    /// The list of all events.
    var list: Markup {
        let heads = (0..<lanes).map { lane in
            text(x: Self.place(lane: lane, of: lanes), text: lane < names.count ? names[lane] : hub ?? "")
        }
        let rails = (0..<lanes).map { lane -> Markup in
            let x = Self.place(lane: lane, of: lanes)
            return "<line class=\"rail\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"100%\" />"
        }
        var lastStep: Int?
        let lines = outcome.log.entries.map { entry -> Markup in
            let isNew = entry.step != lastStep
            lastStep = entry.step
            return """
                <li><span class="step">\(isNew ? (entry.step == 0 ? "rest" : "\(entry.step)") : "")</span>\
                \(drawing(content: "\(rails)\(events(entry: entry))"))\(words(of: entry))</li>

                """
        }
        let isWide = lanes > Self.maxNarrowLanes
        return """
            <div class="story lanes-\(lanes)\(isWide ? " many" : "")">
            <div class="heads" aria-hidden="true"><span></span>\(drawing(content: Markup(heads)))</div>
            <ol role="list">
            \(lines)</ol>
            </div>
            """
    }

    private func words(of entry: StoryLog.Entry) -> Markup {
        let who = entry.device.flatMap { names.indices.contains($0) ? names[$0] : nil }
        let name: Markup = who.map { "<strong>\($0)</strong> " } ?? ""
        return "<p>\(name)\(entry.text)</p>"
    }

    private func drawing(content: Markup) -> Markup {
        """
        <div class="lanes"><svg width="100%" height="100%" aria-hidden="true" focusable="false">\(content)</svg></div>
        """
    }

    // MARK: Places

    /// The middle of a lane in thousandths of the width.
    private static func thousandths(lane: Int, of lanes: Int) -> Int { (2 * lane + 1) * 500 / lanes }

    private static func place(lane: Int, of lanes: Int) -> String {
        percent(thousandths: thousandths(lane: lane, of: lanes))
    }

    private static func percent(thousandths: Int) -> String { "\(thousandths / 10).\(thousandths % 10)%" }

    private func x(lane: Int) -> Int { Self.thousandths(lane: lane, of: lanes) }

    // MARK: Events

    private func events(entry: StoryLog.Entry) -> Markup {
        guard let device = entry.device, names.indices.contains(device) else { return world(entry: entry) }
        let x = x(lane: device)
        switch entry.kind {
        case .message, .conflict:
            let fork = entry.kind == .conflict ? mark(.conflict, x: x) : Markup("")
            return messages(entry: entry, from: device) + fork
        case .lostMessage:
            guard let end = entry.peer ?? (hub == nil ? nil : names.count) else {
                return mark(.lostMessage, x: x)
            }
            let goal = self.x(lane: end)
            return line(name: "lost", x: x, goal: goal) + mark(.lostMessage, x: (x + goal) / 2)
        default: return mark(entry.kind, x: x)
        }
    }

    private func messages(entry: StoryLog.Entry, from device: Int) -> Markup {
        let x = x(lane: device)
        if let peer = entry.peer, names.indices.contains(peer) {
            return arrow(x: x, goal: self.x(lane: peer))
        }
        guard hub != nil else { return mark(.message, x: x) }
        let goal = self.x(lane: names.count)
        guard let traffic = entry.traffic, traffic.sent + traffic.received > 0 else {
            return line(name: "idle", x: x, goal: goal)
        }
        guard traffic.received > 0 else { return arrow(x: x, goal: goal) }
        guard traffic.sent > 0 else { return arrow(x: goal, goal: x) }
        return arrow(x: x, goal: goal, y: Self.middle - 4) + arrow(x: goal, goal: x, y: Self.middle + 4)
    }

    /// Draws an event of the whole world, or of the remote.
    private func world(entry: StoryLog.Entry) -> Markup {
        let isRemote = hub != nil && entry.kind == .fault
        let x = isRemote ? x(lane: names.count) : 0
        return line(name: "band", x: 0, goal: 1000) + mark(entry.kind, x: x)
    }

    private func arrow(x: Int, goal: Int, y: Int = middle) -> Markup {
        line(name: "go", x: x, goal: goal, y: y)
            + at(x: goal, y: y, content: StoryShape.tip(fromLeft: goal > x))
    }

    private func mark(_ kind: StoryLog.Kind, x: Int) -> Markup {
        at(x: x, y: Self.middle, content: StoryShape.mark(kind: kind))
    }

    private func at(x: Int, y: Int, content: Markup) -> Markup {
        "<svg x=\"\(Self.percent(thousandths: x))\" y=\"\(y)\" overflow=\"visible\">\(content)</svg>"
    }

    private func line(name: String, x: Int, goal: Int, y: Int = middle) -> Markup {
        let (start, end) = (Self.percent(thousandths: x), Self.percent(thousandths: goal))
        return "<line class=\"\(name)\" x1=\"\(start)\" x2=\"\(end)\" y1=\"\(y)\" y2=\"\(y)\" />"
    }

    private func text(x: String, text: String) -> Markup {
        "<text class=\"name\" x=\"\(x)\" y=\"18\">\(text)</text>"
    }

    // MARK: Legend

    /// The meaning of each shape.
    var legend: Markup {
        var shapes: [(Markup, String)] = [
            (mark(.edit, x: 500), "edit"), (mark(.delete, x: 500), "delete"),
            (mark(.resolve, x: 500), "conflict resolved"), (arrow(x: 100, goal: 900), "message"),
            (
                line(name: "lost", x: 100, goal: 900) + mark(.lostMessage, x: 500),
                "lost or damaged message"
            ),
            (mark(.conflict, x: 500), "sync with conflicts"), (mark(.fault, x: 500), "fault"),
            (mark(.crash, x: 500), "crash, restart"), (mark(.account, x: 500), "other account"),
            (mark(.change, x: 500), "change"), (mark(.violation, x: 500), "broken promise"),
        ]
        shapes.append(
            hub == nil
                ? (mark(.message, x: 500), "sync with its own copy of the folder")
                : (line(name: "idle", x: 100, goal: 900), "sync that moves nothing")
        )
        // Elements of a line that wraps: a drawing of four columns was cut off on most screens.
        let items = shapes.map { drawing, meaning -> Markup in
            """
            <span><svg width="42" height="28" aria-hidden="true" focusable="false">\(drawing)</svg> \(meaning)</span>

            """
        }
        return "<p class=\"legend\">\n\(Markup(items))</p>"
    }
}
