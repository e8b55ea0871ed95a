import SyncCore
import SyncWire

/// Drops own entries that the whole folder no longer needs: those that another device's entry supersedes, and
/// tombstones that every device has taken and that hide nothing any more.
///
/// It reads all files, so it runs only when the folder has doubled since it ran last: each byte is read a constant
/// number of times.
struct TombstoneCollector {
    let reader: FolderReader
    let device: DeviceID

    /// Returns the size of the folder after a run, nil when there was nothing to run for.
    func run(own: DeviceListing, file: DeviceFile) throws -> Int64? {
        let scan = try reader.scan()
        let bytes = try size(scan: scan)
        guard bytes >= 2 * file.collected + reader.limits.collectBytes else { return nil }
        guard let last = own.files.last, own.numbers.firstGap == nil else { return nil }
        do {
            var mine = SortedFiles(reader)
            for file in own.files {
                guard case .success(let whole) = try reader.loadForMerge(device, file: file) else {
                    return nil
                }
                _ = try mine.add(whole)
            }
            var all = mine
            let isComplete = try survey(scan: scan, taken: file.taken, into: &all)
            let taken = try takenByAll(scan: scan)
            var hasDropped = false
            let compaction = Compaction(reader: reader, device: device, files: all, strangers: mine)
            try compaction.replace(
                own.files,
                by: 1...last.range.upperBound,
                collected: { hasDropped ? last.range.upperBound : 0 },
                keeping: { versions in
                    let kept = kept(versions: versions, isComplete: isComplete, taken: taken)
                    if kept.isEmpty, versions.allSatisfy({ $0.device == device && $0.header.isDeleted }) {
                        hasDropped = true
                    }
                    return kept
                }
            )
        } catch is SortedFiles.Failure {
            // Nothing was written; the files stay as they are.
            return nil
        }
        return try size(scan: try reader.scan())
    }

    /// Our versions of a record that are needed still, of all versions of it in the folder.
    private func kept(versions: [Version], isComplete: Bool, taken: Int64) -> [Version] {
        let own = versions.filter { $0.device == device }
        guard !own.isEmpty else { return [] }
        let others = own.count == versions.count ? [] : versions.filter { $0.device != device }
        return Compaction.heads(versions: own).filter { version in
            if others.contains(where: { stands(other: $0, for: version) }) { return false }
            guard version.header.isDeleted, version.header.mergedInto == nil else { return true }
            // The numbers of the file in which the tombstone stands are an upper bound of its own.
            let isTaken = version.file.range.upperBound <= taken
            return !(isComplete && others.isEmpty && isTaken && own.count == 1)
        }
    }

    /// Whether another device's version stands for ours. Of two equal ones the smaller device keeps its own, or both
    /// could go.
    private func stands(other: Version, for ours: Version) -> Bool {
        guard other.header.metadata.vector == ours.header.metadata.vector else {
            return other.header.metadata.vector.covers(ours.header.metadata.vector)
        }
        return other.device < device && other.header.isSameVersion(as: ours.header) && other.body == ours.body
    }

    /// The number up to which every device that is not retired has taken our entries.
    private func takenByAll(scan: FolderScan) throws -> Int64 {
        let retired = try reader.retired(scan: scan)
        var taken = Int64.max
        for other in scan.devices where other.device != device && !retired.contains(other.device) {
            taken = min(taken, (try? reader.deviceFile(device: other.device))?.taken[device] ?? 0)
        }
        return taken
    }

    /// The bytes of all segments and snapshots in the folder.
    func size(scan: FolderScan) throws -> Int64 {
        var total: Int64 = 0
        for listing in scan.devices {
            for file in listing.files {
                if case .file(let bytes) = try reader.files.kind(
                    path: reader.layout.path(device: listing.device, file: file)
                ) {
                    total += Int64(bytes)
                }
            }
        }
        return total
    }

    /// Whether all that a device has published stands here. A folder service may bring its device file before its
    /// segments, and the removal of old segments before the snapshot that replaces them.
    private func isComplete(listing: DeviceListing, taken: Int64) -> Bool {
        let published = (try? reader.deviceFile(device: listing.device))?.number
        guard let published, listing.placeholders.isEmpty, listing.numbers.firstGap == nil else {
            return false
        }
        return listing.numbers.highest >= max(taken, published)
            && listing.problems.allSatisfy { !$0.isSerious }
    }

    /// Adds the files of the other devices. Returns whether all that they hold could be read: what cannot be may hold
    /// what a tombstone of ours hides.
    private func survey(
        scan: FolderScan,
        taken: [DeviceID: Int64],
        into files: inout SortedFiles
    ) throws -> Bool {
        var isWhole =
            scan.problems.allSatisfy { !$0.isSerious }
            && taken.keys.allSatisfy { scan[$0] != nil }
        for listing in scan.devices where listing.device != device {
            if !isComplete(listing: listing, taken: taken[listing.device] ?? 0) { isWhole = false }
            for file in listing.files {
                guard case .success(let whole) = try reader.loadForMerge(listing.device, file: file) else {
                    isWhole = false
                    continue
                }
                if try files.add(whole) > 0 { isWhole = false }
            }
        }
        return isWhole
    }
}
