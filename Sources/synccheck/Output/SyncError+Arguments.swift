import EntitySync

extension SyncError {
    /// A generated file would replace one that somebody wrote.
    static func handWrittenFile(name: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "'\(name.visible)' is there already and was not generated; nothing was written.",
            help: "Move that file away, or name another folder with '--output'."
        )
    }

    /// An argument that is no text.
    static func notUTF8(argument: Int) -> SyncError {
        SyncError(
            kind: .usage,
            message: "Argument \(argument) is not UTF-8; nothing was done.",
            help: "Set the terminal to UTF-8, or give the text by a file or standard input in UTF-8."
        )
    }
}
