import Foundation

/// A curve over a logarithmic axis, as SVG that stands for itself: same points, same bytes. It brings its own background
/// and follows the page's colour scheme, so that it can be read on light and dark pages.
struct SVGPlot {
    var title: String
    /// What stands below the logarithmic axis.
    var xLabel: String
    /// What stands beside the other axis, which begins at 0.
    var yLabel: String
    /// Places with their values, by rising x; x is above 0.
    var points: [(x: Double, y: Double)]

    private let width = 640.0
    private let height = 400.0
    private let left = 90.0
    private let right = 30.0
    /// Room for the figures of the first and the last point.
    private let inset = 30.0
    private let top = 50.0
    private let bottom = 60.0

    init(title: String, xLabel: String, yLabel: String, points: [(x: Double, y: Double)]) {
        self.title = title
        self.xLabel = xLabel
        self.yLabel = yLabel
        self.points = points
    }

    private static let centred = #"text-anchor="middle""#
    private static let style = """
        <style>
        .ground { fill: white; }
        .axis { stroke: black; }
        .grid { stroke: lightgrey; }
        .curve { stroke: mediumblue; stroke-width: 2; fill: none; }
        .point { fill: mediumblue; }
        text { fill: black; }
        @media (prefers-color-scheme: dark) {
        .ground { fill: #1d1f24; }
        .axis { stroke: #d8dae0; }
        .grid { stroke: #42464f; }
        .curve { stroke: #7fb2f0; }
        .point { fill: #7fb2f0; }
        text { fill: #e8eaef; }
        }
        </style>
        """

    /// The document.
    var text: String {
        let size = (x: place(value: width), y: place(value: height))
        let path = points.map { "\(place(value: x(value: $0.x))),\(place(value: y(value: $0.y)))" }.joined(
            separator: " "
        )
        var lines = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(size.x) \#(size.y)" width="\#(size.x)" height="\#(size.y)" role="img" font-family="sans-serif" font-size="13">"#,
            "<title>\(escaped(text: title))</title>",
            Self.style,
            #"<rect class="ground" width="\#(size.x)" height="\#(size.y)"/>"#,
            label(x: width / 2, y: 28, text: title, style: #"text-anchor="middle" font-size="16""#),
        ]
        lines += yAxis + xAxis
        lines.append(#"<polyline class="curve" points="\#(path)"/>"#)
        for point in points {
            lines.append(
                #"<circle class="point" cx="\#(place(value: x(value: point.x)))" cy="\#(place(value: y(value: point.y)))" r="4"/>"#
            )
            lines.append(
                label(
                    x: x(value: point.x),
                    y: y(value: point.y) - 10,
                    text: grouped(value: point.y),
                    style: Self.centred
                )
            )
        }
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private var xAxis: [String] {
        let axis = height - bottom
        var lines: [String] = []
        for power in Int(decades.lowerBound)...Int(decades.upperBound) {
            let tick = x(value: pow(10, Double(power)))
            lines.append(line(x1: tick, y1: top, x2: tick, y2: axis, kind: "grid"))
            lines.append(
                label(
                    x: tick,
                    y: axis + 18,
                    text: grouped(value: pow(10, Double(power))),
                    style: Self.centred
                )
            )
        }
        lines.append(line(x1: left, y1: axis, x2: width - right, y2: axis, kind: "axis"))
        lines.append(label(x: (left + width - right) / 2, y: height - 16, text: xLabel, style: Self.centred))
        return lines
    }

    private var yAxis: [String] {
        var lines = [line(x1: left, y1: top, x2: left, y2: height - bottom, kind: "axis")]
        for step in 0...5 {
            let value = highest * Double(step) / 5
            lines.append(
                line(x1: left, y1: y(value: value), x2: width - right, y2: y(value: value), kind: "grid")
            )
            lines.append(
                label(
                    x: left - 8,
                    y: y(value: value) + 4,
                    text: grouped(value: value),
                    style: #"text-anchor="end""#
                )
            )
        }
        let middle = (top + height - bottom) / 2
        let turn = #"\#(Self.centred) transform="rotate(-90 18 \#(place(value: middle)))""#
        return lines + [label(x: 18, y: middle, text: yLabel, style: turn)]
    }

    /// Powers of ten that hold all points.
    private var decades: ClosedRange<Double> {
        let powers = points.map { log10($0.x) }
        let low = (powers.min() ?? 0).rounded(.down)
        return low...max(low + 1, (powers.max() ?? 1).rounded(.up))
    }

    /// A round number that no point is above.
    private var highest: Double {
        let most = points.map(\.y).max() ?? 0
        guard most > 0 else { return 1 }
        let power = pow(10, log10(most).rounded(.down))
        return ([1, 1.5, 2, 3, 4, 5, 7.5, 10].first { $0 * power >= most * 1.05 } ?? 15) * power
    }

    private func x(value: Double) -> Double {
        let share = (log10(value) - decades.lowerBound) / (decades.upperBound - decades.lowerBound)
        return left + inset + share * (width - left - right - 2 * inset)
    }

    private func y(value: Double) -> Double { height - bottom - value / highest * (height - top - bottom) }

    private func line(x1: Double, y1: Double, x2: Double, y2: Double, kind: String) -> String {
        #"<line class="\#(kind)" x1="\#(place(value: x1))" y1="\#(place(value: y1))" x2="\#(place(value: x2))" y2="\#(place(value: y2))"/>"#
    }

    private func label(x: Double, y: Double, text: String, style: String) -> String {
        #"<text x="\#(place(value: x))" y="\#(place(value: y))" \#(style)>\#(escaped(text: text))</text>"#
    }

    private func place(value: Double) -> String { String(format: "%.1f", value) }

    /// `1,000,000`; what is not whole as a figure.
    private func grouped(value: Double) -> String {
        guard value >= 1000 else { return Figure.text(seconds: value) }
        let digits = String(Int(value))
        return digits.enumerated().map { index, digit in
            let rest = digits.count - index
            return rest % 3 == 0 && index > 0 ? ",\(digit)" : "\(digit)"
        }.joined()
    }

    private func escaped(text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
