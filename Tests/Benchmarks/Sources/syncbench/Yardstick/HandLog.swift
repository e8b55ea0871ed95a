import Foundation
import SyncCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file of JSON lines by hand: records are written into one buffer, appended, made durable once, and read back at once.
struct HandLog {
    let records: [BenchRecord]

    /// Appends all records to a new file, and makes it durable.
    func append(to path: String) throws {
        unlink(path)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(records.count * 800)
        for (index, record) in records.enumerated() {
            bytes.append(contentsOf: index == 0 ? Array("[\n".utf8) : Array(",\n".utf8))
            HandJSON.append(record, to: &bytes)
        }
        bytes.append(contentsOf: Array("\n]".utf8))
        try Self.save(bytes, path: path)
    }

    private static func save(_ bytes: [UInt8], path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { throw Unmeasured(reason: "the yardstick's file cannot be made") }
        defer { close(file) }
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                write(file, buffer.baseAddress.map { $0 + start }, bytes.count - start)
            }
            guard count > 0 else { throw Unmeasured(reason: "the yardstick's file cannot be written") }
            start += count
        }
        guard fsync(file) == 0 else { throw Unmeasured(reason: "the yardstick's file cannot be synced") }
    }

    /// Reads a whole file.
    static func load(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { throw Unmeasured(reason: "the yardstick's file cannot be read") }
        defer { close(file) }
        var info = stat()
        guard fstat(file, &info) == 0 else { throw Unmeasured(reason: "the yardstick's file has no size") }
        let size = Int(info.st_size)
        return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let more = read(file, buffer.baseAddress.map { $0 + count }, size - count)
                guard more > 0 else { throw Unmeasured(reason: "the yardstick's file ends early") }
                count += more
            }
        }
    }
}
