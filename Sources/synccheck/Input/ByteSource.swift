import EntitySync

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The bytes of a file, or of standard input for the path `-`, read in pieces.
final class ByteSource {
    /// The path as the caller gave it, for messages.
    let path: String
    private let descriptor: Int32

    /// Opens a file. Throws `SyncError` when there is none, or when it may not be read; with `isFile` also for what is no
    /// ordinary file, such as a pipe that nobody may ever write to.
    init(path: String, isFile: Bool = false) throws {
        self.path = path
        if path == "-" {
            descriptor = 0
            return
        }
        // NB: opening a pipe waits for somebody who writes, unless it is opened in this way.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | (isFile ? O_NONBLOCK : 0))
        guard descriptor >= 0 else {
            let number = errno
            throw number == ENOENT || number == ENOTDIR
                ? SyncError.noFile(path: path) : SyncError.cannotRead(path: path, number: number)
        }
        var status = stat()
        if isFile, fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFREG {
            throw SyncError.notAFile(path: path)
        }
    }

    deinit {
        // NB: nothing was written, so closing loses nothing whatever it reports.
        if descriptor != 0 { _ = close(descriptor) }
    }

    /// Appends at most `count` bytes, and returns how many; 0 at the end.
    func read(into bytes: inout [UInt8], count: Int) throws -> Int {
        var number: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            var read = -1
            repeat {
                read = systemRead(descriptor: descriptor, buffer: buffer)
                number = read < 0 ? errno : 0
            } while number == EINTR
            initializedCount = max(0, read)
        }
        guard number == 0 else {
            throw number == EISDIR
                ? SyncError.notAFile(path: path) : SyncError.cannotRead(path: path, number: number)
        }
        bytes += piece
        return piece.count
    }

    /// All bytes that are left, at most `maxBytes`.
    func readAll(maxBytes: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while try read(into: &bytes, count: 1 << 16) > 0 {
            if bytes.count > maxBytes { throw SyncError.tooLarge(path: path, maxBytes: maxBytes) }
        }
        return bytes
    }
}

/// The system's `read`, under a name that the methods above do not hide.
private func systemRead(descriptor: Int32, buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

/// The JSON that an argument holds, or standard input for `-`.
enum JSONArgument {
    /// The most that is taken.
    static let maxBytes = 64 << 20

    static func bytes(argument: String) throws -> [UInt8] {
        argument == "-" ? try ByteSource(path: "-").readAll(maxBytes: maxBytes) : Array(argument.utf8)
    }
}
