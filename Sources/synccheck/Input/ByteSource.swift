import EntitySync
import SyncFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads a file, or standard input for the path `-`, in pieces.
final class ByteSource {
    /// The path as the caller gave it, for messages.
    let path: String
    /// The open file.
    let descriptor: Int32

    /// Opens a file. Throws `SyncError` if there is none, it is not readable or the path is empty. With `isFile`
    /// it must be a regular file, and not, for example, a pipe that may block for ever.
    init(path: String, isFile: Bool = false) throws {
        self.path = path
        if path == "-" {
            descriptor = 0
            return
        }
        guard !path.isEmpty else { throw SyncError.emptyPath() }
        // NB: without `O_NONBLOCK`, opening a pipe waits for a writer.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | (isFile ? O_NONBLOCK : 0))
        guard descriptor >= 0 else {
            let number = errno
            throw number == ENOENT || number == ENOTDIR
                ? SyncError.noFile(path: path, orInput: !isFile)
                : SyncError.cannotRead(path: path, number: number)
        }
        var status = stat()
        if isFile, fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFREG {
            throw SyncError.notAFile(path: path)
        }
    }

    deinit {
        // Nothing was written, so an error of `close` does not matter.
        if descriptor != 0 { _ = close(descriptor) }
    }

    /// Appends at most `count` bytes and returns their number; 0 at the end.
    func read(into bytes: inout [UInt8], count: Int) throws -> Int {
        let before = bytes.count
        let number = DescriptorIO.read(descriptor, into: &bytes, count: count)
        guard number == 0 else {
            throw number == EISDIR
                ? SyncError.notAFile(path: path) : SyncError.cannotRead(path: path, number: number)
        }
        return bytes.count - before
    }

    /// Reads the remaining bytes, at most `maxBytes`.
    func readAll(maxBytes: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while try read(into: &bytes, count: 1 << 16) > 0 {
            if bytes.count > maxBytes { throw SyncError.tooLarge(path: path, maxBytes: maxBytes) }
        }
        return bytes
    }
}

extension ByteSource: LineSource {
    /// How a path is shown in findings.
    static func shownPath(_ path: String) -> String { path == "-" ? "<stdin>" : path }

    var totalBytes: Int64? { DescriptorIO.remainingBytes(descriptor) }

    func lineTooLong(number: Int, maxBytes: Int) -> SyncError {
        .tooLarge(path: "line \(number) of \(path)", maxBytes: maxBytes)
    }
}

/// Reads the JSON of an argument, or standard input for `-`.
enum JSONArgument {
    /// The most bytes that are read.
    static let maxBytes = 64 << 20

    static func bytes(argument: String) throws -> [UInt8] {
        argument == "-" ? try ByteSource(path: "-").readAll(maxBytes: maxBytes) : Array(argument.utf8)
    }
}
