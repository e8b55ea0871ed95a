import SyncCore
import SyncWire

/// What a session finds in its own device folder: whether it is a copy, and which of its own entries it must read back.
struct OwnPart: Sendable {
    /// Whether entries stand there that this store did not write.
    var isCopy = false
    /// The highest sequence of this incarnation in the folder.
    var sequence: Int64 = 0
    /// The cursor to begin with: what others published is taken as far as it says.
    var start: FolderCursor
    /// The cursor that pages before the last one carry: a crash after them repeats the fetch.
    var midway: FolderCursor
    /// Own entries that were read back.
    var intake = Intake()

    init(_ request: SessionRequest, _ scan: FolderScan, _ file: DeviceFile?, _ reader: FolderReader) throws {
        let saved = request.cursor.flatMap { FolderCursor($0) }
        start = FolderCursor(device: request.device)
        midway = start
        let listing = scan[request.device] ?? DeviceListing(device: request.device)
        let highest = listing.numbers.highest
        let mine = saved?.device == request.device ? saved : nil
        // NB: a store that took a new incarnation reads all that the old one published: part of it is another store's.
        start.taken = (request.rejoin || saved?.readsOwn == true ? nil : saved?.taken) ?? [:]
        if let saved, mine == nil { start.taken[saved.device] = nil }
        start.taken[request.device] = nil
        start.sequence = max(mine?.sequence ?? 0, file?.sequence ?? 0)
        start.used = try Self.used(mine, request, scan, highest, reader)

        let isLost = saved == nil && (request.rejoin || request.binding != nil)
        let pushed = try Self.unanswered(request, listing, above: isLost ? nil : mine?.own ?? 0, reader)
        isCopy = !isLost && (highest > (mine?.own ?? 0) && pushed == nil || Self.isForeign(file, mine))
        if !Guard.isOn(.copyNoticed) { isCopy = false }
        start.own = isLost || request.rejoin || pushed != nil ? highest : mine?.own ?? 0
        start.ownDigest =
            pushed?.segment.digest.description ?? (start.own == mine?.own ? mine?.ownDigest : nil)
        if isCopy || isLost || request.rejoin || mine?.readsOwn == true {
            try readBackAll(listing, pushed, reader)
            start.readsOwn = true
        } else if let pushed {
            readBack(pushed, reader)
            start.readsOwn = true
        }
        finish(listing, reader)
    }

    /// The part of the problems and of the cursors that follows from the rest.
    private mutating func finish(_ listing: DeviceListing, _ reader: FolderReader) {
        start.sequence = max(start.sequence, intake.sequence(of: start.device))
        sequence = start.sequence
        midway = start
        start.readsOwn = false
        let temporary = RemoteProblem.temporaryFile("").rule
        intake.problems += listing.problems.filter { $0.rule != temporary }
        if let lost = listing.numbers.firstGap {
            intake.problems.append(.lostSegments(reader.layout.place(start.device), lost, isOwn: true))
        }
    }

    /// Whether a number was used that the folder does not show: the next segment must not use it again, or those who
    /// have taken it would never read the new one.
    private static func used(
        _ mine: FolderCursor?,
        _ request: SessionRequest,
        _ scan: FolderScan,
        _ highest: Int64,
        _ reader: FolderReader
    ) throws -> Int64 {
        guard Guard.isOn(.numbersOnce) else { return 0 }
        var used = max(mine?.used ?? 0, mine?.own ?? 0)
        guard request.rejoin else { return used > highest ? used : 0 }
        for listing in scan.devices where listing.device != request.device && listing.hasDeviceFile {
            used = max(used, (try? reader.deviceFile(listing.device))?.taken[request.device] ?? 0)
        }
        // Without a cursor nobody knows what was used before the folder lost it.
        if mine == nil { used = max(used, highest) + reader.limits.numberJump }
        return used > highest ? used : 0
    }

    /// The segment of the push that was never acknowledged, if it is the only one above what the cursor says.
    private static func unanswered(
        _ request: SessionRequest,
        _ listing: DeviceListing,
        above own: Int64?,
        _ reader: FolderReader
    ) throws -> LoadedFile? {
        guard Guard.isOn(.intentKnown), let intent = request.intent.flatMap({ FolderIntent($0) }) else {
            return nil
        }
        if listing.placeholders.contains(intent.file) {
            throw SyncError.folderNotDownloaded(reader.layout.place(listing.device, intent.file))
        }
        guard own.map({ own in listing.files.filter { $0.range.upperBound > own } == [intent.file] }) ?? true,
            case .success(let file) = try reader.load(listing.device, intent.file),
            file.segment.digest.description == intent.digest
        else { return nil }
        return file
    }

    /// Whether the device file tells of another segment under the number of our last one.
    private static func isForeign(_ file: DeviceFile?, _ mine: FolderCursor?) -> Bool {
        guard let file, let mine, file.number == mine.own, let digest = file.digest, let own = mine.ownDigest
        else {
            return false
        }
        return digest != own
    }

    private mutating func readBack(_ file: LoadedFile, _ reader: FolderReader) {
        let place = reader.layout.place(file.device, file.file)
        for line in intake.pool.add(file, isPinned: true) {
            intake.problems.append(.malformedEntry(place, line: line))
        }
    }

    /// Reads all own files. Entries of the unanswered push are delivered whatever supersedes them.
    private mutating func readBackAll(
        _ listing: DeviceListing,
        _ pushed: LoadedFile?,
        _ reader: FolderReader
    ) throws {
        var taken = NumberSet()
        var listing = listing
        if let pushed {
            readBack(pushed, reader)
            listing.files.removeAll { $0 == pushed.file }
        }
        // What is missing, or stands beside, is told once, by `finish`.
        listing.problems = []
        try reader.takeFiles(listing, &intake, &taken)
    }
}
