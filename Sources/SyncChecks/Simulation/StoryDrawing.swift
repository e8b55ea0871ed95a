import SyncPages

/// The space-time diagram of a story, as SVG.
struct StoryDrawing {
    let outcome: Simulator.Outcome
    let names: [String]

    private static let left = 48
    private static let lane = 92
    private static let top = 48
    private static let row = 26
    private static let line = 17
    private static let width = 1_160
    /// The most lines of one entry. The banner has the full text of a violation.
    private static let maxLines = 4

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
    private var textStart: Int { Self.left + lanes * Self.lane }

    private func x(lane: Int) -> Int { Self.left + lane * Self.lane + Self.lane / 2 }

    /// The drawing, with a text next to each entry.
    var svg: Markup {
        var rows: Markup = ""
        var y = Self.top + Self.row
        var lastStep: Int?
        for (index, entry) in outcome.log.entries.enumerated() {
            let lines = wrapped(entry: entry)
            let height = Self.row + (lines.count - 1) * Self.line
            if index % 2 == 1 {
                rows +=
                    "<rect class=\"stripe\" x=\"0\" y=\"\(y - 13)\" width=\"\(Self.width)\" height=\"\(height)\" />\n"
            }
            y += height
        }
        let bottom = y
        y = Self.top + Self.row
        rows += rails(to: bottom)
        for entry in outcome.log.entries {
            let lines = wrapped(entry: entry)
            rows += "<g>\n" + mark(entry: entry, y: y)
            if entry.step != lastStep {
                rows += text(name: "step", x: 36, y: y + 4, text: entry.step == 0 ? "rest" : "\(entry.step)")
                lastStep = entry.step
            }
            let who = entry.device.flatMap { names.indices.contains($0) ? names[$0] : nil } ?? ""
            if !who.isEmpty { rows += text(name: "who", x: textStart, y: y + 4, text: who) }
            for (index, line) in lines.enumerated() {
                rows += text(name: "told", x: textStart + 22, y: y + 4 + index * Self.line, text: line)
            }
            rows += "</g>\n"
            y += Self.row + (lines.count - 1) * Self.line
        }
        let size: Markup =
            "width=\"\(Self.width)\" height=\"\(bottom + 12)\" viewBox=\"0 0 \(Self.width) \(bottom + 12)\""
        return
            "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) role=\"img\" aria-label=\"What happened, in order\">\n"
            + rows + "</svg>"
    }

    private func rails(to bottom: Int) -> Markup {
        var rails: Markup = ""
        for index in 0..<lanes {
            let name = index < names.count ? names[index] : hub ?? ""
            rails += text(name: "name", x: x(lane: index), y: 24, text: name)
            rails += line(name: "rail", x: x(lane: index), y: 34, goal: x(lane: index), end: bottom)
        }
        return rails
    }

    // MARK: Events

    private func mark(entry: StoryLog.Entry, y: Int) -> Markup {
        guard let device = entry.device, names.indices.contains(device) else {
            return world(entry: entry, y: y)
        }
        let x = x(lane: device)
        switch entry.kind {
        case .message, .conflict:
            let fork = entry.kind == .conflict ? StoryShape.conflict(x: x, y: y) : Markup("")
            return messages(entry: entry, from: device, y: y) + fork
        case .lostMessage:
            let end = entry.peer ?? (hub == nil ? nil : names.count)
            guard let end else { return StoryShape.cross(x: x, y: y) }
            let goal = self.x(lane: end)
            return line(name: "lost", x: x, y: y, goal: goal, end: y)
                + StoryShape.cross(x: (x + goal) / 2, y: y)
        default: return StoryShape.mark(kind: entry.kind, x: x, y: y)
        }
    }

    private func messages(entry: StoryLog.Entry, from device: Int, y: Int) -> Markup {
        let x = x(lane: device)
        if let peer = entry.peer, names.indices.contains(peer) {
            return arrow(x: x, y: y, goal: self.x(lane: peer), end: y)
        }
        guard hub != nil else { return StoryShape.ownFolder(x: x, y: y) }
        let goal = self.x(lane: names.count)
        guard let traffic = entry.traffic, traffic.sent + traffic.received > 0 else {
            return line(name: "idle", x: x, y: y, goal: goal, end: y)
        }
        var arrows: Markup = ""
        let isBoth = traffic.sent > 0 && traffic.received > 0
        if traffic.sent > 0 {
            arrows += arrow(x: x, y: y - (isBoth ? 3 : 0), goal: goal, end: y - (isBoth ? 3 : 0))
        }
        if traffic.received > 0 {
            arrows += arrow(x: goal, y: y + (isBoth ? 4 : 0), goal: x, end: y + (isBoth ? 4 : 0))
        }
        return arrows
    }

