import Foundation

/// The process's streams.
enum Streams {
    /// Writes to standard output at once.
    static func print(_ text: String) { write(text, to: .standardOutput) }

    /// Writes to standard error.
    static func complain(text: String) { write(text, to: .standardError) }

    /// Writes and ignores failure: there is nowhere left to say so.
    private static func write(_ text: String, to file: FileHandle) {
        try? file.write(contentsOf: Data(text.utf8))
    }
}
