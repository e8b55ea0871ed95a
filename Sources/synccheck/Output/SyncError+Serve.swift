import EntitySync

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Errors of `inspect --serve`, with their wording.
extension SyncError {
    /// The program was built without what serves a page.
    static func withoutServer() -> SyncError {
        SyncError(
            kind: .usage,
            message: "This build cannot serve a page.",
            help: "Write it with '--output FILE', or build with 'swift build --traits Server'."
        )
    }

    /// The port cannot be had.
    static func cannotServe(port: Int, number: Int32) -> SyncError {
        switch number {
        case EACCES, EPERM:
            SyncError(
                kind: .notPermitted,
                message: "Listening on port \(port) is not permitted.",
                help: "Choose a port above 1023, or leave '--port' out for any free one.",
                retry: .afterAction
            )
        default:
            SyncError(
                kind: .inputOutput,
                message: "Port \(port) cannot be used (\(reason(number: number))).",
                help: "Choose another port, or leave '--port' out for any free one.",
                retry: .afterAction
            )
        }
    }

    /// A live page would not hear of changes.
    static func cannotWatch(reason: String) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "Changes of the store could not be watched (\(reason)).",
            help: "Check the store with 'synccheck status', or write the page with '--output FILE'."
        )
    }
}
