/// A file of the disk: what programs see of it, and what a power cut would leave. Guarded by the disk's lock.
final class DiskFile {
    /// The sector in which a torn write is whole or absent.
    static let sectorBytes = 512

    /// Tells files apart, as an inode number does.
    let number: UInt64
    /// The name that it was made under, for stories.
    let name: String
    /// What programs read: the system's page cache.
    private(set) var written: [UInt8]
    /// Locks and shared memory, which go with their process.
    var locks = FileLocks()
    /// What is on the medium.
    private var synced: [UInt8]
    /// What was changed since the last sync, in order.
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

    /// Waits until everything is on the medium.
    func sync() {
        for change in pending { apply(change) }
        pending.removeAll(keepingCapacity: true)
    }

    /// Leaves what the end of the machine leaves.
    func settle(_ survival: Survival, seed: inout Seed) {
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

    /// Keeps the change, loses it, or keeps some sectors of it.
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
