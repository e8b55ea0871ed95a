import SyncPages

/// A self-contained HTML page that draws a story: a line for each device and one for the remote, with time
/// running downwards, and each event in words beside it. The same story gives the same bytes.
public struct StoryPage: Sendable {
    let outcome: Simulator.Outcome
    let replay: String
    let names: [String]
    /// Broken promises that no world shows, such as those of a law.
    public var broken: [Broken] = []

    /// A promise that was broken outside of the drawn story.
    public struct Broken: Sendable {
        let rule: String
        let text: String
        let replay: String

        /// Names a promise. `text` says how it was broken, `replay` is the command that shows it again.
        public init(rule: String, text: String, replay: String) {
            (self.rule, self.text, self.replay) = (rule, text, replay)
        }
    }

    /// Makes a page. `replay` is the command that runs the story again.
    public init(outcome: Simulator.Outcome, replay: String) {
        self.outcome = outcome
        self.replay = replay
        names = (0..<outcome.story.devices).map { String(UnicodeScalar(UInt8(65 + $0 % 26))) }
    }

    /// The page.
    public var html: String {
        let drawing = StoryDrawing(outcome: outcome, names: names)
        var frame = PageFrame(
            title: "\(title) · synccheck simulate",
            product: "synccheck simulate",
            heading: title,
            facts: [
                PageFrame.Fact(name: "Where", text: place),
                PageFrame.Fact(
                    name: "Length",
                    text: "\(PageWords.count(outcome.story.steps.count, noun: "step")), then rest"
                ),
                PageFrame.Fact(name: "Play it again", value: "<code>\(replay)</code>"),
            ],
            lead: banner,
            sections: [
                PageSection(
                    id: "story",
                    title: "What happened",
                    count: outcome.log.entries.count,
                    content: """
                        <p>Time runs downwards. Each line is an event: the number of its step, the picture, and the \
                        same in words.</p>
                        \(drawing.list)
                        """
                ),
                PageSection(
                    id: "shapes",
                    title: "The shapes",
                    content: drawing.legend
                ),
            ],
            footer: "The same seed tells the same story, to the byte."
        )
        frame.style = StoryStyle.shared
        return frame.html
    }

    private var title: String { "The world of seed \(outcome.story.seed)" }

    private var place: String {
        let devices = PageWords.count(outcome.story.devices, noun: "device")
        return switch outcome.story.place {
        case .server: "\(devices), which meet at a server"
        case .folder: "\(devices), which meet in one folder"
        case .folders: "\(devices), which meet through copies of a folder that a file service brings together"
        }
    }

    private var banner: Markup {
        guard let violation = outcome.violation else {
            guard broken.isEmpty else { return broken.map(Self.verdict).reduce("", +) }
            return """
                <section class="verdict" aria-label="Verdict"><h2>Every promise was kept.</h2></section>
                """
        }
        return """
            <section class="verdict act" aria-label="Verdict">
            <h2>Broken promise: \(violation.rule)</h2>
            <p>\(StoryPromise.sentence(rule: violation.rule))</p>
            <pre>\(violation.description)</pre>
            </section>
            """
    }

    private static func verdict(of broken: Broken) -> Markup {
        """
        <section class="verdict act" aria-label="Verdict">
        <h2>Broken promise: \(broken.rule)</h2>
        <p>\(StoryPromise.sentence(rule: broken.rule))</p>
        <pre>\(broken.text)</pre>
        <p>It is none of the world below. Play it again: <code>\(broken.replay)</code></p>
        </section>

        """
    }
}
