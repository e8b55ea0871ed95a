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
enum LoadError: Error {
    /// It is not there any more.
    case vanished
    /// It is not believed.
    case refused(RemoteDiagnostic)
}

extension FolderReader {
    /// Reads one file and checks that it is whole and what its name says. Holds `pieceBytes` of it at once, or one
    /// entry that is larger.
    func load(
        _ device: DeviceID,
        file: NumberedFile,
        pieceBytes: Int? = nil
    ) throws -> Result<SegmentFile, LoadError> {
        let pieceBytes = pieceBytes ?? limits.pieceBytes
        let place = layout.place(device: device, file: file)
        let path = layout.path(device: device, file: file)
        return try believing(place: place) {
            switch try files.kind(path: path) {
            case nil: throw LoadError.vanished
            case .link: throw LoadError.refused(.link(place: place))
            case .folder, .other: throw LoadError.refused(.notAFile(place: place))
            case .file(let count) where count > limits.maxFileBytes:
                throw LoadError.refused(.tooLarge(place: place, limit: limits.maxFileBytes))
            case .file(let count):
                let whole =
                    count <= pieceBytes
                    ? try loadAtOnce(device, file: file, path: path, pieceBytes: pieceBytes)
                    : try loadInPieces(device, file: file, path: path, pieceBytes: pieceBytes)
                guard whole.isAtItsPlace || Mutation.disables(.filePlace) else {
                    throw LoadError.refused(.misplaced(place: place))
                }
                return whole
            }
        }
    }

    /// What the first line of a file says, without reading the rest; nil where it cannot be believed.
    func header(device: DeviceID, file: NumberedFile) throws -> SegmentHeader? {
        let path = layout.path(device: device, file: file)
        let result = try believing(place: layout.place(device: device, file: file)) {
            () throws -> SegmentHeader? in
            guard case .file = try files.kind(path: path) else { return nil }
            let bytes = try files.read(path: path, from: 0, count: Self.maxHeaderBytes)
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
    func read(whole: SegmentFile, piece index: Int) throws -> Result<EntryPiece, LoadError> {
        if let held = whole.held { return .success(held) }
        let piece = whole.pieces[index]
        return try believing(place: layout.place(device: whole.device, file: whole.file)) {
            let path = layout.path(device: whole.device, file: whole.file)
            let bytes = try files.read(path: path, from: piece.range.lowerBound, count: piece.range.count)
            guard Digest(bytes) == piece.digest else { throw SegmentError.wrongDigest }
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
        place: String,
        body: () throws -> Value
    ) throws -> Result<Value, LoadError> {
        do {
            return .success(try body())
        } catch let failure as LoadError {
            return .failure(failure)
        } catch let refusal as SegmentError {
            return .failure(.refused(.refused(place: place, refusal: refusal)))
        } catch let problem as FileError {
            return .failure(
                problem.kind == .notFound ? .vanished : .refused(.unreadable(place: place, problem: problem))
            )
        }
    }

    private func loadAtOnce(
        _ device: DeviceID,
        file: NumberedFile,
        path: String,
        pieceBytes: Int
    ) throws -> SegmentFile {
        let bytes: [UInt8]
        do {
            bytes = try files.read(path: path, maxBytes: pieceBytes)
        } catch let problem as FileError where problem.kind == .tooLarge {
            // It has grown since it was looked at: somebody is still copying it.
            throw SegmentError.torn
        }
        let segment = try Segment(bytes)
        let held = EntryPiece(device: device, file: file, bytes: bytes, lines: segment.lines, firstLine: 2)
        let piece = SegmentFile.Piece(
            range: 0..<bytes.count,
            digest: segment.digest,
            line: 1,
            headerLines: 1,
            footerLines: 1
        )
        return SegmentFile(
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
        file: NumberedFile,
        path: String,
        pieceBytes: Int
    ) throws -> SegmentFile {
        var check = SegmentCheck()
        var pieces: [SegmentFile.Piece] = []
        var offset = 0
        while let bytes = try wholeLines(path: path, from: offset, pieceBytes: pieceBytes) {
            let line = check.lines + 1
            try check.append(bytes)
            let range = offset..<offset + bytes.count
            pieces.append(SegmentFile.Piece(range: range, digest: Digest(bytes), line: line))
            offset = range.upperBound
        }
        let found = try check.finish()
        pieces[0].headerLines = 1
        pieces[pieces.count - 1].footerLines = 1
        return SegmentFile(
            device: device,
            file: file,
            header: found.header,
            digest: found.digest,
            pieces: pieces
        )
    }

    /// Lines from an offset on, about so many bytes of them but one at least; nil at the end of the file.
    private func wholeLines(path: String, from offset: Int, pieceBytes: Int) throws -> [UInt8]? {
        var bytes = try files.read(path: path, from: offset, count: pieceBytes)
        guard !bytes.isEmpty else { return nil }
        while true {
            if let end = bytes.lastIndex(of: UInt8(ascii: "\n")) {
                bytes.removeSubrange((end + 1)...)
                return bytes
            }
            // NB: a header is short, and a file that a copier has sized but not filled ends in zero bytes: neither is
            // worth holding a whole file for.
            if offset == 0, bytes[0] == 0 { throw SegmentError.torn }
            if offset == 0, bytes.count >= Self.maxHeaderBytes { throw SegmentError.foreign }
            if bytes.last == 0 { throw SegmentError.torn }
            let more = try files.read(path: path, from: offset + bytes.count, count: bytes.count)
            if more.isEmpty, offset == 0 { throw SegmentError.foreign }
            guard !more.isEmpty, offset + bytes.count <= limits.maxFileBytes else {
                throw SegmentError.torn
            }
            bytes += more
        }
    }
}
