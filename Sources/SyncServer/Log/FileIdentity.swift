import SyncWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Which file is at a path: its device and its number there. A file that was removed or moved while it is open keeps
/// both, and its path leads to no file or to another one.
struct FileIdentity: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// The file at a path. Throws `LogStoreError` if there is none that this process can see.
    init(path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw LogStoreError.noFile(number: errno) }
        (device, number) = (status.st_dev, status.st_ino)
    }
}

extension LogStoreError {
    /// The path of an account's file leads to no file.
    fileprivate static func noFile(number: Int32) -> LogStoreError {
        let isMissing = number == ENOENT || number == ENOTDIR
        return LogStoreError(
            .unreachable,
            cause: "the account's file cannot be found (\(number))",
            storage: isMissing ? .missing : [EACCES, EPERM].contains(number) ? .notPermitted : .failed
        )
    }

    /// There is another file at the path of an account's open file.
    static let replacedFile = LogStoreError(
        .unreachable,
        cause: "the account's file was replaced",
        storage: .failed
    )
}
