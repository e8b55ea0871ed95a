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
    /// How many lines of one entry are shown; a violation's whole text stands in the banner.
    private static let maxLines = 4

    init(_ outcome: Simulator.Outcome, names: [String]) {
        self.outcome = outcome
        self.names = names
    }

    /// Copies of a folder have no place in the middle.
    private var hub: String? {
        switch outcome.story.place {
        case .server: "server"
        case .folder: "folder"
        case .folders: nil
        }
    }
    private var lanes: Int { names.count + (hub == nil ? 0 : 1) }
    private var textStart: Int { Self.left + lanes * Self.lane }

    private func x(_ lane: Int) -> Int { Self.left + lane * Self.lane + Self.lane / 2 }

    /// The drawing, with a text for each entry at its side.
    var svg: String {
        var rows = ""
        var y = Self.top + Self.row
        var lastStep: Int?
        for (index, entry) in outcome.log.entries.enumerated() {
            let lines = wrapped(entry)
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
            let lines = wrapped(entry)
            rows += "<g>\n" + mark(entry, y)
            if entry.step != lastStep {
                rows += text("step", 36, y + 4, entry.step == 0 ? "rest" : "\(entry.step)")
                lastStep = entry.step
            }
            let who = entry.device.flatMap { names.indices.contains($0) ? names[$0] : nil } ?? ""
            if !who.isEmpty { rows += text("who", textStart, y + 4, who) }
            for (index, line) in lines.enumerated() {
                rows += text("told", textStart + 22, y + 4 + index * Self.line, line)
            }
            rows += "</g>\n"
            y += Self.row + (lines.count - 1) * Self.line
        }
        let size =
            "width=\"\(Self.width)\" height=\"\(bottom + 12)\" viewBox=\"0 0 \(Self.width) \(bottom + 12)\""
        return
            "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) role=\"img\" aria-label=\"What happened, in order\">\n"
            + rows + "</svg>"
    }

    private func rails(to bottom: Int) -> String {
        var rails = ""
        for index in 0..<lanes {
            let name = index < names.count ? names[index] : hub ?? ""
            rails += text("name", x(index), 24, name)
            rails += line("rail", x(index), 34, x(index), bottom)
        }
        return rails
    }

    // MARK: Marks

    private func mark(_ entry: StoryLog.Entry, _ y: Int) -> String {
        guard let device = entry.device, names.indices.contains(device) else { return world(entry, y) }
        let x = x(device)
        switch entry.kind {
        case .message, .conflict:
            let fork = entry.kind == .conflict ? StoryShape.conflict(x, y) : ""
            return messages(entry, from: device, y) + fork
        case .lostMessage:
            let end = entry.peer ?? (hub == nil ? nil : names.count)
            guard let end else { return StoryShape.cross(x, y) }
            let goal = self.x(end)
            return line("lost", x, y, goal, y) + StoryShape.cross((x + goal) / 2, y)
        default: return StoryShape.mark(entry.kind, x, y)
        }
    }

    private func messages(_ entry: StoryLog.Entry, from device: Int, _ y: Int) -> String {
        let x = x(device)
        if let peer = entry.peer, names.indices.contains(peer) { return arrow(x, y, self.x(peer), y) }
        guard hub != nil else { return StoryShape.ownFolder(x, y) }
        let goal = self.x(names.count)
        guard let traffic = entry.traffic, traffic.sent + traffic.received > 0 else {
            return line("idle", x, y, goal, y)
        }
        var arrows = ""
        let isBoth = traffic.sent > 0 && traffic.received > 0
        if traffic.sent > 0 { arrows += arrow(x, y - (isBoth ? 3 : 0), goal, y - (isBoth ? 3 : 0)) }
        if traffic.received > 0 { arrows += arrow(goal, y + (isBoth ? 4 : 0), x, y + (isBoth ? 4 : 0)) }
        return arrows
    }

    /// What happens to all, or to the place where they meet.
    private func world(_ entry: StoryLog.Entry, _ y: Int) -> String {
        let band = line("band", Self.left, y, textStart - 12, y)
        guard hub != nil, entry.kind == .fault else {
            return band + StoryShape.mark(entry.kind, Self.left, y)
        }
        return band + StoryShape.mark(entry.kind, x(names.count), y)
    }

    private func arrow(_ x: Int, _ y: Int, _ goal: Int, _ end: Int) -> String {
        let back = goal > x ? -9 : 9
        let tip = "\(goal),\(end) \(goal + back),\(end - 4) \(goal + back),\(end + 4)"
        return line("go", x, y, goal + back, end) + "<polygon class=\"tip\" points=\"\(tip)\" />\n"
    }

    private func line(_ name: String, _ x: Int, _ y: Int, _ goal: Int, _ end: Int) -> String {
        "<line class=\"\(name)\" x1=\"\(x)\" y1=\"\(y)\" x2=\"\(goal)\" y2=\"\(end)\" />\n"
    }

    private func text(_ name: String, _ x: Int, _ y: Int, _ text: String) -> String {
        "<text class=\"\(name)\" x=\"\(x)\" y=\"\(y)\">\(StoryPage.escape(text))</text>\n"
    }

    // MARK: Texts

    private func wrapped(_ entry: StoryLog.Entry) -> [String] {
        // NB: characters of the font are about 7 units wide.
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

    /// What each shape means.
    var legend: String {
        var shapes: [(String, String)] = [
            (StoryShape.mark(.edit, 20, 12), "edit"), (StoryShape.mark(.delete, 20, 12), "delete"),
            (StoryShape.mark(.resolve, 20, 12), "conflict settled"), (arrow(4, 12, 38, 12), "message"),
            (line("lost", 4, 12, 38, 12) + StoryShape.cross(21, 12), "lost or damaged message"),
            (StoryShape.conflict(20, 12), "sync with conflicts"), (StoryShape.mark(.fault, 20, 12), "fault"),
            (StoryShape.mark(.crash, 20, 12), "crash, restart"),
            (StoryShape.mark(.account, 20, 12), "other account"),
            (StoryShape.mark(.change, 20, 12), "change"),
            (StoryShape.mark(.violation, 20, 12), "broken promise"),
        ]
        if hub == nil {
            shapes.append((StoryShape.ownFolder(20, 12), "sync with its own copy of the folder"))
        } else {
            shapes.append((line("idle", 4, 12, 38, 12), "sync that moves nothing"))
        }
        let columns = 4
        let rows = (shapes.count + columns - 1) / columns
        let items = shapes.enumerated().map { index, shape in
            "<g transform=\"translate(\(index % columns * 280) \(index / columns * 26))\">\n\(shape.0)"
                + text("told", 48, 16, shape.1) + "</g>\n"
        }
        let size =
            "width=\"\(Self.width)\" height=\"\(rows * 26)\" viewBox=\"0 0 \(Self.width) \(rows * 26)\""
        return
            "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) role=\"img\" aria-label=\"Legend\">\n"
            + items.joined() + "</svg>"
    }
}

