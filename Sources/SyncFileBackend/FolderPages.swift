import SyncCore
import SyncWire

/// What is new in a folder, as pages. Files are read in rounds, so that what is held does not grow with what is new:
/// entries may be applied in any order, and a round's cursor says which files were taken.
struct FolderPages: Sendable {
    /// The cursor after the rounds so far.
    private(set) var cursor: FolderCursor
    private let reader: FolderReader
    private let request: SessionRequest
    private let scan: FolderScan
    private let own: OwnPart
    /// The cursor of pages that do not end a round.
    private var saved: String
    /// The cursor that the store has, once it has taken in the pages so far.
    private var handed: String?
    /// The next piece of an own file that is read back.
    private var nextOwn = (file: 0, piece: 0)
    /// The next device to be read.
    private var nextDevice = 0
    private var reading: DeviceReading?
    /// What was skipped so far.
    private var problems: [RemoteProblem]
    private var cutter: PageCutter
    /// Whether nothing is left to be read.
    private var isRead = false
    private var isDone = false

    init(_ reader: FolderReader, _ request: SessionRequest, _ scan: FolderScan, _ own: OwnPart) {
        self.reader = reader
        self.request = request
        self.scan = scan
        self.own = own
        cursor = own.start
        saved = own.midway.text
        handed = request.cursor
        problems = own.problems + scan.problems
        cutter = PageCutter(pool: EntryPool(), limits: reader.limits)
    }

    /// The next page; nil after the last one.
    mutating func next() throws -> RemotePage? {
        guard !isDone else { return nil }
        while cutter.isDone, !isRead { try readRound() }
        var page = cutter.next()
        defer { handed = page.cursor }
        page.cursor = saved
        guard cutter.isDone else { return page }
        // NB: own entries that are read back must all be in before a cursor says so, and what others published with
        // them.
        if !own.midway.readsOwn || isRead { saved = cursor.text }
        page.cursor = saved
        guard isRead else { return page }
        isDone = true
        guard !page.items.isEmpty || !problems.isEmpty || handed != saved else { return nil }
        page.problems = problems
        return page
    }

    /// Reads until enough is there for now.
    private mutating func readRound() throws {
        var pool = EntryPool()
        while pool.bytes < reader.limits.roundBytes {
            guard try readPiece(into: &pool) else {
                problems += try vanished()
                isRead = true
                break
            }
        }
        pool.reduce()
        cutter = PageCutter(pool: pool, limits: reader.limits)
    }

    /// Reads the next piece of all that is to be read. False when there is none.
    private mutating func readPiece(into pool: inout EntryPool) throws -> Bool {
        if nextOwn.file < own.files.count {
            try readOwn(into: &pool)
            return true
        }
        while nextDevice < scan.devices.count {
            let listing = scan.devices[nextDevice]
            guard listing.device != request.device else {
                nextDevice += 1
                continue
            }
            var reading =
                reading ?? DeviceReading(listing, taken: cursor.taken[listing.device] ?? NumberSet())
            let piece = try reading.next(reader)
            if reading.taken != NumberSet() { cursor.taken[listing.device] = reading.taken }
            self.reading = reading
            if let piece {
                add(piece, to: &pool)
                return true
            }
            problems += reading.problems(reader.layout)
            self.reading = nil
            nextDevice += 1
        }
        return false
    }

    private mutating func readOwn(into pool: inout EntryPool) throws {
        let file = own.files[nextOwn.file]
        let isPinned = own.isFirstPinned && nextOwn.file == 0
        var isLast = nextOwn.piece + 1 >= file.pieces.count
        switch try reader.read(file, piece: nextOwn.piece) {
        case .success(let piece): add(piece, to: &pool, isPinned: isPinned)
        case .failure(.vanished): isLast = true
        case .failure(.refused(let problem)):
            problems.append(problem)
            isLast = true
        }
        nextOwn = isLast ? (nextOwn.file + 1, 0) : (nextOwn.file, nextOwn.piece + 1)
    }

    private mutating func add(_ piece: EntryPiece, to pool: inout EntryPool, isPinned: Bool = false) {
        let place = reader.layout.place(piece.device, piece.file)
        for line in pool.add(piece, isPinned: isPinned) {
            problems.append(.malformedEntry(place, line: line))
        }
    }

    /// Devices of which something was taken and whose folder is gone, but for those that are retired.
    private func vanished() throws -> [RemoteProblem] {
        let known = Set(scan.devices.map(\.device))
        let skipped = Set(scan.problems.map(\.place))
        let gone = cursor.taken.keys.sorted().filter {
            !known.contains($0) && !skipped.contains(reader.layout.place($0))
        }
        guard !gone.isEmpty else { return [] }
        let retired = try reader.retired(scan)
        return gone.filter { !retired.contains($0) }.map { .vanished(reader.layout.place($0)) }
    }
}

/// Cuts entries into pages.
struct PageCutter: Sendable {
    let pool: EntryPool
    let limits: FolderLimits
    private var position = 0

    init(pool: EntryPool, limits: FolderLimits) {
        self.pool = pool
        self.limits = limits
    }

    /// Whether every entry was handed on.
    var isDone: Bool { position == pool.entries.count }

    /// The next page, without a cursor.
    mutating func next() -> RemotePage {
        var page = RemotePage(bytes: [], items: [], cursor: "")
        // Whoever read the lines has looked at all of their bytes.
        page.isText = true
        while position < pool.entries.count, page.items.count < limits.pageItems {
            let entry = pool.entries[position]
            let body = pool.body(entry)
            // A body larger than a page gets one of its own.
            if !page.items.isEmpty, page.bytes.count + body.count > limits.pageBytes { break }
            let start = page.bytes.count
            page.bytes.append(contentsOf: body)
            page.items.append(
                RemoteItem(
                    entity: entry.header.entity,
                    key: entry.header.key,
                    kind: entry.header.isDeleted ? .delete : .upsert,
                    mergedInto: entry.header.mergedInto,
                    stamp: entry.header.stamp,
                    body: start..<page.bytes.count
                )
            )
            position += 1
        }
        return page
    }
}
