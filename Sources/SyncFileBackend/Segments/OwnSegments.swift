import SyncCore
import SyncWire

/// A session's own device folder: where reading starts, and which own entries must be read back.
struct OwnSegments: Sendable {
    /// How the store must first take a new incarnation; nil if it need not.
    var renewal: IncarnationRenewal?
    /// The highest sequence of this incarnation in the folder.
    var sequence: Int64 = 0
    /// The cursor to start with. Other devices' files are taken up to it.
    var start: FolderCursor
    /// The cursor of all pages but the last: after a crash, the fetch is repeated.
    var midway: FolderCursor
    /// The store's cursor: what was taken before this sync.
    var before: FolderCursor
    /// Own files to read back before those of others, first the unanswered push.
    var files: [SegmentFile] = []
    /// Whether the first file is the unanswered push. Its entries are delivered even if superseded.
    var isFirstPinned = false
    /// Whether all own entries are read back.
    private var readsAll = false
    /// What was skipped.
    var diagnostics: [RemoteDiagnostic] = []

    /// - Parameters:
    ///   - members: The device files of the folder.
    init(
        request: SessionRequest,
        scan: FolderScan,
        members: [DeviceID: DeviceFile],
        reader: FolderReader
    ) async throws {
        let device = request.device
        let saved = request.cursor.flatMap { FolderCursor($0) }
        let mine = saved?.device == device ? saved : nil
        start = Self.beginning(request: request, saved: saved, mine: mine)
        (midway, before) = (start, start)
        let listing = scan[device] ?? DeviceListing(device: device)
        let highest = listing.numbers.highest
        start.sequence = max(mine?.sequence ?? 0, members[device]?.sequence ?? 0)
        start.used = Self.used(
            mine: mine,
            request: request,
            members: members,
            highest: highest,
            numberJump: reader.limits.numberJump
        )

        // A store that never synced with a folder under this identity has lost nothing.
        let isLost = saved == nil && request.binding != nil
        let pushed = try await Self.unanswered(
            request: request,
            listing: listing,
            above: isLost ? nil : mine?.own ?? 0,
            reader: reader
        )
        var check = IdentityCheck(
            request: request,
            mine: mine,
            pushed: pushed,
            isLost: isLost,
            scan: scan,
            members: members,
            reader: reader
        )
        renewal = try await check.renewal()
        for file in check.ownSnapshots {
            if let tag = file.notedTag { start.tags[device]?.note(file.range.upperBound, tag: tag) }
        }
        let isNew = saved == nil && request.binding == nil
        start.own = isLost || (request.rejoin && !isNew) || pushed != nil ? highest : mine?.own ?? 0
        start.ownDigest = pushed?.digest.description ?? (start.own == mine?.own ? mine?.ownDigest : nil)
        if let pushed { start.note(pushed) }
        before = start
        readsAll = renewal != nil || isLost || (request.rejoin && !isNew) || mine?.readsOwn == true
        if let pushed {
            files = [pushed]
            isFirstPinned = true
        }
        start.readsOwn = readsAll || pushed != nil
        if readsAll { try await readBackAll(listing, pushed: pushed, reader: reader) }
        try await finish(listing, reader: reader)
    }

    /// Where a session starts to read, before own files are considered.
    private static func beginning(
        request: SessionRequest,
        saved: FolderCursor?,
        mine: FolderCursor?
    ) -> FolderCursor {
        var start = FolderCursor(device: request.device)
        start.toldOfFlush = saved?.toldOfFlush ?? false
        // A store with a new incarnation reads everything that the old one published: some of it is another store's.
        if !request.rejoin, saved?.readsOwn != true, let saved {
            (start.taken, start.tags) = (saved.taken, saved.tags)
            start.missing = saved.missing
            (start.replaced, start.comparing) = (saved.replaced, saved.comparing)
        }
        // Earlier reading also reveals other stores that were restored from a backup, even to an emptied folder.
        let former = saved == nil ? request.formerCursor.flatMap { FolderCursor($0) } : saved
        if request.rejoin || saved == nil, let former {
            start.tags = former.tags
            start.tags[former.device] = nil
        }
        if let saved, mine == nil { start.taken[saved.device] = nil }
        start.taken[request.device] = nil
        start.tags[request.device] = mine?.tags[request.device]
        return start
    }

    /// Reads back all own files as well, for a full state of the folder.
    mutating func addOwnFiles(_ scan: FolderScan, reader: FolderReader) async throws {
        guard !readsAll, let listing = scan[start.device] else { return }
        readsAll = true
        try await readBackAll(listing, pushed: files.first, reader: reader)
    }

