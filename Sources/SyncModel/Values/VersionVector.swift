/// The edits of one record that a version has seen: for each device the highest sequence. It distinguishes seen from
/// concurrent edits.
public struct VersionVector: Sendable, Hashable {
    /// Pairs sorted by device, one per device.
    public private(set) var entries: [Entry]

    /// One device and its highest sequence seen.
    public struct Entry: Sendable, Hashable {
        /// The device.
        public var device: DeviceID
        /// The highest sequence seen.
        public var sequence: Int64
    }

    /// A vector that has seen nothing.
    public init() {
        entries = []
    }

    /// A vector that has seen one edit.
    public init(_ editTimestamp: EditTimestamp) {
        entries = [Entry(device: editTimestamp.device, sequence: editTimestamp.sequence)]
    }

    /// The highest sequence seen of a device; 0 if none.
    public subscript(device: DeviceID) -> Int64 {
        for entry in entries where entry.device == device { return entry.sequence }
        return 0
    }

    /// Whether the edit was seen.
    public func covers(_ editTimestamp: EditTimestamp) -> Bool {
        self[editTimestamp.device] >= editTimestamp.sequence
    }

    /// Whether the edit is the only one that was seen, as in the first version of a record. Such a vector is neither
    /// stored nor sent.
    package func hasOnlySeen(_ editTimestamp: EditTimestamp) -> Bool {
        entries.count == 1 && entries[0].device == editTimestamp.device
            && entries[0].sequence == editTimestamp.sequence
    }

    /// Whether every edit that the other has seen was seen.
    public func covers(_ other: VersionVector) -> Bool {
        // Both are sorted, and untrusted input may list thousands of devices: one walk over both, no search.
        var index = entries.startIndex
        for entry in other.entries {
            while index < entries.endIndex, entries[index].device < entry.device { index += 1 }
            guard index < entries.endIndex, entries[index].device == entry.device,
                entries[index].sequence >= entry.sequence
            else { return false }
        }
        return true
    }

    /// Adds an edit.
    public mutating func insert(_ editTimestamp: EditTimestamp) {
        insert(Entry(device: editTimestamp.device, sequence: editTimestamp.sequence))
    }

    /// Adds all edits that the other has seen.
    public mutating func formUnion(_ other: VersionVector) {
        for entry in other.entries { insert(entry) }
    }

    /// All edits that either has seen.
    public func union(_ other: VersionVector) -> VersionVector {
        var result = self
        result.formUnion(other)
        return result
    }

    /// Removes a device's edits after a sequence. Used when a copied store takes a new incarnation.
    public mutating func truncate(_ device: DeviceID, to sequence: Int64) {
        entries = entries.compactMap { entry in
            guard entry.device == device else { return entry }
            return sequence > 0 ? Entry(device: device, sequence: Swift.min(entry.sequence, sequence)) : nil
        }
    }

    private mutating func insert(_ entry: Entry) {
        for index in entries.indices {
            if entries[index].device == entry.device {
                entries[index].sequence = max(entries[index].sequence, entry.sequence)
                return
            }
            if entry.device < entries[index].device {
                entries.insert(entry, at: index)
                return
            }
        }
        entries.append(entry)
    }
}

extension VersionVector: CustomStringConvertible {
    /// `device:sequence` pairs joined by commas, sorted by device.
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(entries.count * 24)
        for entry in entries {
            if !text.isEmpty { text.append(UInt8(ascii: ",")) }
            entry.device.append(to: &text)
            text.append(UInt8(ascii: ":"))
            text.append(decimal: entry.sequence)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads a `description`, with pairs in any order and extra commas; nil for anything else.
    public init?(_ text: some StringProtocol) {
        var copy = String(text)
        guard let vector = copy.withUTF8({ VersionVector($0) }) else { return nil }
        self = vector
    }

    /// Reads the bytes of what `description` writes. See `init(_:)`.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.init()
        var isSorted = true
        var rest = bytes[...]
        while !rest.isEmpty {
            let pair = rest.prefix { $0 != UInt8(ascii: ",") }
            rest = rest.dropFirst(pair.count + 1)
            if pair.isEmpty { continue }
            guard let entry = Entry(pair) else { return nil }
            if let last = entries.last, entry.device <= last.device { isSorted = false }
            entries.append(entry)
        }
        guard !isSorted else { return }
        // Sorted once: inserting one by one would take hours for the pairs that fit in a request.
        entries.sort { ($0.device, $0.sequence) < ($1.device, $1.sequence) }
        var kept: [Entry] = []
        for entry in entries {
            if kept.last?.device == entry.device { kept.removeLast() }
            kept.append(entry)
        }
        entries = kept
    }
}

extension VersionVector.Entry {
    /// Reads `device:sequence`; nil for anything else.
    fileprivate init?(_ pair: Slice<UnsafeBufferPointer<UInt8>>) {
        guard pair.count > 17, pair[pair.startIndex + 16] == UInt8(ascii: ":"),
            let device = DeviceID(UnsafeBufferPointer(rebasing: pair.prefix(16)))
        else { return nil }
        var digits = pair.dropFirst(17)
        if digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
        guard let sequence = Int64(decimal: digits), sequence > 0 else { return nil }
        self.init(device: device, sequence: sequence)
    }
}
