import SyncPages

/// The shapes for the kinds of events.
enum StoryShape {
    static func mark(kind: StoryLog.Kind, x: Int, y: Int) -> Markup {
        switch kind {
        case .edit: "<circle class=\"edit\" cx=\"\(x)\" cy=\"\(y)\" r=\"6\" />\n"
        case .delete: "<circle class=\"delete\" cx=\"\(x)\" cy=\"\(y)\" r=\"5\" />\n"
        case .resolve: "<path class=\"resolve\" d=\"M\(x - 6) \(y) l4 5 l8 -10\" />\n"
        case .conflict: conflict(x: x, y: y)
        case .fault: polygon(name: "fault", points: [(x, y - 8), (x + 8, y + 6), (x - 8, y + 6)])
        case .crash:
            polygon(
                name: "crash",
                points: [
                    (x + 2, y - 10), (x - 7, y + 2), (x - 1, y + 2), (x - 3, y + 10), (x + 7, y - 3),
                    (x + 1, y - 3),
                ]
            )
        case .account: polygon(name: "account", points: [(x, y - 8), (x + 8, y), (x, y + 8), (x - 8, y)])
        case .change, .rest:
            "<rect class=\"change\" x=\"\(x - 4)\" y=\"\(y - 4)\" width=\"8\" height=\"8\" />\n"
        case .violation:
            "<circle class=\"violation\" cx=\"\(x)\" cy=\"\(y)\" r=\"9\" />\n" + cross(x: x, y: y)
        case .message: ownFolder(x: x, y: y)
        case .lostMessage: cross(x: x, y: y)
        }
    }

    static func conflict(x: Int, y: Int) -> Markup {
        polygon(
            name: "conflict",
            points: [
                (x - 4, y - 9), (x + 4, y - 9), (x + 9, y - 4), (x + 9, y + 4), (x + 4, y + 9),
                (x - 4, y + 9),
                (x - 9, y + 4), (x - 9, y - 4),
            ]
        )
    }

    static func cross(x: Int, y: Int) -> Markup {
        "<path class=\"cross\" d=\"M\(x - 5) \(y - 5) l10 10 M\(x + 5) \(y - 5) l-10 10\" />\n"
    }

    static func ownFolder(x: Int, y: Int) -> Markup {
        "<rect class=\"go\" x=\"\(x - 6)\" y=\"\(y - 5)\" width=\"12\" height=\"10\" rx=\"2\" />\n"
    }

    private static func polygon(name: String, points: [(Int, Int)]) -> Markup {
        let corners = points.map { "\($0.0),\($0.1)" }.joined(separator: " ")
        return "<polygon class=\"\(name)\" points=\"\(corners)\" />\n"
    }
}
