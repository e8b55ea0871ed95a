import SyncCore
import SyncWire

/// Checks whether a store must take a new identity: another store has published under its identity, it comes from a
/// backup, the folder has lost its files, or it was retired.
struct IdentityCheck {
    let request: SessionRequest
    /// The store's cursor, if it is of this identity.
    let mine: FolderCursor?
    /// The unanswered push, which is the store's own.
    let pushed: SegmentFile?
    /// Whether the store has lost its cursor.
    let isLost: Bool
    let scan: FolderScan
    let members: [DeviceID: DeviceFile]
    let reader: FolderReader
    /// Own snapshots that contain, by their headers, what this store wrote.
    private(set) var ownSnapshots: [NumberedFile] = []

    init(
        request: SessionRequest,
        mine: FolderCursor?,
        pushed: SegmentFile?,
        isLost: Bool,
        scan: FolderScan,
        members: [DeviceID: DeviceFile],
        reader: FolderReader
    ) {
        (self.request, self.mine, self.pushed, self.isLost) = (request, mine, pushed, isLost)
        (self.scan, self.members, self.reader) = (scan, members, reader)
    }

    private var device: DeviceID { request.device }
    private var listing: DeviceListing { scan[device] ?? DeviceListing(device: device) }
    private var notes: TagNotes { mine?.tags[device] ?? TagNotes() }
    private var own: Int64 { max(mine?.own ?? 0, pushed?.file.range.upperBound ?? 0) }

    /// How the store must take a new incarnation; nil if it need not.
    mutating func renewal() async throws -> IncarnationRenewal? {
        if !isLost, mine?.readsOwn != true, let renewal = try await copied() {
            return renewal
        }
        if members.contains(where: { $0.key != device && $0.value.retired.contains(device) }) {
            return IncarnationRenewal(
                comparing: request.rejoin ? nil : .deleted,
                notice: .retired(place: FolderLayout.place(device: device))
            )
        }
        guard request.rejoin, request.binding != nil else { return nil }
        let isBehind = listing.numbers.highest < max(own, known)
        return isBehind || listing.files.isEmpty ? IncarnationRenewal() : nil
    }

    /// The highest number of this identity that another device has taken, even if it is lost now.
    private var known: Int64 {
        members.reduce(0) { highest, member in
            guard member.key != device else { return highest }
            return max(highest, member.value.taken[device] ?? 0, member.value.lost[device] ?? 0)
        }
    }

    /// The renewal of a store if something under its identity was not written by it.
    private mutating func copied() async throws -> IncarnationRenewal? {
        let foreign = try await foreignFiles()
        guard !foreign.isEmpty || isForetold else { return nil }
        // A store from a backup may have missed tombstones that were dropped since, because others thought that it
        // had them.
        let absence: RemotePage.Absence? =
            request.rejoin ? nil : mine.map { hasLosses(since: $0) ? .lost : .deleted }
        return IncarnationRenewal(
            firstDoubtful: try await firstDoubtful(foreign: foreign),
            comparing: absence
        )
    }

    /// Own files that this store did not write.
    private mutating func foreignFiles() async throws -> [NumberedFile] {
        var foreign: [NumberedFile] = []
        for file in listing.files where file != pushed?.file {
            if file.range.upperBound > own {
                foreign.append(file)
                continue
            }
            guard let tag = file.notedTag,
                let noted = notes[file.range.upperBound],
                !noted.contains(tag)
            else { continue }
            guard file.isSnapshot else {
                foreign.append(file)
                continue
            }
            guard
                let files = try await reader.header(device: device, file: file)?.files
                    .flatMap({ TagNotes($0) })
            else {
                continue
            }
            if files.firstDifference(from: notes) == nil {
                ownSnapshots.append(file)
            } else {
                foreign.append(file)
            }
        }
        return foreign
    }

    /// Whether device files name something under this identity that the store does not know.
    private var isForetold: Bool {
        if let file = members[device] {
            if file.number > own { return true }
            if file.number == mine?.own, let digest = file.digest, let own = mine?.ownDigest, digest != own {
                return true
            }
            let isAhead = file.taken.contains { other, number in
                number > mine?.taken[other]?.contiguous ?? 0
                    && scan[other].map { $0.numbers.highest >= number } ?? false
            }
            if isAhead { return true }
        }
        if !seen.isEmpty { return true }
        return known > own
    }

    /// Tags that other devices have read under this identity, if they differ from the store's.
    private var seen: [TagNotes] {
        members.compactMap { $0.key == device ? nil : $0.value.seen[device] }
            .filter { notes.firstUnknown(in: $0) != nil }
    }

    /// The lowest sequence that others may know with different content; nil if everything published is the same.
    private func firstDoubtful(foreign: [NumberedFile]) async throws -> Int64? {
        // If nothing was published here, nothing is in doubt.
        guard own > 0, !isOnlyReadAhead || !foreign.isEmpty || !seen.isEmpty else { return nil }
        var histories: [TagNotes] = []
        var lowest: Int64?
        for file in foreign {
            guard case .success(let whole) = try await reader.load(file, of: listing) else { return 1 }
            histories.append(TagNotes(of: file, header: whole.header))
            lowest = Self.lesser(lhs: lowest, other: try await reader.sequences(of: device, in: whole).lowest)
        }
        if let file = members[device], file.number > own || (foreign.isEmpty && seen.isEmpty) {
            histories.append(file.tags)
        }
        let forks = histories.map { fork(history: $0) } + seen.map { notes.firstUnknown(in: $0) }
        guard let fork = forks.compactMap({ $0 }).min(), !forks.contains(nil) else { return 1 }
        // Everything that this store published came before. Only later edits are in doubt, and those were never
        // published.
        if fork > own { return nil }
        for file in listing.files where file.range.upperBound >= fork && !foreign.contains(file) {
            guard case .success(let whole) = try await reader.load(file, of: listing) else { return 1 }
            lowest = Self.lesser(lhs: lowest, other: try await reader.sequences(of: device, in: whole).lowest)
        }
        return lowest ?? 1
    }

    /// The lowest number at which another history of this identity may differ from this store's; nil if unknown.
    private func fork(history: TagNotes) -> Int64? {
        let difference = history.firstDifference(from: notes)
        guard
            let common = history.numbers.last(where: { number in
                !Set(notes[number] ?? []).isDisjoint(with: history[number] ?? [])
            })
        else { return difference == 1 ? 1 : nil }
        return difference ?? common + 1
    }

    private static func lesser(lhs: Int64?, other: Int64?) -> Int64? {
        [lhs, other].compactMap { $0 }.min()
    }

    /// Whether the only evidence of another store is that more was taken under this identity than this store knows.
    private var isOnlyReadAhead: Bool {
        guard let file = members[device] else { return known <= own }
        return file.number <= own && known <= own
            && (file.number < own || file.digest == nil || file.digest == mine?.ownDigest)
    }

    /// Whether files are gone from which something was taken.
    private func hasLosses(since cursor: FolderCursor) -> Bool {
        cursor.taken.contains { device, numbers in
            !numbers.subtracting(other: scan[device]?.numbers ?? NumberSet()).isEmpty
        }
    }
}
