import SyncCore
import SyncWire

/// New versions in a folder, as pages. Files are read in rounds, so that memory does not grow with their number.
/// Entries may be applied in any order, and a round's cursor names the taken files.
struct FolderPages: Sendable {
    /// The cursor after the rounds so far.
    private(set) var cursor: FolderCursor
    private let reader: FolderReader
    private let request: SessionRequest
    private let scan: FolderScan
    private let own: OwnSegments
    private let plan: FolderPlan
    /// Whether a page was delivered.
    private var hasBegun = false
    /// The cursor of pages that do not end a round.
    private var saved: String
    /// The cursor that the store has after the pages so far.
    private var handed: String?
    /// The next piece of an own file to read back.
    private var nextOwn = (file: 0, piece: 0)
    /// The next device to read.
    private var nextDevice = 0
    private var reading: DeviceReading?
    /// Files of this round that were loaded ahead.
    private var prefetch: SegmentPrefetch
    /// Diagnostics so far.
    private var diagnostics: [RemoteDiagnostic]
    private var cutter: PageCutter
    /// Whether everything was read.
    private var isRead = false
    private var isDone = false

    init(
        reader: FolderReader,
        request: SessionRequest,
        view: FolderView
    ) {
        self.reader = reader
        self.request = request
        prefetch = SegmentPrefetch(reader: reader)
        (scan, own, plan) = (view.scan, view.own, view.plan)
        let plan = view.plan
        var midway = own.midway
        midway.comparing = plan.comparing ?? plan.waitsToCompare
        saved = midway.text
        var cursor = own.start
        cursor.comparing = plan.waitsToCompare
        cursor.missing = plan.missing
        cursor.replaced =
            plan.comparing == .lost ? plan.missing : cursor.replaced.filter { plan.missing[$0.key] != nil }
        self.cursor = cursor
        handed = request.cursor
        diagnostics = own.diagnostics + scan.diagnostics
        if plan.waitsToCompare != nil { diagnostics.append(.waitsToCompare()) }
        let lost = plan.unreplaced(device: request.device, cursor: cursor)
        if let first = plan.missing[request.device]?.ranges.first {
            let place = FolderLayout.place(device: request.device)
            diagnostics.append(.lostSegments(place: place, missing: first, isSerious: !lost.isEmpty))
        }
        if reader.storage.refusesFlush, !cursor.toldOfFlush {
            self.cursor.toldOfFlush = true
            diagnostics.append(.namesNotFlushed())
        }
        cutter = PageCutter(pool: VersionIndex(), limits: reader.limits)
    }

    /// The next page; nil after the last one.
    mutating func next() async throws -> RemotePage? {
        guard !isDone else { return nil }
        while cutter.isDone, !isRead { try await readRound() }
        var page = cutter.next()
        defer { (handed, hasBegun) = (page.cursor, true) }
        page.cursor = saved
        setKind(of: &page, isComplete: false)
        guard cutter.isDone else { return page }
        // NB: a cursor may name own entries only after all of them were read back, with what others published
        // alongside; the same holds for a full state.
        if (!own.midway.readsOwn && plan.comparing == nil) || isRead { saved = cursor.text }
        page.cursor = saved
        guard isRead else { return page }
        isDone = true
        setKind(of: &page, isComplete: true)
        let isNews = !page.changes.isEmpty || !diagnostics.isEmpty || handed != saved || plan.comparing != nil
        guard isNews else { return nil }
        page.diagnostics = diagnostics
        return page
    }

    private func setKind(of page: inout RemotePage, isComplete: Bool) {
        guard let absence = plan.comparing else { return }
        let scopes = request.entities.map { SnapshotScope(entity: $0.name) }
        page.kind = .snapshot(of: scopes, isFirst: !hasBegun, isComplete: isComplete)
        page.absence = absence
    }

    /// Reads until a round is full.
    private mutating func readRound() async throws {
        var pool = VersionIndex()
        while pool.bytes < reader.limits.roundBytes {
            guard try await readPiece(into: &pool) else {
                diagnostics += vanished()
                isRead = true
                break
            }
        }
        prefetch.removeAll()
        pool.reduce()
        cutter = PageCutter(pool: pool, limits: reader.limits)
    }

