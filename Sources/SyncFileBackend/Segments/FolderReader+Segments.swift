import SyncCore
import SyncWire

extension FolderReader {
    /// Reads a file and checks that it is complete and matches its name. Holds `pieceBytes` of it at once, or one
    /// larger entry.
    func load(
        _ file: NumberedFile,
        of listing: DeviceListing,
        pieceBytes: Int? = nil
    ) async throws -> Result<SegmentFile, LoadError> {
        let pieceBytes = pieceBytes ?? limits.pieceBytes
        let place = FolderLayout.place(device: listing.device, file: file)
        return try await believing(place: place) {
            switch listing.kinds[file] {
            case nil: throw LoadError.vanished
            case .link: throw LoadError.refused(.link(place: place))
            case .folder, .other: throw LoadError.refused(.notAFile(place: place))
            case .unreadable(let error): throw error
            case .object(let count) where count > limits.maxFileBytes:
                throw LoadError.refused(.tooLarge(place: place, limit: limits.maxFileBytes))
            case .object(let count):
                let whole =
                    count <= pieceBytes
                    ? try await loadAtOnce(listing.device, file: file, pieceBytes: pieceBytes)
                    : try await loadInPieces(listing.device, file: file, pieceBytes: pieceBytes)
                guard whole.isAtItsPlace else {
                    throw LoadError.refused(.misplaced(place: place))
                }
                return whole
            }
        }
    }

    /// The header of a file, without reading the rest; nil if it is invalid.
    func header(device: DeviceID, file: NumberedFile) async throws -> SegmentHeader? {
        let result = try await believing(place: FolderLayout.place(device: device, file: file)) {
            () async throws -> SegmentHeader? in
            let key = FolderLayout.key(device: device, file: file)
            let bytes = try await storage.get(key, range: 0..<Self.maxHeaderBytes)
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

    /// An upper bound for a header.
    private static let maxHeaderBytes = 8 << 10

    /// The entries of one piece, if they are unchanged.
    func read(whole: SegmentFile, piece index: Int) async throws -> Result<EntryPiece, LoadError> {
        if let held = whole.held { return .success(held) }
        let piece = whole.pieces[index]
        return try await believing(place: FolderLayout.place(device: whole.device, file: whole.file)) {
            let key = FolderLayout.key(device: whole.device, file: whole.file)
            let bytes = try await storage.get(key, range: piece.range)
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

    /// Converts errors of `body` to reasons for skipping the file.
    private func believing<Value>(
        place: String,
        body: () async throws -> Value
    ) async throws -> Result<Value, LoadError> {
        do {
            return .success(try await body())
        } catch let failure as LoadError {
            return .failure(failure)
        } catch let refusal as SegmentError {
            return .failure(.refused(.refused(place: place, refusal: refusal)))
        } catch let error as StorageError {
            return .failure(
                error.kind == .notFound ? .vanished : .refused(.unreadable(place: place, error: error))
            )
        }
    }

    private func loadAtOnce(
        _ device: DeviceID,
        file: NumberedFile,
        pieceBytes: Int
    ) async throws -> SegmentFile {
        let bytes: [UInt8]
        do {
            bytes = try await storage.get(FolderLayout.key(device: device, file: file), maxBytes: pieceBytes)
        } catch let error as StorageError where error.kind == .tooLarge {
            // It has grown since it was listed: somebody is still copying it.
            return try await loadInPieces(device, file: file, pieceBytes: pieceBytes)
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
        pieceBytes: Int
    ) async throws -> SegmentFile {
        let key = FolderLayout.key(device: device, file: file)
        var check = SegmentCheck()
        var pieces: [SegmentFile.Piece] = []
        var offset = 0
        while let bytes = try await wholeLines(key: key, from: offset, pieceBytes: pieceBytes) {
            let line = check.lines + 1
            try check.append(bytes)
            let range = offset..<offset + bytes.count
            pieces.append(SegmentFile.Piece(range: range, digest: Digest(bytes), line: line))
            offset = range.upperBound
            guard offset <= limits.maxFileBytes else { throw SegmentError.torn }
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

    /// Lines from an offset on, about `pieceBytes` of them but at least one; nil at the end of the file.
    private func wholeLines(key: String, from offset: Int, pieceBytes: Int) async throws -> [UInt8]? {
        var bytes = try await storage.get(key, range: offset..<offset + pieceBytes)
        guard !bytes.isEmpty else { return nil }
        while true {
            if let end = bytes.lastIndex(of: UInt8(ascii: "\n")) {
                bytes.removeSubrange((end + 1)...)
                return bytes
            }
            // NB: a header is short, and a partially copied file may end in zero bytes. Neither is a reason to hold a
            // whole file.
            if offset == 0, bytes[0] == 0 { throw SegmentError.torn }
            if offset == 0, bytes.count >= Self.maxHeaderBytes { throw SegmentError.foreign }
            if bytes.last == 0 { throw SegmentError.torn }
            let start = offset + bytes.count
            let more = try await storage.get(key, range: start..<start + bytes.count)
            if more.isEmpty, offset == 0 { throw SegmentError.foreign }
            guard !more.isEmpty, offset + bytes.count <= limits.maxFileBytes else {
                throw SegmentError.torn
            }
            bytes += more
        }
    }
}
