import SyncCore
import SyncWire

/// A file that was read once and found whole. Its entries are read again piece by piece, but for those of a small file.
struct WholeFile: Sendable {
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
    fileprivate var isAtItsPlace: Bool {
        let kind: SegmentHeader.Kind = file.isSnapshot ? .snapshot : .segment
        guard header.device == device, header.range == file.range, header.kind == kind else { return false }
        return file.tag.map { $0 == header.tag ?? NumberedFile.tag(of: digest) } ?? true
    }

    /// Forgets the entries, which are read again then.
    mutating func letGo() {
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
enum LoadFailure: Error {
    /// It is not there any more.
    case vanished
    /// It is not believed.
    case refused(RemoteProblem)
}

extension FolderReader {
    /// Reads one file and checks that it is whole and what its name says. Holds `pieceBytes` of it at once, or one
    /// entry that is larger.
    func load(
        _ device: DeviceID,
        _ file: NumberedFile,
        pieceBytes: Int? = nil
    ) throws -> Result<WholeFile, LoadFailure> {
        let pieceBytes = pieceBytes ?? limits.pieceBytes
        let place = layout.place(device, file)
        let path = layout.path(device, file)
        return try believing(place) {
            switch try files.kind(path) {
            case nil: throw LoadFailure.vanished
            case .link: throw LoadFailure.refused(.link(place))
            case .folder, .other: throw LoadFailure.refused(.notAFile(place))
            case .file(let count) where count > limits.maxFileBytes:
                throw LoadFailure.refused(.tooLarge(place, limit: limits.maxFileBytes))
            case .file(let count):
                let whole =
                    count <= pieceBytes
                    ? try loadAtOnce(device, file, path, pieceBytes)
                    : try loadInPieces(device, file, path, pieceBytes)
                guard whole.isAtItsPlace || !Guard.isOn(.filePlace) else {
                    throw LoadFailure.refused(.misplaced(place))
                }
                return whole
            }
        }
    }

    /// What the first line of a file says, without reading the rest; nil where it cannot be believed.
    func header(_ device: DeviceID, _ file: NumberedFile) throws -> SegmentHeader? {
        let path = layout.path(device, file)
        let result = try believing(layout.place(device, file)) { () throws -> SegmentHeader? in
            guard case .file = try files.kind(path) else { return nil }
            let bytes = try files.read(path, from: 0, count: Self.maxHeaderBytes)
            guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            var check = SegmentCheck()
            try check.append(Array(bytes[...end]))
            return check.header
        }
        guard case .success(let header?) = result, header.device == device, header.range == file.range else {
            return nil
        }
        return header
    }

    /// More than the first line of a file takes.
    private static let maxHeaderBytes = 8 << 10

    /// The entries of one piece, if they are still what they were.
    func read(_ whole: WholeFile, piece index: Int) throws -> Result<EntryPiece, LoadFailure> {
        if let held = whole.held { return .success(held) }
        let piece = whole.pieces[index]
        return try believing(layout.place(whole.device, whole.file)) {
            let path = layout.path(whole.device, whole.file)
            let bytes = try files.read(path, from: piece.range.lowerBound, count: piece.range.count)
            guard Digest(bytes) == piece.digest else { throw SegmentRefusal.wrongDigest }
            let lines = bytes.withUnsafeBufferPointer { Segment.lines(of: $0, from: 0) }
            return EntryPiece(
                device: whole.device,
                file: whole.file,
                bytes: bytes,
                lines: Array(lines.dropFirst(piece.headerLines).dropLast(piece.footerLines)),
                firstLine: piece.line + piece.headerLines
            )
        }
    }

    /// What `body` reads; what stops it as a reason not to believe the file.
    private func believing<Value>(
        _ place: String,
        _ body: () throws -> Value
    ) throws -> Result<Value, LoadFailure> {
        do {
            return .success(try body())
        } catch let failure as LoadFailure {
            return .failure(failure)
        } catch let refusal as SegmentRefusal {
            return .failure(.refused(.refused(place, refusal)))
        } catch let problem as FileProblem {
            return .failure(problem.kind == .notFound ? .vanished : .refused(.unreadable(place, problem)))
        }
    }

    private func loadAtOnce(
        _ device: DeviceID,
        _ file: NumberedFile,
        _ path: String,
        _ pieceBytes: Int
    ) throws -> WholeFile {
        let bytes: [UInt8]
        do {
            bytes = try files.read(path, maxBytes: pieceBytes)
        } catch let problem as FileProblem where problem.kind == .tooLarge {
            // It has grown since it was looked at: somebody is still copying it.
            throw SegmentRefusal.torn
        }
        let segment = try Segment(bytes)
        let held = EntryPiece(device: device, file: file, bytes: bytes, lines: segment.lines, firstLine: 2)
        let piece = WholeFile.Piece(
            range: 0..<bytes.count,
            digest: segment.digest,
            line: 1,
            headerLines: 1,
            footerLines: 1
        )
        return WholeFile(
            device: device,
            file: file,
            header: segment.header,
            digest: segment.digest,
            pieces: [piece],
            held: held
        )
    }

    private func loadInPieces(
        _ device: DeviceID,
        _ file: NumberedFile,
        _ path: String,
        _ pieceBytes: Int
    ) throws -> WholeFile {
        var check = SegmentCheck()
        var pieces: [WholeFile.Piece] = []
        var offset = 0
        while let bytes = try wholeLines(path, from: offset, pieceBytes) {
            let line = check.lines + 1
            try check.append(bytes)
            let range = offset..<offset + bytes.count
            pieces.append(WholeFile.Piece(range: range, digest: Digest(bytes), line: line))
            offset = range.upperBound
        }
        let found = try check.finish()
        pieces[0].headerLines = 1
        pieces[pieces.count - 1].footerLines = 1
        return WholeFile(
            device: device,
            file: file,
            header: found.header,
            digest: found.digest,
            pieces: pieces
        )
    }

    /// Lines from an offset on, about so many bytes of them but one at least; nil at the end of the file.
    private func wholeLines(_ path: String, from offset: Int, _ pieceBytes: Int) throws -> [UInt8]? {
        var bytes = try files.read(path, from: offset, count: pieceBytes)
        guard !bytes.isEmpty else { return nil }
        while true {
            if let end = bytes.lastIndex(of: UInt8(ascii: "\n")) {
                bytes.removeSubrange((end + 1)...)
                return bytes
            }
            // NB: a header is short, and a file that a copier has sized but not filled ends in zero bytes: neither is
            // worth holding a whole file for.
            if offset == 0, bytes[0] == 0 { throw SegmentRefusal.torn }
            if offset == 0, bytes.count >= Self.maxHeaderBytes { throw SegmentRefusal.foreign }
            if bytes.last == 0 { throw SegmentRefusal.torn }
            let more = try files.read(path, from: offset + bytes.count, count: bytes.count)
            if more.isEmpty, offset == 0 { throw SegmentRefusal.foreign }
            guard !more.isEmpty, offset + bytes.count <= limits.maxFileBytes else {
                throw SegmentRefusal.torn
            }
            bytes += more
        }
    }
}
