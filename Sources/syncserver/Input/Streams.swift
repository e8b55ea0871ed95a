import Foundation

/// The standard streams of the process.
enum Streams {
    /// Writes to standard output without buffering.
    static func print(_ text: String) { write(text, to: .standardOutput) }

    /// Writes to standard error.
    static func printError(text: String) { write(text, to: .standardError) }

    /// Writes and ignores errors, because there is nowhere left to report them.
    private static func write(_ text: String, to file: FileHandle) {
        try? file.write(contentsOf: Data(text.utf8))
    }
}
