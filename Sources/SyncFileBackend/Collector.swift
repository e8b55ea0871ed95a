import SyncCore
import SyncWire

/// Drops own entries that the whole folder no longer needs: those that another device's entry supersedes, and
/// tombstones that every device has taken and that hide nothing any more.
///
/// It reads all files, so it runs only when the folder has doubled since it ran last: each byte is read a constant
/// number of times.
struct Collector {
    let reader: FolderReader
    let device: DeviceID

    /// Returns the size of the folder after a run, nil when there was nothing to run for.
    func run(_ own: DeviceListing, _ file: DeviceFile) throws -> Int64? {
        let scan = try reader.scan()
        let bytes = try size(scan)
        guard bytes >= 2 * file.collected + reader.limits.collectBytes else { return nil }
        guard let last = own.files.last, own.numbers.firstGap == nil else { return nil }
        var pool = EntryPool()
        var loaded: [LoadedFile] = []
        for file in own.files {
            guard case .success(let whole) = try reader.load(device, file) else { return nil }
            loaded.append(whole)
        }
        let strange = pool.addKeepingStrangers(loaded)
        let others = try survey(scan, of: pool, file.taken)
        let taken = try takenByAll(scan)
        let single = pool.single()
        let kept = pool.maximal().filter { entry in
            let versions = others.versions[RecordID(entry)] ?? []
            if versions.contains(where: { $0.supersedes(entry, pool.body(entry), device) }) { return false }
            guard entry.header.isDeleted, entry.header.mergedInto == nil else { return true }
            // The numbers of the file in which the tombstone stands are an upper bound of its own.
            let number = pool.sources[entry.source].file.range.upperBound
            return
                !(others.isComplete && versions.isEmpty && number <= taken
                && single.contains(RecordID(entry)))
        }
        try reader.replace(own.files, of: device, by: 1...last.range.upperBound, pool, kept, strange)
        return try size(try reader.scan())
    }

    /// The number up to which every device that is not retired has taken our entries.
    private func takenByAll(_ scan: FolderScan) throws -> Int64 {
        let retired = try reader.retired(scan)
        var taken = Int64.max
        for other in scan.devices where other.device != device && !retired.contains(other.device) {
            taken = min(taken, (try? reader.deviceFile(other.device))?.taken[device] ?? 0)
        }
        return taken
    }

    private func size(_ scan: FolderScan) throws -> Int64 {
        var total: Int64 = 0
        for listing in scan.devices {
            for file in listing.files {
                if case .file(let bytes) = try reader.files.kind(reader.layout.path(listing.device, file)) {
                    total += Int64(bytes)
                }
            }
        }
        return total
    }

    /// Whether all that a device has published stands here. A folder service may bring its device file before its
    /// segments, and the removal of old segments before the snapshot that replaces them.
    private func isComplete(_ listing: DeviceListing, _ taken: Int64) -> Bool {
        let published = (try? reader.deviceFile(listing.device))?.number
        guard let published, listing.placeholders.isEmpty, listing.numbers.firstGap == nil else {
            return false
        }
        return listing.numbers.highest >= max(taken, published)
            && listing.problems.allSatisfy { !$0.isSerious }
    }

    /// What other devices hold of the records of which we hold an entry.
    private func survey(
        _ scan: FolderScan,
        of pool: EntryPool,
        _ taken: [DeviceID: Int64]
    ) throws -> Survey {
        let wanted = Set(pool.entries.map { RecordID($0) })
        var survey = Survey()
        // What cannot be read may hold what a tombstone of ours hides.
        survey.isComplete =
            scan.problems.allSatisfy { !$0.isSerious }
            && taken.keys.allSatisfy { scan[$0] != nil }
        for listing in scan.devices where listing.device != device {
            if !isComplete(listing, taken[listing.device] ?? 0) { survey.isComplete = false }
            for file in listing.files {
                guard case .success(let whole) = try reader.load(listing.device, file) else {
                    survey.isComplete = false
                    continue
                }
                var other = EntryPool()
                if !other.add(whole).isEmpty { survey.isComplete = false }
                for entry in other.entries where wanted.contains(RecordID(entry)) {
                    let version = Survey.Version(
                        device: listing.device,
                        header: entry.header,
                        body: Digest(Array(other.body(entry)))
                    )
                    survey.versions[RecordID(entry), default: []].append(version)
                }
            }
        }
        return survey
    }
}

/// Which record an entry is of.
struct RecordID: Hashable {
    /// The entity's name, compared as bytes.
    let entity: RecordKey
    /// The record's key.
    let key: RecordKey

    init(_ entry: EntryPool.Entry) {
        entity = RecordKey(entry.header.entity)
        key = entry.header.key
    }
}

/// What other devices hold.
private struct Survey {
    /// Their entries, by record.
    var versions: [RecordID: [Version]] = [:]
    /// Whether all that they hold could be read.
    var isComplete = true

    /// One entry of another device.
    struct Version {
        var device: DeviceID
        var header: EntryCodec.Header
        var body: Digest

        /// Whether it stands for ours. Of two equal ones the smaller device keeps its own, or both could go.
        func supersedes(_ ours: EntryPool.Entry, _ body: ArraySlice<UInt8>, _ device: DeviceID) -> Bool {
            if header.stamp.vector != ours.header.stamp.vector {
                return header.stamp.vector.covers(ours.header.stamp.vector)
            }
            return self.device < device && header.isSameVersion(as: ours.header)
                && self.body == Digest(Array(body))
        }
    }
}

extension EntryPool {
    /// Records of which there is one entry only.
    fileprivate func single() -> Set<RecordID> {
        var counts: [RecordID: Int] = [:]
        for entry in entries { counts[RecordID(entry), default: 0] += 1 }
        return Set(counts.filter { $0.value == 1 }.keys)
    }
}
