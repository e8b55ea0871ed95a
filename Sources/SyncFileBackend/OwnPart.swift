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
    /// Own files whose entries are read back, before anything of others: first the push without an answer.
    var files: [WholeFile] = []
    /// Whether the first of the files is that push, whose entries are delivered whatever supersedes them.
    var isFirstPinned = false
    /// What was skipped.
    var problems: [RemoteProblem] = []

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
            pushed?.digest.description ?? (start.own == mine?.own ? mine?.ownDigest : nil)
        let readsAll = isCopy || isLost || request.rejoin || mine?.readsOwn == true
        if let pushed {
            files = [pushed]
            isFirstPinned = true
        }
        start.readsOwn = readsAll || pushed != nil
        if readsAll { try readBackAll(listing, pushed, reader) }
        try finish(listing, reader)
    }

    /// The part of the problems and of the cursors that follows from the rest.
    private mutating func finish(_ listing: DeviceListing, _ reader: FolderReader) throws {
        for file in files {
            start.sequence = max(start.sequence, try reader.sequence(of: start.device, in: file))
        }
        sequence = start.sequence
        midway = start
        start.readsOwn = false
        let temporary = RemoteProblem.temporaryFile("").rule
        problems += listing.problems.filter { $0.rule != temporary }
        if let lost = listing.numbers.firstGap {
            problems.append(.lostSegments(reader.layout.place(start.device), lost, isOwn: true))
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
    ) throws -> WholeFile? {
        guard Guard.isOn(.intentKnown), let intent = request.intent.flatMap({ FolderIntent($0) }) else {
            return nil
        }
        if listing.placeholders.contains(intent.file) {
            throw SyncError.folderNotDownloaded(reader.layout.place(listing.device, intent.file))
        }
        guard own.map({ own in listing.files.filter { $0.range.upperBound > own } == [intent.file] }) ?? true,
            case .success(let file) = try reader.load(listing.device, intent.file),
            file.digest.description == intent.digest
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

    /// Finds all own files whole. Their entries are read when they are fetched.
    private mutating func readBackAll(
        _ listing: DeviceListing,
        _ pushed: WholeFile?,
        _ reader: FolderReader
    ) throws {
        var taken = NumberSet()
        for file in listing.files where file != pushed?.file && !taken.contains(file.range) {
            switch try reader.load(listing.device, file) {
            case .success(var whole):
                whole.letGo()
                files.append(whole)
                taken.insert(file.range)
            case .failure(.vanished): break
            case .failure(.refused(let problem)): problems.append(problem)
            }
        }
        for file in listing.placeholders where !taken.contains(file.range) {
            problems.append(.placeholder(reader.layout.place(listing.device, file), hides: true))
        }
    }
}

extension FolderReader {
    /// The highest sequence of a device that any entry of a file names.
    fileprivate func sequence(of device: DeviceID, in file: WholeFile) throws -> Int64 {
        var highest: Int64 = 0
        for index in file.pieces.indices {
            guard case .success(let piece) = try read(file, piece: index) else { continue }
            piece.bytes.withUnsafeBufferPointer { bytes in
                for line in piece.lines {
                    guard let header = try? Segment.entry(in: line, of: bytes) else { continue }
                    highest = max(highest, header.stamp.sequence(of: device))
                }
            }
        }
        return highest
    }
}

extension Stamp {
    /// The highest sequence of a device that the stamp names.
    func sequence(of device: DeviceID) -> Int64 {
        max(vector[device], mark.device == device ? mark.sequence : 0)
    }
}
