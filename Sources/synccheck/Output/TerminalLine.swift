import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A line on the terminal that is drawn over itself, without colours. There is none in a pipe, or on a terminal that
/// cannot clear a line.
enum TerminalLine {
    /// Whether standard error is a terminal that can show it.
    static let isShown = canShow(
        isTerminal: StandardStreams.Stream.error.isTerminal,
        term: ProcessInfo.processInfo.environment["TERM"]
    )

    /// Draws text in place of what the line shows. A longer text is cut, since the terminal would break it into lines
    /// that nothing clears.
    static func draw(_ text: String) {
        guard isShown else { return }
        StandardStreams.write(clearing + fitting(text, columns: columns), to: .error)
    }

    /// Clears the line.
    static func clear() {
        if isShown { StandardStreams.write(clearing, to: .error) }
    }

    /// To the beginning of the line, and clear to its end.
    private static let clearing = "\r\u{1B}[K"

    static func canShow(isTerminal: Bool, term: String?) -> Bool {
        isTerminal && term != nil && term != "" && term != "dumb"
    }

    /// The text as far as it fits; the last column stays free. 0 columns are an unknown width.
    static func fitting(_ text: String, columns: Int) -> String {
        columns > 0 ? String(text.prefix(columns - 1)) : text
    }

    /// The terminal's present width; 0 if it is not known.
    private static var columns: Int {
        var size = winsize()
        let result = ioctl(StandardStreams.Stream.error.rawValue, UInt(TIOCGWINSZ), &size)
        return result == 0 ? Int(size.ws_col) : 0
    }
}
