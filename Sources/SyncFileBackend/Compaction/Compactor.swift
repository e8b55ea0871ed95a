import SyncCore
import SyncWire

/// What a device does at the end of a sync, in its own folder only: tells what it has taken, merges its segments into
/// snapshots, and removes what those replaced.
struct Compactor {
    let reader: FolderReader
    let request: SessionRequest
    /// Whether numbers whose files are lost are closed: what the folder lacked was published again.
    var heals = false
    /// Fingerprints of the records that the store holds, where they were told.
    var records: [String: String]?

    private var device: DeviceID { request.device }

    /// `cursor` is what the store has saved, so what it names was taken for good.
    func run(_ cursor: FolderCursor, hasPushed: Bool) throws {
        let before = try reader.deviceFile(device: device)
        var file = before ?? DeviceFile(device: device, label: request.label)
        file.label = request.label
        file.number = cursor.own
        file.digest = cursor.ownDigest
        file.sequence = max(file.sequence, cursor.sequence)
        file.taken = taken(cursor: cursor)
        file.lost = lost(cursor: cursor)
        file.former = request.former
        file.tags = (cursor.tags[device] ?? TagNotes()).last(count: TagNotes.maxNumbersOfSegment)
        file.seen = cursor.tags.filter { $0.key != device }
            .mapValues { $0.last(count: TagNotes.maxNumbersSeen) }
        let isSame = file.taken == before?.taken && file.number == before?.number && !hasPushed
        file.records = records ?? (isSame && cursor.comparing == nil ? before?.records : nil)
        if file != before { try reader.write(file) }

        var listing = try reader.list(device: device)
        for name in listing.leftovers {
            try reader.files.remove("\(reader.layout.folder(device: device))/\(name)")
        }
        // A segment that the store has not acknowledged yet must stay as it is, to be recognised.
        guard listing.placeholders.isEmpty, listing.numbers.highest == cursor.own else { return }
        try removeReplaced(&listing, notes: cursor.tags[device] ?? TagNotes())
        if heals, try heal(listing: listing) { return }
        guard hasPushed, listing.files.count > reader.limits.maxOwnFiles else { return }
        let collector = TombstoneCollector(reader: reader, device: device)
        if before?.number ?? 0 == 0 {
            // All was published by one sync, each record once: there is nothing to drop, however many segments it took.
            file.collected = try collector.size(scan: try reader.scan())
            try reader.write(file)
        } else if let collected = try collector.run(own: listing, file: file) {
            file.collected = collected
            try reader.write(file)
        } else if try small(files: listing.files) > reader.limits.maxOwnFiles {
            try merge(try recent(files: listing.files))
        }
    }

    /// The number of every other device up to which everything was taken. Of a device whose files are lost, and
    /// published again, nothing is told: nobody waits for them.
    private func taken(cursor: FolderCursor) -> [DeviceID: Int64] {
        cursor.taken.filter { cursor.replaced[$0.key] == nil }.mapValues(\.contiguous)
    }

    /// The highest number that was taken of every device whose files are lost. A store of that name that comes back from a
    /// backup, and knows less, learns by it that its name is used.
    private func lost(cursor: FolderCursor) -> [DeviceID: Int64] {
        cursor.taken.filter { cursor.replaced[$0.key] != nil }.mapValues(\.highest)
    }

    private func small(files: [NumberedFile]) throws -> Int {
        try files.count { file in
            guard
                case .file(let bytes) = try reader.files.kind(
                    path: reader.layout.path(device: device, file: file)
                )
            else {
                return false
            }
            return bytes < reader.limits.largeBytes
        }
    }

