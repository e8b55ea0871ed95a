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
    private var look = Look()
    private var looks = 1
    /// The file that is being read, and the piece to be read next.
    private var open: (file: SegmentFile, next: Int)?

    /// A device may compact its files while they are read; what vanished stands in a new listing.
    private static let maxLooks = 3

    /// What one look at the files found.
    private struct Look: Sendable {
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

    /// Entries that come next; nil when all were read.
    mutating func next(reader: FolderReader) throws -> EntryPiece? {
        while true {
            if let (file, next) = open {
                let isLast = next + 1 >= file.pieces.count
                open = isLast ? nil : (file, next + 1)
                switch try reader.read(whole: file, piece: next) {
                case .success(let piece):
                    if isLast { take(file.file, header: file.header) }
                    return piece
                case .failure(let failure):
                    open = nil
                    note(failure, file: file.file)
                }
                continue
            }
            guard look.next < listing.files.count else {
                guard try looksAgain(reader: reader) else { return nil }
                continue
            }
            let file = listing.files[look.next]
            look.next += 1
            // NB: a snapshot stands before the segments that it replaced, so those are read only if it cannot be.
            guard try !isTaken(file: file, reader: reader) else { continue }
            switch try reader.load(listing.device, file: file) {
            case .success(let whole):
                open = (whole, 0)
                var known = tags
                known.formUnion(TagNotes(of: file, header: whole.header))
                isForked = known.isForked && !Mutation.disables(.contentsByName)
            case .failure(let failure): note(failure, file: file)
            }
        }
    }

    /// What could not be read, in the listing and in the files, once all was read.
    func problems(layout: FolderLayout, isRetired: Bool) -> [RemoteDiagnostic] {
        let (problems, refused) = found(layout: layout)
        return problems + listing.problems + gaps(refused: refused, layout: layout, isRetired: isRetired)
    }

    private mutating func take(_ file: NumberedFile, header: SegmentHeader) {
        taken.insert(file.range)
        tags.formUnion(TagNotes(of: file, header: header))
    }

    /// Whether what a file holds was taken: all of its numbers were, and nothing tells that it is another content of
    /// them.
    private mutating func isTaken(file: NumberedFile, reader: FolderReader) throws -> Bool {
        guard taken.contains(file.range) else { return false }
        let number = file.range.upperBound
        guard !Mutation.disables(.contentsByName), let tag = file.notedTag, let noted = tags[number],
            !noted.contains(tag)
        else { return true }
        // A snapshot may be what its device made of files that were taken; its first line says so.
        guard file.isSnapshot, let header = try reader.header(device: listing.device, file: file) else {
            return false
        }
        let notes = header.files.flatMap { TagNotes($0) } ?? TagNotes()
        guard notes.meets(tags), notes.firstDifference(from: tags) == nil else { return false }
        tags.note(number, tag: tag)
        return true
    }

    private mutating func note(_ failure: LoadError, file: NumberedFile) {
        switch failure {
        case .vanished: look.hasVanished = true
        case .refused(let problem):
            look.problems.append(problem)
            look.refused.insert(file.range)
        }
    }

    private mutating func looksAgain(reader: FolderReader) throws -> Bool {
        guard look.hasVanished, looks < Self.maxLooks,
            try reader.files.kind(path: reader.layout.folder(device: listing.device)) == .folder
        else { return false }
        listing = try reader.list(device: listing.device)
        look = Look()
        looks += 1
        return true
    }

    private func found(layout: FolderLayout) -> (problems: [RemoteDiagnostic], refused: NumberSet) {
        var (problems, refused) = (look.problems, look.refused)
        for file in listing.placeholders where !taken.contains(file.range) {
            problems.append(
                .placeholder(place: layout.place(device: listing.device, file: file), hides: true)
            )
            refused.insert(file.range)
        }
        return (problems, refused)
    }

    /// What is missing between the files. It is serious until it is published again from here.
    private func gaps(refused: NumberSet, layout: FolderLayout, isRetired: Bool) -> [RemoteDiagnostic] {
        let place = layout.place(device: listing.device)
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
