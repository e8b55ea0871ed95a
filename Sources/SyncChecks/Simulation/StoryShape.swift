import SyncPages

/// The shapes for the kinds of events, each around the point 0,0.
enum StoryShape {
    static func mark(kind: StoryLog.Kind) -> Markup {
        switch kind {
        case .edit: "<circle class=\"edit\" r=\"6\" />"
        case .delete: "<circle class=\"delete\" r=\"5\" />"
        case .resolve: "<path class=\"resolve\" d=\"M-6 0 l4 5 l8 -10\" />"
        case .conflict: "<polygon class=\"conflict\" points=\"-4,-9 4,-9 9,-4 9,4 4,9 -4,9 -9,4 -9,-4\" />"
        case .fault: "<polygon class=\"fault\" points=\"0,-8 8,6 -8,6\" />"
        case .crash: "<polygon class=\"crash\" points=\"2,-10 -7,2 -1,2 -3,10 7,-3 1,-3\" />"
        case .account: "<polygon class=\"account\" points=\"0,-8 8,0 0,8 -8,0\" />"
        case .change, .rest: "<rect class=\"change\" x=\"-4\" y=\"-4\" width=\"8\" height=\"8\" />"
        case .violation: "<circle class=\"violation\" r=\"9\" />\(mark(kind: .lostMessage))"
        case .message: "<rect class=\"go\" x=\"-6\" y=\"-5\" width=\"12\" height=\"10\" rx=\"2\" />"
        case .lostMessage: "<path class=\"cross\" d=\"M-5 -5 l10 10 M5 -5 l-10 10\" />"
        }
    }

    /// The tip of an arrow that ends here, from the left or from the right.
    static func tip(fromLeft: Bool) -> Markup {
        fromLeft
            ? "<polygon class=\"tip\" points=\"0,0 -9,-4 -9,4\" />"
            : "<polygon class=\"tip\" points=\"0,0 9,-4 9,4\" />"
    }
}