    /// Removes files whose numbers a snapshot stands for: a crash came between its writing and their removal. A
    /// snapshot that is not whole goes itself, if all that it stands for is still there.
    private func removeReplaced(_ listing: inout DeviceListing, notes: TagNotes) throws {
        for snapshot in listing.files where snapshot.isSnapshot && listing.files.contains(snapshot) {
            // NB: what another copy of the store has published meanwhile is in no snapshot of this one.
            let replaced = listing.files.filter { file in
                guard file != snapshot, snapshot.covers(file) else { return false }
                if file.isSnapshot && file.range == snapshot.range { return false }
                return file.notedTag.map { tag in
                    notes[file.range.upperBound].map { $0.contains(tag) } ?? true
                }
                    ?? true
            }
            guard !replaced.isEmpty else { continue }
            var gone = replaced
            if case .failure = try reader.load(device, file: snapshot) {
                var numbers = NumberSet(contiguous: snapshot.range.lowerBound - 1)
                for file in replaced { numbers.insert(file.range) }
                gone = numbers.contains(snapshot.range) ? [snapshot] : []
            }
            for file in gone { try reader.files.remove(reader.layout.path(device: device, file: file)) }
            listing.files.removeAll { gone.contains($0) }
        }
    }

    /// Closes numbers whose files are lost.
    private func heal(listing: DeviceListing) throws -> Bool {
        var whole: [NumberedFile] = []
        for file in listing.files {
            if case .success = try reader.load(device, file: file) { whole.append(file) }
        }
        let isWhole = whole.count == listing.files.count && listing.numbers.firstGap == nil
        guard !isWhole, let last = listing.files.map(\.range.upperBound).max() else { return false }
        try replace(whole, of: listing.files, by: 1...last)
        return true
    }

    /// The newest files that are worth merging: from the newest back, as long as the next one is not more than twice
    /// as large as all before it. So an entry is rewritten only when its file has doubled: a logarithm of times.
    private func recent(files: [NumberedFile]) throws -> [NumberedFile] {
        var chosen: [NumberedFile] = []
        var total = 0
        for file in files.reversed() {
            guard
                case .file(let bytes) = try reader.files.kind(
                    path: reader.layout.path(device: device, file: file)
                )
            else {
                break
            }
            if let next = chosen.last, next.range.lowerBound != file.range.upperBound + 1 { break }
            guard chosen.isEmpty || bytes <= 2 * total, total + bytes <= reader.limits.maxFileBytes else {
                break
            }
            total += bytes
            chosen.append(file)
        }
        return chosen.reversed()
    }

    private func merge(_ files: [NumberedFile]) throws {
        guard files.count > 1, let first = files.first, let last = files.last else { return }
        try replace(files, of: files, by: first.range.lowerBound...last.range.upperBound)
    }

    /// Writes what `sources` hold as one snapshot in place of `files`.
    private func replace(
        _ sources: [NumberedFile],
        of files: [NumberedFile],
        by range: ClosedRange<Int64>
    ) throws {
        do {
            var sorted = SortedFiles(reader)
            for file in sources {
                // A file that cannot be read stays, and so do its neighbours.
                guard case .success(let whole) = try reader.loadForMerge(device, file: file) else { return }
                _ = try sorted.add(whole)
            }
            try Compaction(reader: reader, device: device, files: sorted, strangers: sorted)
                .replace(files, by: range) { Compaction.heads(versions: $0) }
        } catch is SortedFiles.Failure {
            // Nothing was written; the files stay as they are.
        }
    }
}

extension NumberedFile {
    /// Whether all numbers of the other file are among this one's.
    func covers(_ other: NumberedFile) -> Bool {
        range.lowerBound <= other.range.lowerBound && other.range.upperBound <= range.upperBound
    }
}

extension FolderReader {
    /// Reads a file in such pieces that many files can be walked at once.
    func loadForMerge(
        _ device: DeviceID,
        file: NumberedFile
    ) throws -> Result<SegmentFile, LoadError> {
        try load(device, file: file, pieceBytes: limits.mergePieceBytes)
    }

    /// Devices that any device of the folder has retired.
    func retired(scan: FolderScan) throws -> Set<DeviceID> {
        var retired: Set<DeviceID> = []
        for listing in scan.devices where listing.hasDeviceFile {
            retired.formUnion((try? deviceFile(device: listing.device))?.retired ?? [])
        }
        return retired
    }
}
