#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads and writes of an open file, with the system's error number; 0 for none.
package enum DescriptorIO {
    /// Appends at most `count` bytes; none at the end of the file.
    package static func read(_ descriptor: Int32, into bytes: inout [UInt8], count: Int) -> Int32 {
        var number: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            var read = -1
            repeat {
                read = systemRead(descriptor: descriptor, buffer: buffer)
                number = read < 0 ? errno : 0
            } while number == EINTR
            initializedCount = max(0, read)
        }
        if bytes.isEmpty { bytes = piece } else { bytes += piece }
        return number
    }

    /// Writes all bytes.
    package static func write(_ descriptor: Int32, bytes: [UInt8]) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor: descriptor, bytes: UnsafeRawBufferPointer(rebasing: rest))
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }

    /// Waits until the disk has the bytes of an open file, or the names in an open folder.
    package static func flush(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            // On Apple's systems, `fsync` alone leaves the bytes in the drive's own cache (man 2 fsync). Some network
            // drives can do no more than that.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        #endif
        while fsync(descriptor) != 0 {
            if errno != EINTR { return errno }
        }
        return 0
    }

    /// Waits until the disk has the bytes of a file, or the names in a folder.
    package static func flush(path: String) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { _ = close(descriptor) }
        return flush(descriptor)
    }

    /// The bytes of an ordinary file after the present position; nil for a pipe or a terminal.
    package static func remainingBytes(_ descriptor: Int32) -> Int64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let position = lseek(descriptor, 0, SEEK_CUR)
        return position < 0 ? nil : max(0, Int64(status.st_size) - Int64(position))
    }
}

/// macOS refuses to read or write more than 2 GiB at once.
private let most = 1 << 30

/// The system's `read`, which the methods above would otherwise hide.
private func systemRead(descriptor: Int32, buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    read(descriptor, buffer.baseAddress, min(buffer.count, most))
}

/// The system's `write`, which the methods above would otherwise hide.
private func systemWrite(descriptor: Int32, bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, min(bytes.count, most))
}
