import SyncCore
import SyncWire

/// Complete files whose entries can be visited in order, with little of each in memory.
///
/// Entries are in the order of their push, or sorted, as in a snapshot: few runs, each in order. A small file is
/// sorted here.
struct SortedFiles {
    private let reader: FolderReader
    private var runs: [Run] = []
    /// The number of lines that are not entries. A newer version of this program may know them.
    private(set) var unknownLines = 0
    private var files: [SegmentFile] = []
    private var bufferedBytes = 0

    /// The headers of the files.
    var headers: [(file: NumberedFile, header: SegmentHeader)] { files.map { ($0.file, $0.header) } }

    init(_ reader: FolderReader) {
        self.reader = reader
    }

    /// A run of sorted entries of a file, from a line of one piece up to a line of another.
    private struct Run {
        var file: SegmentFile
        var first: (piece: Int, line: Int)
        var end: (piece: Int, line: Int)?
    }

    /// Ends a walk: a file changed or vanished since it was loaded, or too much would be held at once.
    enum SortError: Error { case changed, tooManyRuns }

    /// Adds a file that `load` found complete in pieces of `mergePieceBytes`. Returns the number of its lines that
    /// are not entries.
    mutating func add(_ file: SegmentFile) async throws -> Int {
        let before = unknownLines
        files.append(file)
        if file.held != nil {
            try add(Run(file: file, first: (0, 0)), bytes: file.pieces[0].range.count)
            unknownLines += try await lines(of: file, piece: 0).strange.count
            return unknownLines - before
        }
        var last: SegmentEntry?
        var start = (piece: 0, line: 0)
        for index in file.pieces.indices {
            let lines = try await lines(of: file, piece: index)
            unknownLines += lines.strange.count
            for (line, version) in lines.versions.enumerated() {
                if let last, version.header.precedes(last.header) {
                    try add(Run(file: file, first: start, end: (index, line)))
                    start = (index, line)
                }
                last = version
            }
        }
        if last != nil { try add(Run(file: file, first: start)) }
        return unknownLines - before
    }

    /// Adds files of a device up to the first unreadable one. Returns how many were added.
    mutating func add(_ files: [NumberedFile], of listing: DeviceListing) async throws -> Int {
        var added = 0
        try await forEachLoaded(files, of: listing) { sorted, loaded in
            guard case .success(let whole) = loaded else { return false }
            _ = try await sorted.add(whole)
            added += 1
            return true
        }
        return added
    }

    /// Adds all readable files of a device. Returns whether these are all files, without unknown lines.
    mutating func addAll(of listing: DeviceListing) async throws -> Bool {
        var isWhole = true
        try await forEachLoaded(listing.files, of: listing) { sorted, loaded in
            if case .success(let whole) = loaded, try await sorted.add(whole) == 0 { return true }
            isWhole = false
            return true
        }
        return isWhole
    }

    /// Loads files in pieces of `mergePieceBytes`, as many at the same time as the storage allows, and visits them in
    /// order until `visit` returns false.
    private mutating func forEachLoaded(
        _ files: [NumberedFile],
        of listing: DeviceListing,
        visit: (inout SortedFiles, Result<SegmentFile, LoadError>) async throws -> Bool
    ) async throws {
        let reader = reader
        let width = max(1, reader.storage.maxConcurrentCalls)
        for start in stride(from: 0, to: files.count, by: width) {
            let part = Array(files[start..<min(start + width, files.count)])
            let loaded = try await reader.storage.concurrentMap(part) { file in
                try await reader.load(file, of: listing, pieceBytes: reader.limits.mergePieceBytes)
            }
            for result in loaded {
                guard try await visit(&self, result) else { return }
            }
        }
    }

    private mutating func add(_ run: Run, bytes: Int? = nil) throws {
        bufferedBytes += bytes ?? reader.limits.mergePieceBytes
        guard bufferedBytes <= reader.limits.mergeBytes else { throw SortError.tooManyRuns }
        runs.append(run)
    }

    /// Visits records by entity and key, each with its versions by edit timestamp.
    func forEachRecord(visit: ([SegmentEntry]) async throws -> Void) async throws {
        var walks: [Walk] = []
        for run in runs { walks.append(try await Walk(run: run, files: self)) }
        walks.removeAll { $0.version == nil }
        var versions: [SegmentEntry] = []
        while !walks.isEmpty {
            var next = 0
            for index in walks.indices.dropFirst() {
                if let lhs = walks[next].version, let rhs = walks[index].version,
                    rhs.header.precedes(lhs.header)
                {
                    next = index
                }
            }
            guard let version = walks[next].version else { break }
            if let last = versions.last, !last.header.isOfSameRecord(as: version.header) {
                try await visit(versions)
                versions.removeAll(keepingCapacity: true)
            }
            versions.append(version)
            if walks[next].advance() { try await walks[next].skipEmpty(self) }
            if walks[next].version == nil { walks.remove(at: next) }
        }
        if !versions.isEmpty { try await visit(versions) }
    }

    /// Visits the lines that are not entries.
    func forEachUnknownLine(visit: (ArraySlice<UInt8>) async throws -> Void) async throws {
        guard unknownLines > 0 else { return }
        for file in files {
            for piece in file.pieces.indices {
                for line in try await lines(of: file, piece: piece).strange { try await visit(line) }
            }
        }
    }

    /// The entries of a piece, sorted if the file has only one piece, and its unknown lines.
    private func lines(of file: SegmentFile, piece index: Int) async throws -> (
        versions: [SegmentEntry], strange: [ArraySlice<UInt8>]
    ) {
        guard case .success(let piece) = try await reader.read(whole: file, piece: index) else {
            throw SortError.changed
        }
        var versions: [SegmentEntry] = []
        var strange: [ArraySlice<UInt8>] = []
        for line in piece.lines {
            guard let change = try? Segment.entry(in: line, of: piece.bytes) else {
                strange.append(piece.bytes[line])
                continue
            }
            versions.append(
                SegmentEntry(change: change, line: piece.bytes[line], device: file.device, file: file.file)
            )
        }
        guard file.held != nil else { return (versions, strange) }
        // NB: the sort must be stable, because versions with equal edit timestamps are distinguished by their
        // position.
        let order = versions.indices.sorted {
            versions[$0].header.precedes(versions[$1].header)
                || (!versions[$1].header.precedes(versions[$0].header) && $0 < $1)
        }
        return (order.map { versions[$0] }, strange)
    }

    /// The position in a run.
    private struct Walk {
        private let run: Run
        private var piece: Int
        private var versions: [SegmentEntry]
        private var next: Int

        /// The current version; nil at the end.
        var version: SegmentEntry? { next < versions.count ? versions[next] : nil }

        init(run: Run, files: SortedFiles) async throws {
            self.run = run
            piece = run.first.piece
            versions = try await files.lines(of: run.file, piece: piece).versions
            next = run.first.line
            cut()
            try await skipEmpty(files)
        }

        /// Moves to the next version. Returns whether the current piece has ended.
        mutating func advance() -> Bool {
            next += 1
            return next >= versions.count
        }

        /// At the end of a piece, reads the next piece with versions.
        mutating func skipEmpty(_ files: SortedFiles) async throws {
            while next >= versions.count, piece + 1 < run.file.pieces.count,
                piece + 1 <= run.end?.piece ?? .max
            {
                piece += 1
                versions = try await files.lines(of: run.file, piece: piece).versions
                next = 0
                cut()
            }
        }

        private mutating func cut() {
            if let end = run.end, end.piece == piece { versions.removeSubrange(end.line...) }
        }
    }
}
