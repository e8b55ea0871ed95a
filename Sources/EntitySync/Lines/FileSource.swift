import Foundation
import SyncCore
import SyncFiles
import SyncStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An open file that an app imports.
final class FileSource: LineSource {
    /// The open file.
    let descriptor: Int32
    private let isOwned: Bool
    let totalBytes: Int64?

    /// Opens an ordinary file. Throws `SyncError` if there is none or it cannot be read.
    init(url: URL) throws {
        let path = try url.checkedPath
        // NB: opening and closing the file of an open store would drop its locks.
        if BackupFiles.isOpenStore(path: path) { throw SyncError.notAnExport() }
        // Without `O_NONBLOCK`, opening a pipe waits for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let number = errno
            throw number == ENOENT || number == ENOTDIR
                ? SyncError.noSuchFile() : .cannotReadFile(number: number)
        }
        guard let totalBytes = DescriptorIO.remainingBytes(descriptor) else {
            close(descriptor)
            throw SyncError.notAnExport()
        }
        (self.descriptor, self.totalBytes, isOwned) = (descriptor, totalBytes, true)
    }

    /// Reads a file that the app has opened, from its present position.
    init(handle: FileHandle) {
        descriptor = handle.fileDescriptor
        totalBytes = DescriptorIO.remainingBytes(descriptor)
        isOwned = false
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    func read(into bytes: inout [UInt8], count: Int) throws -> Int {
        let before = bytes.count
        let number = DescriptorIO.read(descriptor, into: &bytes, count: count)
        guard number == 0 else { throw SyncError.cannotReadFile(number: number) }
        return bytes.count - before
    }

    func lineTooLong(number: Int, maxBytes: Int) -> SyncError {
        .longLine(number: number, maxBytes: maxBytes)
    }
}

extension URL {
    /// The path of a file URL. Throws `usage` for any other one.
    var checkedPath: String {
        get throws {
            guard isFileURL, !path.isEmpty else { throw SyncError.noFileURL() }
            return path
        }
    }
}