    /// Draws an event of the whole world, or of the remote.
    private func world(entry: StoryLog.Entry, y: Int) -> Markup {
        let band = line(name: "band", x: Self.left, y: y, goal: textStart - 12, end: y)
        guard hub != nil, entry.kind == .fault else {
            return band + StoryShape.mark(kind: entry.kind, x: Self.left, y: y)
        }
        return band + StoryShape.mark(kind: entry.kind, x: x(lane: names.count), y: y)
    }

    private func arrow(x: Int, y: Int, goal: Int, end: Int) -> Markup {
        let back = goal > x ? -9 : 9
        let tip = "\(goal),\(end) \(goal + back),\(end - 4) \(goal + back),\(end + 4)"
        return line(name: "go", x: x, y: y, goal: goal + back, end: end)
            + "<polygon class=\"tip\" points=\"\(tip)\" />\n"
    }

    private func line(name: String, x: Int, y: Int, goal: Int, end: Int) -> Markup {
        "<line class=\"\(name)\" x1=\"\(x)\" y1=\"\(y)\" x2=\"\(goal)\" y2=\"\(end)\" />\n"
    }

    private func text(name: String, x: Int, y: Int, text: String) -> Markup {
        "<text class=\"\(name)\" x=\"\(x)\" y=\"\(y)\">\(text)</text>\n"
    }

    // MARK: Texts

    private func wrapped(entry: StoryLog.Entry) -> [String] {
        // NB: a character of the font is about 7 units wide.
        let width = max(24, (Self.width - textStart - 30) / 7)
        var lines: [String] = []
        for paragraph in entry.text.split(whereSeparator: \.isNewline) {
            var current = ""
            for word in paragraph.split(separator: " ") {
                var word = String(word)
                if !current.isEmpty, current.count + 1 + word.count <= width {
                    current += " " + word
                    continue
                }
                if !current.isEmpty { lines.append(current) }
                while word.count > width {
                    lines.append(String(word.prefix(width)))
                    word.removeFirst(width)
                }
                current = word
            }
            if !current.isEmpty { lines.append(current) }
        }
        if lines.count > Self.maxLines { lines = lines.prefix(Self.maxLines - 1) + ["…"] }
        return lines.isEmpty ? [""] : lines
    }

    // MARK: Legend

    /// The meaning of each shape.
    var legend: Markup {
        var shapes: [(Markup, String)] = [
            (StoryShape.mark(kind: .edit, x: 20, y: 12), "edit"),
            (StoryShape.mark(kind: .delete, x: 20, y: 12), "delete"),
            (StoryShape.mark(kind: .resolve, x: 20, y: 12), "conflict resolved"),
            (arrow(x: 4, y: 12, goal: 38, end: 12), "message"),
            (
                line(name: "lost", x: 4, y: 12, goal: 38, end: 12) + StoryShape.cross(x: 21, y: 12),
                "lost or damaged message"
            ),
            (StoryShape.conflict(x: 20, y: 12), "sync with conflicts"),
            (StoryShape.mark(kind: .fault, x: 20, y: 12), "fault"),
            (StoryShape.mark(kind: .crash, x: 20, y: 12), "crash, restart"),
            (StoryShape.mark(kind: .account, x: 20, y: 12), "other account"),
            (StoryShape.mark(kind: .change, x: 20, y: 12), "change"),
            (StoryShape.mark(kind: .violation, x: 20, y: 12), "broken promise"),
        ]
        if hub == nil {
            shapes.append((StoryShape.ownFolder(x: 20, y: 12), "sync with its own copy of the folder"))
        } else {
            shapes.append((line(name: "idle", x: 4, y: 12, goal: 38, end: 12), "sync that moves nothing"))
        }
        // Elements of a line that wraps: a drawing of four columns was cut off on most screens.
        let items = shapes.map { drawing, meaning -> Markup in
            """
            <span><svg width="42" height="24" aria-hidden="true" focusable="false">\(drawing)</svg> \(meaning)</span>

            """
        }
        return "<p class=\"legend\">\n\(Markup(items))</p>"
    }
}
