import SyncCore
import SyncWire

/// Reads one device's new files in order, piece by piece.
struct DeviceReading: Sendable {
    /// The numbers of the taken files, up to the last piece read.
    private(set) var taken: NumberSet
    /// The tags under which they were taken.
    private(set) var tags: TagNotes
    /// Whether the device has published two contents under one number, as far as known before the last piece.
    private(set) var isForked = false
    /// The last valid listing.
    private var listing: DeviceListing
    /// What was taken before this sync.
    private let before: NumberSet
    /// Numbers of lost files whose versions this store has published again.
    private let replaced: NumberSet
    private var attempt = Attempt()
    private var attempts = 1
    /// The current file, and its next piece.
    private var open: (file: SegmentFile, next: Int)?

    /// How often the files are listed. A device may compact its files while they are read; vanished entries are in a
    /// new listing.
    private static let maxAttempts = 3

    /// The state of one pass over the files.
    private struct Attempt: Sendable {
        var next = 0
        var diagnostics: [RemoteDiagnostic] = []
        var refused = NumberSet()
        var hasVanished = false
    }

    /// Reads what `cursor` has not taken. `before` is what the last sync had taken; `replaced` is what was lost of it
    /// and published again.
    init(
        listing: DeviceListing,
        after cursor: FolderCursor,
        before: NumberSet = NumberSet(),
        replaced: NumberSet = NumberSet()
    ) {
        self.listing = listing
        taken = cursor.taken[listing.device] ?? NumberSet()
        tags = cursor.tags[listing.device] ?? TagNotes()
        (self.before, self.replaced) = (before, replaced)
    }

    /// The next entries of the current file; nil if all were read, or cannot be.
    mutating func nextPiece(reader: FolderReader) async throws -> EntryPiece? {
        guard let (file, next) = open else { return nil }
        let isLast = next + 1 >= file.pieces.count
        open = isLast ? nil : (file, next + 1)
        switch try await reader.read(whole: file, piece: next) {
        case .success(let piece):
            if isLast { take(file.file, header: file.header) }
            return piece
        case .failure(let failure):
            open = nil
            note(failure, file: file.file)
            return nil
        }
    }

    /// The next file to read after the current one; nil if there is none.
    mutating func nextFile(reader: FolderReader) async throws -> NumberedFile? {
        while true {
            guard attempt.next < listing.files.count else {
                guard try await triesAgain(reader: reader) else { return nil }
                continue
            }
            let file = listing.files[attempt.next]
            attempt.next += 1
            // A snapshot precedes the segments that it replaced, so they are read only if it is unreadable.
            guard try await !isTaken(file: file, reader: reader) else { continue }
            return file
        }
    }

    /// Starts a file that was loaded.
    mutating func begin(_ file: NumberedFile, loaded: Result<SegmentFile, LoadError>) {
        switch loaded {
        case .success(let whole):
            open = (whole, 0)
            var known = tags
            known.formUnion(TagNotes(of: file, header: whole.header))
            isForked = known.isForked
        case .failure(let failure): note(failure, file: file)
        }
    }

    /// The files that are likely to be read after `file`, in order; without `file`, the first ones.
    func ahead(of file: NumberedFile?, limit: Int) -> [SegmentPrefetch.Place] {
        SegmentPrefetch.Place.first(
            limit,
            of: listing.files[attempt.next...],
            in: listing,
            notIn: file.map { taken.inserting($0.range) } ?? taken
        )
    }

    /// A file of this device, as it was listed.
    func place(of file: NumberedFile) -> SegmentPrefetch.Place {
        SegmentPrefetch.Place(file: file, listing: listing)
    }

    /// Diagnostics about unreadable files and listings, after everything was read.
    func diagnostics(isRetired: Bool) -> [RemoteDiagnostic] {
        let (diagnostics, refused) = found()
        return diagnostics + listing.diagnostics + gaps(refused: refused, isRetired: isRetired)
    }

    private mutating func take(_ file: NumberedFile, header: SegmentHeader) {
        taken.insert(file.range)
        tags.formUnion(TagNotes(of: file, header: header))
    }

    /// Whether a file's content was taken: all of its numbers were, and nothing indicates a different content.
    private mutating func isTaken(file: NumberedFile, reader: FolderReader) async throws -> Bool {
        guard taken.contains(file.range) else { return false }
        let number = file.range.upperBound
        guard let tag = file.notedTag, let noted = tags[number],
            !noted.contains(tag)
        else { return true }
        // A snapshot may consist of files that were taken; its first line says so.
        guard file.isSnapshot, let header = try await reader.header(device: listing.device, file: file) else {
            return false
        }
        let notes = header.files.flatMap { TagNotes($0) } ?? TagNotes()
        guard notes.meets(tags), notes.firstDifference(from: tags) == nil else { return false }
        tags.note(number, tag: tag)
        return true
    }

    private mutating func note(_ failure: LoadError, file: NumberedFile) {
        switch failure {
        case .vanished: attempt.hasVanished = true
        case .refused(let diagnostic):
            attempt.diagnostics.append(diagnostic)
            attempt.refused.insert(file.range)
        }
    }

    private mutating func triesAgain(reader: FolderReader) async throws -> Bool {
        guard attempt.hasVanished, attempts < Self.maxAttempts,
            let listing = try await reader.listIfFolder(device: listing.device)
        else { return false }
        self.listing = listing
        attempt = Attempt()
        attempts += 1
        return true
    }

    private func found() -> (diagnostics: [RemoteDiagnostic], refused: NumberSet) {
        var (diagnostics, refused) = (attempt.diagnostics, attempt.refused)
        for file in listing.placeholders where !taken.contains(file.range) {
            diagnostics.append(
                .placeholder(place: FolderLayout.place(device: listing.device, file: file), hides: true)
            )
            refused.insert(file.range)
        }
        return (diagnostics, refused)
    }

    /// Diagnostics about missing files. They are serious until their versions are published again from here.
    private func gaps(refused: NumberSet, isRetired: Bool) -> [RemoteDiagnostic] {
        let place = FolderLayout.place(device: listing.device)
        let numbers = listing.numbers
        let lost = before.subtracting(other: numbers)
        let isReplaced = lost.subtracting(other: replaced).isEmpty
        if numbers.highest < before.highest {
            return [
                .shrunk(place: place, taken: before.highest, found: numbers.highest, isSerious: !isReplaced)
            ]
        }
        var diagnostics: [RemoteDiagnostic] = []
        if let gap = taken.firstGap, !isRetired, !refused.contains(gap.lowerBound...gap.lowerBound) {
            diagnostics.append(.gap(place: place, missing: gap))
        }
        if let first = lost.ranges.first {
            diagnostics.append(.lostSegments(place: place, missing: first, isSerious: !isReplaced))
        }
        return diagnostics
    }
}
