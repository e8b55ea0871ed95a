import SyncCore
import SyncWire

/// Drops own entries that the folder no longer needs: those that another device's entry supersedes, and tombstones
/// that every device has taken and that hide nothing any more.
///
/// It reads all files, so it runs only when the folder has doubled since its last run: each byte is read a constant
/// number of times.
struct TombstoneCollector {
    let reader: FolderReader
    let device: DeviceID

    /// Returns the size of the folder after a run; nil if there was no need to run.
    func run(own: DeviceListing, file: DeviceFile) async throws -> Int64? {
        guard let scan = try await reader.scan() else { return nil }
        let bytes = Self.size(scan: scan)
        guard bytes >= 2 * file.collected + reader.limits.collectBytes else { return nil }
        guard let last = own.files.last, own.numbers.firstGap == nil else { return nil }
        do {
            var mine = SortedFiles(reader)
            guard try await mine.add(own.files, of: own) == own.files.count else { return nil }
            var all = mine
            let members = try await reader.deviceFiles(scan: scan)
            let isComplete = try await survey(
                scan: scan,
                members: members,
                taken: file.taken,
                into: &all
            )
            let taken = takenByAll(scan: scan, members: members)
            var dropped: Int64 = 0
            var relied: [DeviceID: Int64] = [:]
            let compaction = Compaction(reader: reader, device: device, files: all, unknownLines: mine)
            try await compaction.replace(
                own.files,
                by: 1...last.range.upperBound,
                collected: { dropped },
                relied: { relied },
                keeping: { versions in
                    let kept = kept(versions: versions, isComplete: isComplete, taken: taken) { other in
                        guard relied[other] != nil || relied.count < Self.maxRelied else { return false }
                        relied[other] = scan[other]?.numbers.highest ?? 0
                        return true
                    }
                    if kept.isEmpty, versions.allSatisfy({ $0.device == device && $0.header.isDeleted }) {
                        dropped = versions.reduce(dropped) { max($0, $1.file.range.upperBound) }
                    }
                    return kept
                }
            )
        } catch is SortedFiles.SortError {
            // Nothing was written. The files stay unchanged.
            return nil
        }
        return try await size()
    }

    /// On so many devices a snapshot relies at most, as its header names them.
    private static let maxRelied = 100

    /// Own versions of a record that are still needed, given all versions in the folder. `relies` is asked whether another
    /// device's version may stand for one.
    private func kept(
        versions: [SegmentEntry],
        isComplete: Bool,
        taken: Int64,
        relies: (DeviceID) -> Bool
    ) -> [SegmentEntry] {
        let own = versions.filter { $0.device == device }
        guard !own.isEmpty else { return [] }
        let others = own.count == versions.count ? [] : versions.filter { $0.device != device }
        return Compaction.heads(versions: own).filter { version in
            if others.contains(where: { stands(other: $0, for: version) && relies($0.device) }) {
                return false
            }
            guard version.header.isDeleted, version.header.mergedInto == nil else { return true }
            // The tombstone's own number is at most the highest number of its file.
            let isTaken = version.file.range.upperBound <= taken
            return !(isComplete && others.isEmpty && isTaken && own.count == 1)
        }
    }

    /// Whether another device's version makes ours unnecessary. Of two equal ones the smaller device keeps its own;
    /// otherwise both could be dropped.
    private func stands(other: SegmentEntry, for ours: SegmentEntry) -> Bool {
        guard other.metadata.vector == ours.metadata.vector else {
            return other.metadata.vector.covers(ours.metadata.vector)
        }
        return other.device < device && other.header.isSameVersion(as: ours.header)
            && other.change.body == ours.change.body
    }

    /// The number up to which every device that is not retired has taken our entries.
    private func takenByAll(scan: FolderScan, members: [DeviceID: DeviceFile]) -> Int64 {
        let retired = Set(members.values.flatMap(\.retired))
        var taken = Int64.max
        for other in scan.devices where other.device != device && !retired.contains(other.device) {
            taken = min(taken, members[other.device]?.taken[device] ?? 0)
        }
        return taken
    }

    /// The bytes of all segments and snapshots in the folder.
    func size() async throws -> Int64 { try await reader.scan().map { Self.size(scan: $0) } ?? 0 }

    private static func size(scan: FolderScan) -> Int64 {
        scan.devices.reduce(0) { $0 + Int64($1.bytes) }
    }

    /// Whether everything that a device has published is here. A file-syncing service may deliver its device file
    /// before its segments, and the removal of old segments before their snapshot.
    private func isComplete(listing: DeviceListing, published: Int64?, taken: Int64) -> Bool {
        guard let published, listing.placeholders.isEmpty, listing.numbers.firstGap == nil else {
            return false
        }
        return listing.numbers.highest >= max(taken, published)
            && listing.diagnostics.allSatisfy { !$0.isSerious }
    }

    /// Adds the files of other devices. Returns whether everything in them could be read: unreadable entries may be
    /// ones that our tombstones hide.
    private func survey(
        scan: FolderScan,
        members: [DeviceID: DeviceFile],
        taken: [DeviceID: Int64],
        into files: inout SortedFiles
    ) async throws -> Bool {
        var isWhole =
            scan.diagnostics.allSatisfy { !$0.isSerious }
            && taken.keys.allSatisfy { scan[$0] != nil }
        for listing in scan.devices where listing.device != device {
            let isComplete = isComplete(
                listing: listing,
                published: members[listing.device]?.number,
                taken: taken[listing.device] ?? 0
            )
            if !isComplete { isWhole = false }
            if try await !files.addAll(of: listing) { isWhole = false }
        }
        return isWhole
    }
}
