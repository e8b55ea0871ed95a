import SyncCore
import SyncWire

/// A file that was read once and found whole. Its entries are read again piece by piece, but for those of a small file.
struct SegmentFile: Sendable {
    /// Whose it is.
    var device: DeviceID
    /// Its name and numbers.
    var file: NumberedFile
    /// What its first line says.
    var header: SegmentHeader
    /// The fingerprint that its footer names.
    var digest: Digest
    /// Its pieces, in order.
    var pieces: [Piece]
    /// The entries of a file that is one piece only.
    var held: EntryPiece?

    /// Whether it says of itself what its place and its name say.
    var isAtItsPlace: Bool {
        let kind: SegmentHeader.Kind = file.isSnapshot ? .snapshot : .segment
        guard header.device == device, header.range == file.range, header.kind == kind else { return false }
        return file.tag.map { $0 == header.tag ?? NumberedFile.tag(of: digest) } ?? true
    }

    /// Forgets the entries, which are read again then.
    mutating func release() {
        guard let held else { return }
        pieces[0].digest = Digest(held.bytes)
        self.held = nil
    }

    /// A part of whole lines.
    struct Piece: Sendable {
        /// Where it stands in the file.
        var range: Range<Int>
        /// Its own fingerprint: what is read a second time is believed only if it is what was read the first time. Of
        /// no use while the entries are held.
        var digest: Digest
        /// The number of its first line, from 1.
        var line: Int
        /// The lines in it that are no entries: the header, and the footer.
        var headerLines = 0
        var footerLines = 0
    }
}

/// Entries of a file that stand together.
struct EntryPiece: Sendable {
    /// Whose they are.
    var device: DeviceID
    /// The file's name and numbers.
    var file: NumberedFile
    /// The bytes that hold them.
    var bytes: [UInt8]
    /// Where each entry stands in the bytes, without its newline.
    var lines: [Range<Int>]
    /// The number of the first of them in the file, from 1.
    var firstLine: Int
}

/// Why a file was not loaded.
enum LoadError: Error {
    /// It is not there any more.
    case vanished
    /// It is not believed.
    case refused(RemoteDiagnostic)
}
