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
    func run(_ cursor: FolderCursor, hasPushed: Bool) async throws {
        let before = try await reader.deviceFile(device: device)
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
        if file != before { try await reader.write(file) }

        var listing = try await reader.ownListing(device: device)
        try await reader.delete(listing.leftovers.map { FolderLayout.prefix(device: device) + $0 })
        // A segment that the store has not acknowledged yet must stay as it is, to be recognised.
        guard listing.placeholders.isEmpty, listing.numbers.highest == cursor.own else { return }
        try await removeReplaced(&listing, notes: cursor.tags[device] ?? TagNotes())
        if heals, try await heal(listing: listing) { return }
        guard hasPushed, listing.files.count > reader.limits.maxOwnFiles else { return }
        let collector = TombstoneCollector(reader: reader, device: device)
        if before?.number ?? 0 == 0 {
            // All was published by one sync, each record once: there is nothing to drop, however many segments it took.
            file.collected = try await collector.size()
            try await reader.write(file)
        } else if let collected = try await collector.run(own: listing, file: file) {
            file.collected = collected
            try await reader.write(file)
        } else if small(listing: listing) > reader.limits.maxOwnFiles {
            try await merge(recent(listing: listing), of: listing)
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

    private func small(listing: DeviceListing) -> Int {
        listing.files.count { file in
            listing.bytes(of: file).map { $0 < reader.limits.largeBytes } ?? false
        }
    }

    /// Removes files whose numbers a snapshot stands for: a crash came between its writing and their removal. A
    /// snapshot that is not whole goes itself, if all that it stands for is still there.
    private func removeReplaced(_ listing: inout DeviceListing, notes: TagNotes) async throws {
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
            if case .failure = try await reader.load(snapshot, of: listing) {
                var numbers = NumberSet(contiguous: snapshot.range.lowerBound - 1)
                for file in replaced { numbers.insert(file.range) }
                gone = numbers.contains(snapshot.range) ? [snapshot] : []
            }
            try await reader.delete(gone.map { FolderLayout.key(device: device, file: $0) })
            listing.files.removeAll { gone.contains($0) }
        }
    }

    /// Closes numbers whose files are lost.
    private func heal(listing: DeviceListing) async throws -> Bool {
        var whole: [NumberedFile] = []
        for file in listing.files {
            if case .success = try await reader.load(file, of: listing) { whole.append(file) }
        }
        let isWhole = whole.count == listing.files.count && listing.numbers.firstGap == nil
        guard !isWhole, let last = listing.files.map(\.range.upperBound).max() else { return false }
        try await replace(listing.files, with: whole, of: listing, by: 1...last)
        return true
    }

    /// The newest files that are worth merging: from the newest back, as long as the next one is not more than twice
    /// as large as all before it. So an entry is rewritten only when its file has doubled: a logarithm of times.
    private func recent(listing: DeviceListing) -> [NumberedFile] {
        var chosen: [NumberedFile] = []
        var total = 0
        for file in listing.files.reversed() {
            guard let bytes = listing.bytes(of: file) else { break }
            if let next = chosen.last, next.range.lowerBound != file.range.upperBound + 1 { break }
            guard chosen.isEmpty || bytes <= 2 * total, total + bytes <= reader.limits.maxFileBytes else {
                break
            }
            total += bytes
            chosen.append(file)
        }
        return chosen.reversed()
    }

    private func merge(_ files: [NumberedFile], of listing: DeviceListing) async throws {
        guard files.count > 1, let first = files.first, let last = files.last else { return }
        let range = first.range.lowerBound...last.range.upperBound
        try await replace(files, with: files, of: listing, by: range)
    }

    /// Writes what `sources` hold as one snapshot in place of `files`.
    private func replace(
        _ files: [NumberedFile],
        with sources: [NumberedFile],
        of listing: DeviceListing,
        by range: ClosedRange<Int64>
    ) async throws {
        do {
            var sorted = SortedFiles(reader)
            // A file that cannot be read stays, and so do its neighbours.
            guard try await sorted.add(sources, of: listing) == sources.count else { return }
            try await Compaction(reader: reader, device: device, files: sorted, unknownLines: sorted)
                .replace(files, by: range) { Compaction.heads(versions: $0) }
        } catch is SortedFiles.SortError {
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
    /// Lists the folder of this device, which must be there.
    func ownListing(device: DeviceID) async throws -> DeviceListing {
        guard let listing = try await list(device: device) else {
            throw StorageError(place: FolderLayout.prefix(device: device), kind: .notFound)
        }
        return listing
    }

    /// Removes objects, side by side.
    func delete(_ keys: [String]) async throws {
        _ = try await storage.concurrentMap(keys) { try await storage.delete($0) }
    }
}
