import SyncCore
import SyncWire

/// What is read of one device: its files in order, piece by piece, until nothing new stands there.
struct DeviceReading: Sendable {
    /// The numbers of the files that were taken, up to the piece that was read last.
    private(set) var taken: NumberSet
    /// Under which tags they were taken.
    private(set) var tags: TagNotes
    /// Whether the device has published two contents under one number, as far as is known before the piece that was read
    /// last.
    private(set) var isForked = false
    /// The listing that held so far.
    private var listing: DeviceListing
    /// What was taken before this sync.
    private let before: NumberSet
    /// Numbers of lost files of which this store has published again what it holds.
    private let replaced: NumberSet
    private var attempt = Attempt()
    private var attempts = 1
    /// The file that is being read, and the piece to be read next.
    private var open: (file: SegmentFile, next: Int)?

    /// A device may compact its files while they are read; what vanished stands in a new listing.
    private static let maxAttempts = 3

    /// What one look at the files found.
    private struct Attempt: Sendable {
        var next = 0
        var problems: [RemoteDiagnostic] = []
        var refused = NumberSet()
        var hasVanished = false
    }

    /// Reads what `cursor` has not taken. `before` is what the last sync had taken, and `replaced` what was lost of
    /// it and published again.
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

    /// Entries of the file at hand that come next; nil when all were read, or cannot be.
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

    /// The next file that is to be read, after all of the one at hand; nil when there is none.
    mutating func nextFile(reader: FolderReader) async throws -> NumberedFile? {
        while true {
            guard attempt.next < listing.files.count else {
                guard try await triesAgain(reader: reader) else { return nil }
                continue
            }
            let file = listing.files[attempt.next]
            attempt.next += 1
            // NB: a snapshot stands before the segments that it replaced, so those are read only if it cannot be.
            guard try await !isTaken(file: file, reader: reader) else { continue }
            return file
        }
    }

    /// Takes a file at hand as it was loaded.
    mutating func begin(_ file: NumberedFile, loaded: Result<SegmentFile, LoadError>) {
        switch loaded {
        case .success(let whole):
            open = (whole, 0)
            var known = tags
            known.formUnion(TagNotes(of: file, header: whole.header))
            isForked = known.isForked && !Mutation.disables(.contentsByName)
        case .failure(let failure): note(failure, file: file)
        }
    }

    /// The files after `file` that are likely to be read next, in order; without one the first that are.
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

    /// What could not be read, in the listing and in the files, once all was read.
    func problems(isRetired: Bool) -> [RemoteDiagnostic] {
        let (problems, refused) = found()
        return problems + listing.problems + gaps(refused: refused, isRetired: isRetired)
    }

    private mutating func take(_ file: NumberedFile, header: SegmentHeader) {
        taken.insert(file.range)
        tags.formUnion(TagNotes(of: file, header: header))
    }

    /// Whether what a file holds was taken: all of its numbers were, and nothing tells that it is another content of
    /// them.
    private mutating func isTaken(file: NumberedFile, reader: FolderReader) async throws -> Bool {
        guard taken.contains(file.range) else { return false }
        let number = file.range.upperBound
        guard !Mutation.disables(.contentsByName), let tag = file.notedTag, let noted = tags[number],
            !noted.contains(tag)
        else { return true }
        // A snapshot may be what its device made of files that were taken; its first line says so.
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
        case .refused(let problem):
            attempt.problems.append(problem)
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

    private func found() -> (problems: [RemoteDiagnostic], refused: NumberSet) {
        var (problems, refused) = (attempt.problems, attempt.refused)
        for file in listing.placeholders where !taken.contains(file.range) {
            problems.append(
                .placeholder(place: FolderLayout.place(device: listing.device, file: file), hides: true)
            )
            refused.insert(file.range)
        }
        return (problems, refused)
    }

    /// What is missing between the files. It is serious until it is published again from here.
    private func gaps(refused: NumberSet, isRetired: Bool) -> [RemoteDiagnostic] {
        let place = FolderLayout.place(device: listing.device)
        let numbers = listing.numbers
        let lost = before.subtracting(other: numbers)
        let isReplaced = lost.subtracting(other: replaced).isEmpty || Mutation.disables(.lostPublishedAgain)
        if numbers.highest < before.highest {
            return [
                .shrunk(place: place, taken: before.highest, found: numbers.highest, isSerious: !isReplaced)
            ]
        }
        var problems: [RemoteDiagnostic] = []
        if let gap = taken.firstGap, !isRetired, !refused.contains(gap.lowerBound...gap.lowerBound) {
            problems.append(.gap(place: place, missing: gap))
        }
        if let first = lost.ranges.first {
            problems.append(.lostSegments(place: place, missing: first, isSerious: !isReplaced))
        }
        return problems
    }
}
