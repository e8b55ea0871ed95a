import SyncCore
import SyncWire

/// Compacts a device's own folder at the end of a sync: records what it has taken, merges its segments into
/// snapshots, and removes the segments that they replace.
struct Compactor {
    let reader: FolderReader
    let request: SessionRequest
    /// Whether numbers of lost files are closed: what the folder lacked was published again.
    var heals = false
    /// Fingerprints of the store's records, if they were reported.
    var records: [String: String]?

    private var device: DeviceID { request.device }

    /// `cursor` is the one that the store has saved, so its files are taken for good.
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
        // A segment that the store has not acknowledged yet must stay, to be recognised.
        guard listing.placeholders.isEmpty, listing.numbers.highest == cursor.own else { return }
        try await removeReplaced(&listing, notes: cursor.tags[device] ?? TagNotes())
        if heals, try await heal(listing: listing) { return }
        guard hasPushed, listing.files.count > reader.limits.maxOwnFiles else { return }
        let collector = TombstoneCollector(reader: reader, device: device)
        if before?.number ?? 0 == 0 {
            // One sync published all of it, each record once: nothing can be dropped, however many segments there
            // are.
            file.collected = try await collector.size()
            try await reader.write(file)
        } else if let collected = try await collector.run(own: listing, file: file) {
            file.collected = collected
            try await reader.write(file)
        } else if small(listing: listing) > reader.limits.maxOwnFiles {
            try await merge(recent(listing: listing), of: listing)
        }
    }

    /// For every other device, the number up to which everything was taken. Devices with lost files that were
    /// published again are left out: nobody waits for them.
    private func taken(cursor: FolderCursor) -> [DeviceID: Int64] {
        cursor.taken.filter { cursor.replaced[$0.key] == nil }.mapValues(\.contiguous)
    }

    /// For every device with lost files, the highest number that was taken. A store of that identity that is restored
    /// from an older backup learns from it that its identity is in use.
    private func lost(cursor: FolderCursor) -> [DeviceID: Int64] {
        cursor.taken.filter { cursor.replaced[$0.key] != nil }.mapValues(\.highest)
    }

    private func small(listing: DeviceListing) -> Int {
        listing.files.count { file in
            listing.bytes(of: file).map { $0 < reader.limits.largeBytes } ?? false
        }
    }

    /// Removes files that a snapshot replaces, left by a crash. Removes an incomplete snapshot if all the files that
    /// it replaces still exist.
    private func removeReplaced(_ listing: inout DeviceListing, notes: TagNotes) async throws {
        for snapshot in listing.files where snapshot.isSnapshot && listing.files.contains(snapshot) {
            // Files that another copy of the store has published are in no snapshot of this one.
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

    /// Closes numbers of lost files.
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

    /// The newest files that are worth merging: backwards from the newest, while the next file is at most twice as
    /// large as all before it. So an entry is rewritten only when its file has doubled, a logarithmic number of
    /// times.
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

    /// Writes the entries of `sources` as one snapshot that replaces `files`.
    private func replace(
        _ files: [NumberedFile],
        with sources: [NumberedFile],
        of listing: DeviceListing,
        by range: ClosedRange<Int64>
    ) async throws {
        do {
            var sorted = SortedFiles(reader)
            // An unreadable file stays, and so do its neighbours.
            guard try await sorted.add(sources, of: listing) == sources.count else { return }
            try await Compaction(reader: reader, device: device, files: sorted, unknownLines: sorted)
                .replace(files, by: range) { Compaction.heads(versions: $0) }
        } catch is SortedFiles.SortError {
            // Nothing was written. The files stay unchanged.
        }
    }
}

extension NumberedFile {
    /// Whether this file's numbers include all those of the other.
    func covers(_ other: NumberedFile) -> Bool {
        range.lowerBound <= other.range.lowerBound && other.range.upperBound <= range.upperBound
    }
}

extension FolderReader {
    /// Lists the folder of this device, which must exist.
    func ownListing(device: DeviceID) async throws -> DeviceListing {
        guard let listing = try await list(device: device) else {
            throw StorageError(place: FolderLayout.prefix(device: device), kind: .notFound)
        }
        return listing
    }

    /// Removes objects concurrently.
    func delete(_ keys: [String]) async throws {
        _ = try await storage.concurrentMap(keys) { try await storage.delete($0) }
    }
}
