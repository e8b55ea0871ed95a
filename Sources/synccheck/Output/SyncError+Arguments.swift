import EntitySync

extension SyncError {
    /// An argument that is no text.
    static func notUTF8(argument: Int) -> SyncError {
        SyncError(
            kind: .usage,
            message: "Argument \(argument) is not UTF-8; nothing was done.",
            help: "Set the terminal to UTF-8, or give the text by a file or standard input in UTF-8."
        )
    }
}
