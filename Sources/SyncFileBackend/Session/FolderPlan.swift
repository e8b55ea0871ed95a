import SyncCore
import SyncWire

/// What a sync does in addition to reading new files: whether it reads and compares the folder's full state, and why.
struct FolderPlan: Sendable {
    /// What absence means if the full state is read in this sync; nil if only new files are read.
    var comparing: RemotePage.Absence?
    /// The same for a later sync, because files that others have published are still on their way.
    var waitsToCompare: RemotePage.Absence?
    /// Numbers that this store has taken or written and whose files are gone, by device.
    var missing: [DeviceID: NumberSet] = [:]
    /// Devices that have been retired.
    var retired: Set<DeviceID>

    init(
        request: SessionRequest,
        scan: FolderScan,
        members: [DeviceID: DeviceFile],
        own: OwnSegments,
        reader: FolderReader
    ) async throws {
        retired = Set(members.values.flatMap(\.retired))
        if own.renewal != nil { return }
        let before = own.before
        missing = Self.missing(scan: scan, cursor: before)
        let isFirst = request.cursor.flatMap { FolderCursor($0) }?.device != request.device
        var wanted = before.comparing ?? (isFirst ? request.comparing : nil)
        if wanted == nil, try await Self.hasMissedTombstones(scan: scan, cursor: before, reader: reader) {
            wanted = .deleted
        }
        if replacesLosses(cursor: before, isAtOnce: request.replacesLosses) { wanted = .lost }
        if try await Self.hasOtherContents(scan: scan, cursor: before, reader: reader) { wanted = .lost }
        guard wanted == .deleted else {
            comparing = wanted
            return
        }
        if try await isComplete(scan: scan, members: members, reader: reader) {
            comparing = wanted
        } else {
            waitsToCompare = wanted
        }
    }

    /// Losses whose versions this store has not published again.
    func unreplaced(device: DeviceID, cursor: FolderCursor) -> NumberSet {
        (missing[device] ?? NumberSet()).subtracting(other: cursor.replaced[device] ?? NumberSet())
    }

    /// Whether versions that the folder has lost are published again now. A file that is missing for the first time
    /// may be on its way: a file-syncing service can deliver the removal of segments before their snapshot.
    private func replacesLosses(cursor: FolderCursor, isAtOnce: Bool) -> Bool {
        return missing.keys.contains { device in
            let lost = unreplaced(device: device, cursor: cursor)
            let isOld = lost.subtracting(other: cursor.missing[device] ?? NumberSet()) != lost
            return !lost.isEmpty && (isAtOnce || isOld)
        }
    }

    /// Whether a taken number now has a different content, and the taken one is gone: a store was restored and
    /// published the number again.
    private static func hasOtherContents(
        scan: FolderScan,
        cursor: FolderCursor,
        reader: FolderReader
    ) async throws -> Bool {
        for listing in scan.devices {
            guard listing.device != cursor.device, let notes = cursor.tags[listing.device] else { continue }
            if try await hasOtherContents(listing: listing, notes: notes, reader: reader) { return true }
        }
        return false
    }

    private static func hasOtherContents(
        listing: DeviceListing,
        notes: TagNotes,
        reader: FolderReader
    ) async throws -> Bool {
        func isKnown(file: NumberedFile) -> Bool {
            file.notedTag.flatMap { tag in notes[file.range.upperBound]?.contains(tag) } ?? false
        }
        func history(file: NumberedFile) async throws -> TagNotes {
            guard file.isSnapshot else { return TagNotes(of: file) }
            return try await reader.header(device: listing.device, file: file)?.files.flatMap { TagNotes($0) }
                ?? TagNotes()
        }
        func isKnown(number: Int64, alongside file: NumberedFile) async throws -> Bool {
            for other in listing.files where other != file && other.range.contains(number) {
                if isKnown(file: other) { return true }
                if try await history(file: other).sharesTag(of: number, with: notes) { return true }
            }
            return false
        }
        for file in listing.files {
            guard file.tag != nil, notes[file.range.upperBound] != nil, !isKnown(file: file),
                let number = try await history(file: file).firstDifference(from: notes)
            else { continue }
            if try await !isKnown(number: number, alongside: file) { return true }
        }
        return false
    }

    private static func missing(
        scan: FolderScan,
        cursor: FolderCursor
    ) -> [DeviceID: NumberSet] {
        let skipped = Set(scan.diagnostics.map(\.place))
        var missing: [DeviceID: NumberSet] = [:]
        var known = cursor.taken
        known[cursor.device] = NumberSet(contiguous: cursor.own)
        for (device, numbers) in known where !skipped.contains(FolderLayout.place(device: device)) {
            let lost = numbers.subtracting(other: scan[device]?.numbers ?? NumberSet())
            if !lost.isEmpty { missing[device] = lost }
        }
        return missing
    }

    /// Whether a device has dropped tombstones that this store has not taken.
    private static func hasMissedTombstones(
        scan: FolderScan,
        cursor: FolderCursor,
        reader: FolderReader
    ) async throws -> Bool {
        // A store that has taken nothing yet has nothing that could have been deleted.
        guard !cursor.taken.isEmpty || cursor.own > 0 else {
            return false
        }
        let snapshots = scan.devices.flatMap { listing in
            let taken = cursor.taken[listing.device] ?? NumberSet()
            return listing.device == cursor.device
                ? []
                : listing.files.filter { $0.isSnapshot && !taken.contains($0.range) }
                    .map { (device: listing.device, file: $0, taken: taken.contiguous) }
        }
        return try await reader.storage.concurrentMap(snapshots) { snapshot in
            let header = try await reader.header(device: snapshot.device, file: snapshot.file)
            return header?.collected ?? 0 > snapshot.taken
        }
        .contains(true)
    }

    /// Whether everything is here that the device files name, and on which the snapshots rely, so that missing records were
    /// deleted. Retired devices and former incarnations are not waited for.
    private func isComplete(
        scan: FolderScan,
        members: [DeviceID: DeviceFile],
        reader: FolderReader
    ) async throws -> Bool {
        let left = retired.union(members.values.flatMap(\.former))
        guard scan.diagnostics.allSatisfy({ !$0.isSerious }) else { return false }
        for listing in scan.devices where !left.contains(listing.device) {
            guard listing.placeholders.isEmpty, listing.numbers.firstGap == nil,
                listing.diagnostics.allSatisfy({ !$0.isSerious }),
                listing.numbers.highest >= members[listing.device]?.number ?? 0
            else { return false }
        }
        for (member, file) in members where !left.contains(member) {
            for (device, number) in file.taken where !left.contains(device) {
                guard scan[device]?.numbers.highest ?? 0 >= number else { return false }
            }
        }
        // A file-syncing service may deliver a snapshot before the files that stand for what it leaves out.
        let snapshots = scan.devices.flatMap { listing in
            listing.files.filter(\.isSnapshot).map { (device: listing.device, file: $0) }
        }
        return try await reader.storage.concurrentMap(snapshots) { snapshot in
            try await reader.header(device: snapshot.device, file: snapshot.file)?.relied ?? [:]
        }
        .joined().allSatisfy { device, number in
            left.contains(device) || scan[device]?.numbers.highest ?? 0 >= number
        }
    }
}