    /// Completes diagnostics and cursors.
    private mutating func finish(_ listing: DeviceListing, reader: FolderReader) async throws {
        for file in files {
            let highest = try await reader.sequences(of: start.device, in: file).highest
            start.sequence = max(start.sequence, highest)
        }
        sequence = start.sequence
        midway = start
        start.readsOwn = false
        let temporary = RemoteDiagnostic.temporaryFile(place: "").rule
        diagnostics += listing.diagnostics.filter { $0.rule != temporary }
    }

    /// Whether a number was used that is missing from the folder. The next segment must not use it again: devices
    /// that have taken it would never read the new one.
    private static func used(
        mine: FolderCursor?,
        request: SessionRequest,
        members: [DeviceID: DeviceFile],
        highest: Int64,
        numberJump: Int64
    ) -> Int64 {
        var used = max(mine?.used ?? 0, mine?.own ?? 0)
        guard request.rejoin else { return used > highest ? used : 0 }
        for (device, file) in members where device != request.device {
            used = max(used, file.taken[request.device] ?? 0)
        }
        // Without a cursor, nobody knows which numbers were used before the folder lost them.
        if mine == nil, request.binding != nil { used = max(used, highest) + numberJump }
        return used > highest ? used : 0
    }

    /// The segment of the unacknowledged push, if it is the only one above the cursor.
    private static func unanswered(
        request: SessionRequest,
        listing: DeviceListing,
        above own: Int64?,
        reader: FolderReader
    ) async throws -> SegmentFile? {
        guard let intent = request.intent.flatMap({ FolderIntent($0) })
        else {
            return nil
        }
        if listing.placeholders.contains(intent.file) {
            throw SyncError.folderNotDownloaded(
                place: FolderLayout.place(device: listing.device, file: intent.file)
            )
        }
        guard own.map({ own in listing.files.filter { $0.range.upperBound > own } == [intent.file] }) ?? true,
            case .success(let file) = try await reader.load(intent.file, of: listing),
            file.digest.description == intent.digest
        else { return nil }
        return file
    }

    /// Loads all own files. Their entries are read when they are fetched.
    private mutating func readBackAll(
        _ listing: DeviceListing,
        pushed: SegmentFile?,
        reader: FolderReader
    ) async throws {
        var taken = NumberSet()
        var tags = TagNotes()
        var prefetch = SegmentPrefetch(reader: reader)
        for (index, file) in listing.files.enumerated() where file != pushed?.file {
            let noted = tags[file.range.upperBound]
            let isOther = file.notedTag.map { tag in noted.map { !$0.contains(tag) } ?? false } ?? false
            if taken.contains(file.range), !isOther { continue }
            let loaded = try await prefetch.load(
                SegmentPrefetch.Place(file: file, listing: listing),
                ahead: SegmentPrefetch.Place.first(
                    reader.storage.maxConcurrentCalls,
                    of: listing.files[(index + 1)...],
                    in: listing,
                    notIn: taken.inserting(file.range)
                ),
                room: reader.limits.roundBytes
            )
            switch loaded {
            case .success(var whole):
                whole.release()
                files.append(whole)
                taken.insert(file.range)
                tags.formUnion(TagNotes(of: file, header: whole.header))
            case .failure(.vanished): break
            case .failure(.refused(let diagnostic)): diagnostics.append(diagnostic)
            }
        }
        if renewal == nil { start.tags[start.device, default: TagNotes()].formUnion(tags) }
        for file in listing.placeholders where !taken.contains(file.range) {
            diagnostics.append(
                .placeholder(place: FolderLayout.place(device: listing.device, file: file), hides: true)
            )
        }
    }
}

extension FolderCursor {
    /// Notes an own file in the folder.
    mutating func note(_ file: SegmentFile) {
        tags[device, default: TagNotes()].formUnion(TagNotes(of: file.file, header: file.header))
    }
}

extension FolderReader {
    /// The lowest sequence of a device's own edits in a file, nil if none; and the highest sequence that any entry
    /// has seen.
    func sequences(
        of device: DeviceID,
        in file: SegmentFile
    ) async throws -> (lowest: Int64?, highest: Int64) {
        var (lowest, highest): (Int64?, Int64) = (nil, 0)
        for index in file.pieces.indices {
            guard case .success(let piece) = try await read(whole: file, piece: index) else { continue }
            for line in piece.lines {
                guard let change = try? Segment.entry(in: line, of: piece.bytes) else { continue }
                let metadata = change.header.writtenMetadata
                highest = max(highest, metadata.sequence(of: device))
                guard metadata.editTimestamp.device == device else { continue }
                lowest = min(lowest ?? .max, metadata.editTimestamp.sequence)
            }
        }
        return (lowest, highest)
    }
}

extension VersionMetadata {
    /// The highest sequence of a device in the metadata.
    func sequence(of device: DeviceID) -> Int64 {
        max(vector[device], editTimestamp.device == device ? editTimestamp.sequence : 0)
    }
}
