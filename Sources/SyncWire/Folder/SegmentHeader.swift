package import SyncCore

/// The first line of a segment: its device, and its numbers.
///
/// A segment is text, one JSON value per line: the header, one entry per line (`EntryCodec`), and a footer that
/// counts the entries and fingerprints every byte before it. Each line ends with a newline.
package struct SegmentHeader: Sendable, Hashable {
    /// The device that wrote it.
    package var device: DeviceID
    /// A single number for a segment; for a snapshot, the numbers that it contains.
    package var range: ClosedRange<Int64>
    /// Segment or snapshot.
    package var kind: Kind
    /// How many entries follow.
    package var entries: Int
    /// Distinguishes this content from others of the same numbers, if the file's name has a tag that the footer does
    /// not determine: a snapshot is written in pieces, and its name is chosen before.
    package var tag: String?
    /// Notes about the files of the numbers up to this one, in the form of `TagNotes`.
    package var files: String?
    /// The highest number of a dropped tombstone, 0 for none. A device that has not taken everything up to it must
    /// compare.
    package var collected: Int64 = 0
    /// Other devices with entries that stand for some which this file leaves out, each with the highest number that was
    /// there then: only with those files does this one show all records.
    package var relied: [DeviceID: Int64] = [:]

    /// The closed list of kinds.
    package enum Kind: String, Sendable, Hashable {
        /// What one push published.
        case segment
        /// The merged content of several segments, without superseded entries.
        case snapshot
    }

    /// Makes a header.
    package init(device: DeviceID, range: ClosedRange<Int64>, kind: Kind, entries: Int) {
        self.device = device
        self.range = range
        self.kind = kind
        self.entries = entries
    }

    /// The name of the format.
    package static let format = "entitysync.segment"
    /// The format version that this code writes, and the newest that it reads.
    package static let version: Int64 = 1
}

extension SegmentHeader {
    func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("format", value: Self.format)
        writer.member("version", value: Self.version)
        writer.member("device", value: device.description)
        writer.member("kind", value: kind.rawValue)
        writer.member("first", value: range.lowerBound)
        writer.member("number", value: range.upperBound)
        writer.member("entries", value: Int64(entries))
        if let tag { writer.member("tag", value: tag) }
        if let files { writer.member("files", value: files) }
        if collected > 0 { writer.member("collected", value: collected) }
        if !relied.isEmpty { writer.member("relied", value: reliedText) }
        writer.endObject()
    }

    /// Reads a header line. Throws `foreign` or `newerFormat` before any other error.
    init(line: UnsafeBufferPointer<UInt8>) throws(SegmentError) {
        var members = SmallObject()
        do {
            members = try SmallObject(line)
        } catch { throw .foreign }
        guard members.text(name: "format") == Self.format, let version = members.integer(name: "version")
        else {
            throw .foreign
        }
        guard version <= Self.version else { throw .newerFormat(version) }
        guard let device = members.text(name: "device").flatMap({ DeviceID($0) }),
            let kind = members.text(name: "kind").flatMap({ Kind(rawValue: $0) }),
            let first = members.integer(name: "first"), let number = members.integer(name: "number"),
            first > 0, first <= number, kind == .snapshot || first == number,
            let entries = members.integer(name: "entries"), entries >= 0
        else { throw .foreign }
        self.init(device: device, range: first...number, kind: kind, entries: Int(entries))
        tag = members.text(name: "tag")
        files = members.text(name: "files")
        collected = min(max(0, members.integer(name: "collected") ?? 0), number)
        for part in members.text(name: "relied")?.split(separator: ",") ?? [] {
            let pair = part.split(separator: ":")
            guard pair.count == 2, let device = DeviceID(String(pair[0])), let number = Int64(pair[1]) else {
                continue
            }
            relied[device] = number
        }
    }

    /// The devices and numbers, by device: `id:number,id:number`.
    package var reliedText: String {
        relied.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
    }
}

/// Why a segment is not valid.
package enum SegmentError: Error, Sendable, Hashable {
    /// It is empty.
    case empty
    /// It ends before its footer, or has fewer or more lines than stated: partially copied, cut off or appended to.
    case torn
    /// Its bytes do not have the fingerprint in its footer.
    case wrongDigest
    /// It is not a segment at all.
    case foreign
    /// A newer program wrote it, in this format version.
    case newerFormat(Int64)
}
