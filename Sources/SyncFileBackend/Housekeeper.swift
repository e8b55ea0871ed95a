import SyncCore
import SyncWire

/// What a device does at the end of a sync, in its own folder only: tells what it has taken, merges its segments into
/// snapshots, and removes what those replaced.
struct Housekeeper {
    let reader: FolderReader
    let request: SessionRequest

    private var device: DeviceID { request.device }

    /// `cursor` is what the store has saved, so what it names was taken for good.
    func run(_ cursor: FolderCursor, hasPushed: Bool) throws {
        let before = try reader.deviceFile(device)
        var file = before ?? DeviceFile(device: device, label: request.label)
        file.label = request.label
        file.number = cursor.own
        file.digest = cursor.ownDigest
        file.sequence = max(file.sequence, cursor.sequence)
        file.taken = cursor.taken.mapValues(\.contiguous)
        if file != before { try reader.write(file) }

        var listing = try reader.list(device)
        for name in listing.leftovers {
            try reader.files.remove("\(reader.layout.folder(device))/\(name)")
        }
        // A segment that the store has not acknowledged yet must stay as it is, to be recognised.
        guard listing.placeholders.isEmpty, listing.numbers.highest == cursor.own else { return }
        try removeReplaced(&listing)
        if request.rejoin, try heal(listing) { return }
        guard hasPushed, listing.files.count > reader.limits.maxOwnFiles else { return }
        if let collected = try Collector(reader: reader, device: device).run(listing, file) {
            file.collected = collected
            try reader.write(file)
        } else {
            try merge(try recent(listing.files))
        }
    }

    /// Removes files whose numbers a snapshot stands for: a crash came between its writing and their removal. A
    /// snapshot that is not whole goes itself, if all that it stands for is still there.
    private func removeReplaced(_ listing: inout DeviceListing) throws {
        for snapshot in listing.files where snapshot.isSnapshot && listing.files.contains(snapshot) {
            let replaced = listing.files.filter { $0 != snapshot && snapshot.covers($0) }
            guard !replaced.isEmpty else { continue }
            var gone = replaced
            if case .failure = try reader.load(device, snapshot) {
                var numbers = NumberSet(contiguous: snapshot.range.lowerBound - 1)
                for file in replaced { numbers.insert(file.range) }
                gone = numbers.contains(snapshot.range) ? [snapshot] : []
            }
            for file in gone { try reader.files.remove(reader.layout.path(device, file)) }
            listing.files.removeAll { gone.contains($0) }
        }
    }

    /// After a rejoin, numbers whose files are lost are closed: all that the folder lacked was published again.
    private func heal(_ listing: DeviceListing) throws -> Bool {
        var loaded: [LoadedFile] = []
        for file in listing.files {
            if case .success(let whole) = try reader.load(device, file) { loaded.append(whole) }
        }
        let isWhole = loaded.count == listing.files.count && listing.numbers.firstGap == nil
        guard !isWhole, let last = listing.files.map(\.range.upperBound).max() else { return false }
        try replace(loaded, listing.files, by: 1...last)
        return true
    }

    /// The newest files that are worth merging: from the newest back, as long as the next one is not more than twice
    /// as large as all before it. So an entry is rewritten only when its file has doubled: a logarithm of times.
    private func recent(_ files: [NumberedFile]) throws -> [NumberedFile] {
        var chosen: [NumberedFile] = []
        var total = 0
        for file in files.reversed() {
            guard case .file(let bytes) = try reader.files.kind(reader.layout.path(device, file)) else {
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
        var loaded: [LoadedFile] = []
        for file in files {
            // A file that cannot be read stays, and so do its neighbours.
            guard case .success(let whole) = try reader.load(device, file) else { return }
            loaded.append(whole)
        }
        try replace(loaded, files, by: first.range.lowerBound...last.range.upperBound)
    }

    private func replace(_ loaded: [LoadedFile], _ files: [NumberedFile], by range: ClosedRange<Int64>) throws
    {
        var pool = EntryPool()
        let strange = pool.addKeepingStrangers(loaded)
        try reader.replace(files, of: device, by: range, pool, pool.maximal(), strange)
    }
}

extension NumberedFile {
    /// Whether all numbers of the other file are among this one's.
    func covers(_ other: NumberedFile) -> Bool {
        range.lowerBound <= other.range.lowerBound && other.range.upperBound <= range.upperBound
    }
}

extension EntryPool {
    /// Adds the files' entries; returns the lines that cannot be read, to be kept as they are: a newer version of this
    /// program may know them.
    mutating func addKeepingStrangers(_ files: [LoadedFile]) -> [ArraySlice<UInt8>] {
        var strange: [ArraySlice<UInt8>] = []
        for file in files {
            for line in add(file) { strange.append(file.bytes[file.segment.lines[line - 2]]) }
        }
        return strange
    }
}

extension FolderReader {
    /// Writes a snapshot of entries, then removes the files that it stands for. A crash between leaves both, which is
    /// harmless: the snapshot is preferred by readers, and the rest is removed next time.
    func replace(
        _ old: [NumberedFile],
        of device: DeviceID,
        by range: ClosedRange<Int64>,
        _ pool: EntryPool,
        _ entries: [EntryPool.Entry],
        _ strange: [ArraySlice<UInt8>]
    ) throws {
        let snapshot = NumberedFile(snapshot: range)
        // Files never change: one of this very range stays as it is.
        guard !old.contains(snapshot) else { return }
        var writer = SegmentWriter(
            SegmentHeader(
                device: device,
                range: range,
                kind: .snapshot,
                entries: entries.count + strange.count
            )
        )
        for entry in entries { writer.append(line: pool.line(entry)) }
        for line in strange { writer.append(line: line) }
        let encoded = writer.finish()
        guard encoded.bytes.count <= limits.maxFileBytes else { return }
        try files.writeAtomically(encoded.bytes, to: layout.path(device, snapshot), replaces: false)
        for file in old { try files.remove(layout.path(device, file)) }
    }

    /// Devices that any device of the folder has retired.
    func retired(_ scan: FolderScan) throws -> Set<DeviceID> {
        var retired: Set<DeviceID> = []
        for listing in scan.devices where listing.hasDeviceFile {
            retired.formUnion((try? deviceFile(listing.device))?.retired ?? [])
        }
        return retired
    }
}
