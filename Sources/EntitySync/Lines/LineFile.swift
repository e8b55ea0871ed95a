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

/// Where lines of an export go.
final class LineSink {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// All bytes that were appended.
    private(set) var bytes: Int64 = 0
    private static let pieceBytes = 1 << 18

    /// Writes to an open file.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Adds a line and its line feed.
    func append(_ line: [UInt8]) throws {
        buffer += line
        buffer.append(UInt8(ascii: "\n"))
        bytes += Int64(line.count) + 1
        if buffer.count >= Self.pieceBytes { try flush() }
    }

    /// Writes what is left.
    func flush() throws {
        let number = DescriptorIO.write(descriptor, bytes: buffer)
        guard number == 0 else { throw SyncError.cannotWriteFile(number: number) }
        buffer.removeAll(keepingCapacity: true)
    }
}

/// A file of lines that takes its name once it is whole. Until then it has another one beside it, which goes with
/// this value.
final class LineFile {
    private let path: String
    private var descriptor: Int32
    private var isKept = false
    let sink: LineSink

    /// The name until then.
    let partialPath: String

    /// Opens the file. Throws `SyncError` if it cannot be made, or if there is a store or a folder in its place.
    init(path: String) throws {
        self.path = path
        try BackupFiles.refuseStore(at: path)
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG { throw SyncError.noPlaceForFile() }
        var partialPath = path + ".partial"
        func make() -> Int32 { open(partialPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
        descriptor = make()
        // A file of that name may be somebody's, or what an interrupted import has refused.
        for number in 2..<1000 where descriptor < 0 && errno == EEXIST {
            partialPath = "\(path).partial-\(number)"
            descriptor = make()
        }
        guard descriptor >= 0 else { throw SyncError.cannotWriteFile(number: errno) }
        self.partialPath = partialPath
        sink = LineSink(descriptor: descriptor)
    }

    deinit {
        close()
        if !isKept { unlink(partialPath) }
    }

    /// Whether there is nothing in a place, or an empty file.
    static func isEmpty(path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_size == 0
    }

    /// Leaves the file where it is, under its other name.
    func keep() { isKept = true }

    /// Writes what is left and closes the file.
    func seal() throws {
        try sink.flush()
        // Another export to the same place would have replaced it.
        guard BackupFiles.isNamed(descriptor: descriptor, path: partialPath) else {
            throw SyncError.noPlaceForFile()
        }
        close()
    }

    /// Gives the file its name, in place of an earlier one, and waits until the disk has it.
    func publish() throws {
        try BackupFiles.replace(path: path, by: partialPath, what: "the export")
        isKept = true
    }

    private func close() {
        guard descriptor >= 0 else { return }
        systemClose(descriptor)
        descriptor = -1
    }
}

/// The system's `close`, which the method above would otherwise hide.
private func systemClose(_ descriptor: Int32) {
    close(descriptor)
}

/// Removes a folder if there is nothing in it.
func removeEmptyFolder(_ path: String) {
    rmdir(path)
}
