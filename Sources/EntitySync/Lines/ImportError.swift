public import Foundation
public import SyncCore

/// Lines of a file cannot be imported; nothing was.
public struct ImportError: Error, Sendable, Hashable {
    /// The entity whose records the file should hold.
    public let entity: String
    /// The first refused lines, in order; at most 20.
    public let lines: [RefusedLine]
    /// How many lines are refused.
    public let count: Int

    /// The refusal in one sentence, with advice.
    public var summary: SyncError { .refusedLines(of: self) }
}

/// A line that cannot be imported, and why. It says nothing of the values in it.
public struct RefusedLine: Sendable, Hashable {
    /// Its number in the file, from 1.
    public internal(set) var line: Int
    /// The position in the line in bytes, from 1; nil where the whole line is meant.
    public internal(set) var column: Int?
    /// The stable name of the rule in kebab-case, such as `json`, `required` or `refused`.
    public internal(set) var rule: String
    /// What is wrong, as a sentence.
    public internal(set) var message: String
    /// What to do about it, as a sentence.
    public internal(set) var help = "Correct the line and try again."
    /// The same at a command line, where it differs.
    package internal(set) var commandLineHelp: String?
}

extension ImportError: LocalizedError, CustomStringConvertible {
    /// The refusal in one sentence, with the first line and what is wrong with it.
    public var errorDescription: String? { summary.message }
    /// What to do next.
    public var recoverySuggestion: String? { summary.help }
    /// Both, so that `print(error)` says it.
    public var description: String { summary.description }
}