/// The shapes by which a picture tells what happened.
enum StoryShape {
    static func mark(_ kind: StoryLog.Kind, _ x: Int, _ y: Int) -> String {
        switch kind {
        case .edit: "<circle class=\"edit\" cx=\"\(x)\" cy=\"\(y)\" r=\"6\" />\n"
        case .delete: "<circle class=\"delete\" cx=\"\(x)\" cy=\"\(y)\" r=\"5\" />\n"
        case .resolve: "<path class=\"resolve\" d=\"M\(x - 6) \(y) l4 5 l8 -10\" />\n"
        case .conflict: conflict(x, y)
        case .fault: polygon("fault", [(x, y - 8), (x + 8, y + 6), (x - 8, y + 6)])
        case .crash:
            polygon(
                "crash",
                [
                    (x + 2, y - 10), (x - 7, y + 2), (x - 1, y + 2), (x - 3, y + 10), (x + 7, y - 3),
                    (x + 1, y - 3),
                ]
            )
        case .account: polygon("account", [(x, y - 8), (x + 8, y), (x, y + 8), (x - 8, y)])
        case .change, .rest:
            "<rect class=\"change\" x=\"\(x - 4)\" y=\"\(y - 4)\" width=\"8\" height=\"8\" />\n"
        case .violation:
            "<circle class=\"violation\" cx=\"\(x)\" cy=\"\(y)\" r=\"9\" />\n" + cross(x, y)
        case .message: ownFolder(x, y)
        case .lostMessage: cross(x, y)
        }
    }

    static func conflict(_ x: Int, _ y: Int) -> String {
        polygon(
            "conflict",
            [
                (x - 4, y - 9), (x + 4, y - 9), (x + 9, y - 4), (x + 9, y + 4), (x + 4, y + 9),
                (x - 4, y + 9),
                (x - 9, y + 4), (x - 9, y - 4),
            ]
        )
    }

    static func cross(_ x: Int, _ y: Int) -> String {
        "<path class=\"cross\" d=\"M\(x - 5) \(y - 5) l10 10 M\(x + 5) \(y - 5) l-10 10\" />\n"
    }

    static func ownFolder(_ x: Int, _ y: Int) -> String {
        "<rect class=\"go\" x=\"\(x - 6)\" y=\"\(y - 5)\" width=\"12\" height=\"10\" rx=\"2\" />\n"
    }

    private static func polygon(_ name: String, _ points: [(Int, Int)]) -> String {
        let text = points.map { "\($0.0),\($0.1)" }.joined(separator: " ")
        return "<polygon class=\"\(name)\" points=\"\(text)\" />\n"
    }
}
