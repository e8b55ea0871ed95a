import SyncCore
import SyncWire

/// A file that was read once and found complete. Its entries are read again piece by piece, unless the file is small.
struct SegmentFile: Sendable {
    /// The device of the file.
    var device: DeviceID
    /// Its name and numbers.
    var file: NumberedFile
    /// Its header.
    var header: SegmentHeader
    /// The fingerprint in its footer.
    var digest: Digest
    /// Its pieces, in order.
    var pieces: [Piece]
    /// The entries of a file with only one piece.
    var held: EntryPiece?

    /// Whether its header matches its folder and its name.
    var isAtItsPlace: Bool {
        let kind: SegmentHeader.Kind = file.isSnapshot ? .snapshot : .segment
        guard header.device == device, header.range == file.range, header.kind == kind else { return false }
        return file.tag.map { $0 == header.tag ?? NumberedFile.tag(of: digest) } ?? true
    }

    /// Releases the entries. They are read again when needed.
    mutating func release() {
        guard let held else { return }
        pieces[0].digest = Digest(held.bytes)
        self.held = nil
    }

    /// A part of the file, consisting of whole lines.
    struct Piece: Sendable {
        /// Its range in the file.
        var range: Range<Int>
        /// Its fingerprint: bytes that are read again must be the same as before. Unused while the entries are held.
        var digest: Digest
        /// The number of its first line, from 1.
        var line: Int
        /// The number of lines that are not entries: header and footer.
        var headerLines = 0
        var footerLines = 0
    }
}

/// Consecutive entries of a file.
struct EntryPiece: Sendable {
    /// The device of the file.
    var device: DeviceID
    /// The file's name and numbers.
    var file: NumberedFile
    /// The bytes of the entries.
    var bytes: [UInt8]
    /// The range of each entry, without its newline.
    var lines: [Range<Int>]
    /// The line number of the first entry in the file, from 1.
    var firstLine: Int
}

/// Why a file was not loaded.
enum LoadError: Error {
    /// It no longer exists.
    case vanished
    /// It is not used, with the reason.
    case refused(RemoteDiagnostic)
}
