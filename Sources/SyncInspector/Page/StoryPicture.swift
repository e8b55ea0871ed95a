import SyncCore

/// A record's history as a picture: a line for each device, and a mark for each step, from left to right in order.
///
/// Positions are percentages of the width, so that texts keep their size on any screen.
struct StoryPicture {
    /// The most steps of a picture; earlier ones are only in the list.
    private static let maxSteps = 40
    /// The most devices with a line of their own; all others share the last one.
    private static let maxLanes = 8
    private static let laneHeight = 44

    private let story: RecordStory
    private let number: Int
    private let own: String
    private let steps: ArraySlice<RecordStory.Step>

    /// A picture of a story; `number` tells it from the others of the page.
    init(_ story: RecordStory, number: Int, own: String) {
        self.story = story
        self.number = number
        self.own = own
        steps = story.steps.suffix(Self.maxSteps)
    }

    var svg: Markup {
        let lanes = min(story.devices.count, Self.maxLanes)
        let names = (0..<lanes).map { lane -> Markup in
            let y = lane * Self.laneHeight
            return """
                <text class="lane-name" x="0" y="\(y + 13)">\(laneName(lane, of: lanes))</text>\
                <line class="lane" x1="0" x2="100%" y1="\(y + 29)" y2="\(y + 29)"></line>

                """
        }
        let marks = steps.enumerated().map { index, step in mark(step, at: index, lanes: lanes) }
        return """
            <svg class="picture" role="img" aria-labelledby="picture-\(number)-title picture-\(number)-text" width="100%" \
            height="\(lanes * Self.laneHeight)" focusable="false">
            <title id="picture-\(number)-title">History of this record</title>
            <desc id="picture-\(number)-text">\(summary)</desc>
            \(names)\(marks)</svg>
            """
    }

    /// The picture in words, short.
    private var summary: String {
        let shown = steps.count < story.steps.count ? "The last \(steps.count) of " : ""
        let words = steps.map { step in
            switch step.kind {
            case .edit: "edit by \(PageWords.device(story.devices[step.device], own: own))"
            case .delete: "delete by \(PageWords.device(story.devices[step.device], own: own))"
            case .event(let event): String(event.prefix(40))
            }
        }
        return "\(shown)\(PageWords.count(story.steps.count, noun: "step")), in order: "
            + words.joined(separator: "; ") + "."
    }

    private func laneName(_ lane: Int, of lanes: Int) -> String {
        let left = story.devices.count - lanes
        return lane == lanes - 1 && left > 0
            ? PageWords.count(left + 1, noun: "other device")
            : PageWords.device(story.devices[lane], own: own)
    }

    private func mark(_ step: RecordStory.Step, at index: Int, lanes: Int) -> Markup {
        let count = max(steps.count, 2)
        // From 4 % to 96 %, in tenths.
        let x = 40 + 920 * index / (count - 1)
        let y = min(step.device, lanes - 1) * Self.laneHeight + 29
        let shape: Markup =
            switch InspectorPage.style(step.kind) {
            case "edit": "<circle class=\"mark edit\" r=\"7\"></circle>"
            case "delete":
                "<circle class=\"mark delete\" r=\"6\"></circle><path class=\"mark delete\" d=\"M-4 4 4-4\"></path>"
            case "conflict": "<path class=\"mark conflict\" d=\"M0-9 9 7H-9Z\"></path>"
            case "merged": "<path class=\"mark merged\" d=\"M0-9 9 0 0 9-9 0Z\"></path>"
            case "resolved": "<path class=\"mark resolved\" d=\"M-7-7H7V7H-7Z\"></path>"
            default: "<circle class=\"mark other\" r=\"5\"></circle>"
            }
        return """
            <svg x="\(x / 10).\(x % 10)%" y="\(y)" overflow="visible">\(shape)</svg>

            """
    }
}
