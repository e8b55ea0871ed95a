/// A simulated file: its content as programs see it, and as a power loss would leave it. Guarded by the
/// disk's lock.
final class DiskFile {
    /// The sector size. A torn write keeps or loses whole sectors.
    static let sectorBytes = 512

    /// Identifies the file, like an inode number.
    let number: UInt64
    /// The name under which the file was created, for descriptions.
    let name: String
    /// The content that programs read, as in the system's page cache.
    private(set) var written: [UInt8]
    /// Locks and shared memory, which end with their process.
    var locks = FileLocks()
    /// The synced content.
    private var synced: [UInt8]
    /// Changes since the last sync, in order.
    private var pending: [Change] = []

    private enum Change {
        case write(at: Int, bytes: [UInt8])
        case truncate(to: Int)
    }

    init(number: UInt64, name: String, bytes: [UInt8] = []) {
        self.number = number
        self.name = name
        written = bytes
        synced = bytes
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        Self.put(bytes, at: offset, into: &written)
        pending.append(.write(at: offset, bytes: Array(bytes)))
    }

    func truncate(to length: Int) {
        Self.cut(&written, to: length)
        pending.append(.truncate(to: length))
    }

    /// Syncs the content to the medium.
    func sync() {
        for change in pending { apply(change) }
        pending.removeAll(keepingCapacity: true)
    }

    /// Reduces the content to what survives a crash.
    func crash(keeping survival: Survival, seed: inout Seed) {
        locks = FileLocks()
        switch survival {
        case .everything: return
        case .syncedOnly: break
        case .some: for change in pending { applyPart(of: change, seed: &seed) }
        }
        pending = []
        written = synced
    }

    private func apply(_ change: Change) {
        switch change {
        case .write(let offset, let bytes): bytes.withUnsafeBytes { Self.put($0, at: offset, into: &synced) }
        case .truncate(let length): Self.cut(&synced, to: length)
        }
    }

    /// Keeps the change, drops it, or keeps some of its sectors.
    private func applyPart(of change: Change, seed: inout Seed) {
        guard case .write(let offset, let bytes) = change, bytes.count > Self.sectorBytes else {
            if seed.next() % 2 == 0 { apply(change) }
            return
        }
        switch seed.next() % 3 {
        case 0: apply(change)
        case 1: break
        default:
            var start = 0
            while start < bytes.count {
                let sector = (offset + start) / Self.sectorBytes
                let end = min(bytes.count, (sector + 1) * Self.sectorBytes - offset)
                if seed.next() % 2 == 0 {
                    apply(.write(at: offset + start, bytes: Array(bytes[start..<end])))
                }
                start = end
            }
        }
    }

    private static func put(_ bytes: UnsafeRawBufferPointer, at offset: Int, into content: inout [UInt8]) {
        let overlap = max(0, min(bytes.count, content.count - offset))
        if overlap > 0 {
            content.withUnsafeMutableBytes {
                UnsafeMutableRawBufferPointer(rebasing: $0[offset..<(offset + overlap)])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<overlap]))
            }
        }
        guard overlap < bytes.count else { return }
        // A gap reads as zeros.
        if content.count < offset { content += repeatElement(0, count: offset - content.count) }
        content += bytes[overlap...]
    }

    private static func cut(_ content: inout [UInt8], to length: Int) {
        if length < content.count {
            content.removeLast(content.count - length)
        } else if length > content.count {
            content += repeatElement(0, count: length - content.count)
        }
    }
}
