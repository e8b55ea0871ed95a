import SyncCore
import SyncWire

/// What is read of one device: its files in order, piece by piece, until nothing new stands there.
struct DeviceReading: Sendable {
    /// The numbers of the files that were taken, up to the piece that was read last.
    private(set) var taken: NumberSet
    /// The listing that held so far.
    private var listing: DeviceListing
    private let before: NumberSet
    private var look = Look()
    private var looks = 1
    /// The file that is being read, and the piece to be read next.
    private var open: (file: WholeFile, next: Int)?

    /// A device may compact its files while they are read; what vanished stands in a new listing.
    private static let maxLooks = 3

    /// What one look at the files found.
    private struct Look: Sendable {
        var next = 0
        var problems: [RemoteProblem] = []
        var refused = NumberSet()
        var hasVanished = false
    }

    /// Reads what was not taken before.
    init(_ listing: DeviceListing, taken: NumberSet = NumberSet()) {
        self.listing = listing
        self.taken = taken
        before = taken
    }

    /// Entries that come next; nil when all were read.
    mutating func next(_ reader: FolderReader) throws -> EntryPiece? {
        while true {
            if let (file, next) = open {
                // NB: a file is taken with its last piece; one of which only a part was handed on is read again.
                let isLast = next + 1 == file.pieces.count
                open = isLast ? nil : (file, next + 1)
                switch try reader.read(file, piece: next) {
                case .success(let piece):
                    if isLast { taken.insert(file.file.range) }
                    return piece
                case .failure(let failure):
                    open = nil
                    note(failure, file.file)
                }
                continue
            }
            guard look.next < listing.files.count else {
                guard try looksAgain(reader) else { return nil }
                continue
            }
            let file = listing.files[look.next]
            look.next += 1
            // NB: a snapshot stands before the segments that it replaced, so those are read only if it cannot be.
            guard !taken.contains(file.range) else { continue }
            switch try reader.load(listing.device, file) {
            case .success(let whole): open = (whole, 0)
            case .failure(let failure): note(failure, file)
            }
        }
    }

    /// What could not be read, in the listing and in the files, once all was read.
    func problems(_ layout: FolderLayout) -> [RemoteProblem] {
        let (problems, refused) = found(layout)
        return problems + listing.problems + gaps(refused, layout)
    }

    private mutating func note(_ failure: LoadFailure, _ file: NumberedFile) {
        switch failure {
        case .vanished: look.hasVanished = true
        case .refused(let problem):
            look.problems.append(problem)
            look.refused.insert(file.range)
        }
    }

    private mutating func looksAgain(_ reader: FolderReader) throws -> Bool {
        guard look.hasVanished, looks < Self.maxLooks,
            try reader.files.kind(reader.layout.folder(listing.device)) == .folder
        else { return false }
        listing = try reader.list(listing.device)
        look = Look()
        looks += 1
        return true
    }

    private func found(_ layout: FolderLayout) -> (problems: [RemoteProblem], refused: NumberSet) {
        var (problems, refused) = (look.problems, look.refused)
        for file in listing.placeholders where !taken.contains(file.range) {
            problems.append(.placeholder(layout.place(listing.device, file), hides: true))
            refused.insert(file.range)
        }
        return (problems, refused)
    }

    /// What is missing between the files.
    private func gaps(_ refused: NumberSet, _ layout: FolderLayout) -> [RemoteProblem] {
        let place = layout.place(listing.device)
        let numbers = listing.numbers
        if numbers.highest < before.highest {
            return [.shrunk(place, taken: before.highest, found: numbers.highest)]
        }
        var problems: [RemoteProblem] = []
        if let gap = taken.firstGap, !refused.contains(gap.lowerBound...gap.lowerBound) {
            problems.append(.gap(place, gap))
        }
        if let lost = numbers.firstGap, lost.lowerBound <= before.contiguous {
            let lost = lost.lowerBound...min(lost.upperBound, before.contiguous)
            problems.append(.lostSegments(place, lost, isOwn: false))
        }
        return problems
    }
}
