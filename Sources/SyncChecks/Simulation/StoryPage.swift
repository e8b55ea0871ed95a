/// A self-contained HTML page that draws a story: a line for each device and one for the remote, with time
/// running downwards. The same story gives the same bytes.
public struct StoryPage: Sendable {
    let outcome: Simulator.Outcome
    let replay: String
    let names: [String]

    /// Makes a page. `replay` is the command that runs the story again.
    public init(outcome: Simulator.Outcome, replay: String) {
        self.outcome = outcome
        self.replay = replay
        names = (0..<outcome.story.devices).map { String(UnicodeScalar(UInt8(65 + $0 % 26))) }
    }

    /// The page.
    public var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>\(Self.escape(text: title))</title>
        <style>
        \(Self.style)</style>
        </head>
        <body>
        <h1>\(Self.escape(text: title))</h1>
        \(banner)
        <p class="facts">\(Self.escape(text: facts))</p>
        <p>Play it again: <code>\(Self.escape(text: replay))</code></p>
        \(StoryDrawing(outcome: outcome, names: names).legend)
        \(StoryDrawing(outcome: outcome, names: names).svg)
        </body>
        </html>

        """
    }

    private var title: String { "The world of seed \(outcome.story.seed)" }

    private var facts: String {
        let devices = outcome.story.devices == 1 ? "1 device" : "\(outcome.story.devices) devices"
        let place =
            switch outcome.story.place {
            case .server: "meets at a server"
            case .folder: "meets in one folder"
            case .folders: "meets through copies of a folder that a file service brings together"
            }
        let steps = outcome.story.steps.count
        return "\(devices), \(place); \(steps) step\(steps == 1 ? "" : "s"), then rest. Time runs downwards."
    }

    private var banner: String {
        guard let violation = outcome.violation else {
            return "<p class=\"banner kept\">Every promise was kept.</p>"
        }
        return """
            <div class="banner broken">
            <strong>Broken promise: \(Self.escape(text: violation.rule))</strong>
            <p>\(Self.escape(text: StoryPromise.sentence(rule: violation.rule)))</p>
            <pre>\(Self.escape(text: violation.description))</pre>
            </div>
            """
    }

    /// Escapes text for an element or attribute. Characters that are invalid in HTML are replaced.
    static func escape(text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            case "\n", "\t": escaped.append(scalar)
            default:
                let isHidden =
                    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
                    || (0x202a...0x202e).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
                    || scalar.value & 0xfffe == 0xfffe
                escaped.append(isHidden ? "\u{fffd}" : scalar)
            }
        }
        return String(escaped)
    }

    /// Colours for light and dark mode. Shapes carry the same information as colours.
    private static let style = """
        :root { color-scheme: light dark; --paper: #ffffff; --ink: #1d2330; --quiet: #667085; --rail: #c3cad6;
          --stripe: #f4f6f9; --go: #1660c4; --bad: #c62828; --warn: #a35b00; --edit: #1a7f4b; --fork: #8b3fc0; }
        @media (prefers-color-scheme: dark) {
          :root { --paper: #14171d; --ink: #e7eaf0; --quiet: #98a2b3; --rail: #475063; --stripe: #1b2029;
            --go: #7fb3ff; --bad: #ff7b72; --warn: #f0b357; --edit: #5fd39a; --fork: #d3a3ff; } }
        body { margin: 2rem auto; padding: 0 1rem; max-width: 76rem; background: var(--paper); color: var(--ink);
          font: 15px/1.5 system-ui, sans-serif; }
        h1 { font-size: 1.5rem; margin: 0 0 1rem; }
        .banner { border-left: 5px solid; padding: .6rem 1rem; background: var(--stripe); }
        .banner p { margin: .2rem 0; }
        .kept { border-color: var(--edit); }
        .broken { border-color: var(--bad); }
        .broken strong { color: var(--bad); }
        pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0 0; font-size: 13px; }
        code { background: var(--stripe); padding: .1rem .3rem; overflow-wrap: anywhere; }
        .facts { color: var(--quiet); }
        svg { display: block; max-width: 100%; height: auto; }
        svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
        svg .name { font-weight: 600; text-anchor: middle; }
        svg .step { fill: var(--quiet); text-anchor: end; }
        svg .who { font-weight: 600; }
        .rail { stroke: var(--rail); stroke-width: 2; }
        .stripe { fill: var(--stripe); }
        .band { stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 2 4; }
        .go { stroke: var(--go); stroke-width: 1.8; fill: none; }
        .tip { fill: var(--go); }
        .idle { stroke: var(--quiet); stroke-width: 1; fill: none; }
        .lost { stroke: var(--bad); stroke-width: 1.8; stroke-dasharray: 6 4; fill: none; }
        .cross { stroke: var(--bad); stroke-width: 2.4; fill: none; }
        .edit { fill: var(--edit); }
        .delete { fill: var(--paper); stroke: var(--edit); stroke-width: 2.4; }
        .resolve { fill: none; stroke: var(--edit); stroke-width: 2.4; }
        .conflict { fill: var(--fork); }
        .fault { fill: var(--warn); }
        .crash { fill: var(--bad); }
        .account { fill: var(--paper); stroke: var(--go); stroke-width: 2; }
        .change { fill: var(--quiet); }
        .violation { fill: none; stroke: var(--bad); stroke-width: 3; }

        """
}