    /// Reads the next piece. Returns false if there is none.
    private mutating func readPiece(into pool: inout VersionIndex) async throws -> Bool {
        if nextOwn.file < own.files.count {
            try await readOwn(into: &pool)
            return true
        }
        while nextDevice < scan.devices.count {
            let listing = scan.devices[nextDevice]
            guard listing.device != request.device else {
                nextDevice += 1
                continue
            }
            var reading = reading ?? reading(of: listing)
            let piece = try await nextPiece(of: &reading, room: reader.limits.roundBytes - pool.bytes)
            note(reading, of: listing.device)
            self.reading = reading
            if let piece {
                add(piece, to: &pool, isForked: reading.isForked)
                return true
            }
            diagnostics += reading.diagnostics(isRetired: plan.retired.contains(listing.device))
            self.reading = nil
            nextDevice += 1
        }
        return false
    }

    /// The next entries of a device; nil if all were read. Files that follow, of this device and of others, are
    /// loaded ahead if they fit in `room` bytes.
    private mutating func nextPiece(of reading: inout DeviceReading, room: Int) async throws -> EntryPiece? {
        while true {
            if let piece = try await reading.nextPiece(reader: reader) { return piece }
            guard let file = try await reading.nextFile(reader: reader) else { return nil }
            var prefetch = prefetch
            let loaded = try await prefetch.load(
                reading.place(of: file),
                ahead: ahead(of: file, in: reading),
                room: room
            )
            self.prefetch = prefetch
            reading.begin(file, loaded: loaded)
        }
    }

    /// The files that are likely to be read next, as many as the storage loads at once.
    private func ahead(of file: NumberedFile, in reading: DeviceReading) -> [SegmentPrefetch.Place] {
        let limit = reader.storage.maxConcurrentCalls
        var places = reading.ahead(of: file, limit: limit)
        for listing in scan.devices[(nextDevice + 1)...] where listing.device != request.device {
            guard places.count < limit else { break }
            places += self.reading(of: listing).ahead(of: nil, limit: limit - places.count)
        }
        return places
    }

    /// Reads what is new of a device, or everything for a full state.
    private func reading(of listing: DeviceListing) -> DeviceReading {
        let start = plan.comparing == nil ? cursor : FolderCursor(device: request.device)
        return DeviceReading(
            listing: listing,
            after: start,
            before: own.before.taken[listing.device] ?? NumberSet(),
            replaced: cursor.replaced[listing.device] ?? NumberSet()
        )
    }

    private mutating func note(_ reading: DeviceReading, of device: DeviceID) {
        var (taken, tags) = (reading.taken, reading.tags)
        if plan.comparing != nil {
            // Taken numbers stay taken, even if their files are gone.
            for range in own.start.taken[device]?.ranges ?? [] { taken.insert(range) }
            tags.formUnion(own.start.tags[device] ?? TagNotes())
        }
        if !taken.isEmpty { cursor.taken[device] = taken }
        if !tags.isEmpty { cursor.tags[device] = tags }
    }

    private mutating func readOwn(into pool: inout VersionIndex) async throws {
        let file = own.files[nextOwn.file]
        let isPinned = own.isFirstPinned && nextOwn.file == 0
        var isLast = nextOwn.piece + 1 >= file.pieces.count
        switch try await reader.read(whole: file, piece: nextOwn.piece) {
        case .success(let piece): add(piece, to: &pool, isPinned: isPinned)
        case .failure(.vanished): isLast = true
        case .failure(.refused(let diagnostic)):
            diagnostics.append(diagnostic)
            isLast = true
        }
        nextOwn = isLast ? (nextOwn.file + 1, 0) : (nextOwn.file, nextOwn.piece + 1)
    }

    private mutating func add(
        _ piece: EntryPiece,
        to pool: inout VersionIndex,
        isPinned: Bool = false,
        isForked: Bool = false
    ) {
        let place = FolderLayout.place(device: piece.device, file: piece.file)
        for line in pool.add(piece, isPinned: isPinned, isForked: isForked) {
            diagnostics.append(.malformedEntry(place: place, line: line))
        }
    }

    /// Devices, except retired ones, from which something was taken and whose folder is gone.
    private func vanished() -> [RemoteDiagnostic] {
        let known = Set(scan.devices.map(\.device))
        let skipped = Set(scan.diagnostics.map(\.place))
        let gone = cursor.taken.keys.sorted().filter {
            !known.contains($0) && !skipped.contains(FolderLayout.place(device: $0))
        }
        return gone.compactMap { device in
            let isLost = !plan.unreplaced(device: device, cursor: cursor).isEmpty
            guard isLost || !plan.retired.contains(device) else { return nil }
            return .vanished(place: FolderLayout.place(device: device), isSerious: isLost)
        }
    }
}
