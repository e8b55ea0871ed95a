import SyncCore
import SyncWire

/// Writes one snapshot that replaces several own files and keeps their needed entries.
struct Compaction {
    let reader: FolderReader
    let device: DeviceID
    /// The files, possibly with those of other devices.
    let files: SortedFiles
    /// Own files whose unknown lines are copied unchanged.
    let unknownLines: SortedFiles

    /// Selects the versions of a record in own files that are kept.
    typealias Keeper = ([SegmentEntry]) throws -> [SegmentEntry]

    /// Writes the snapshot, then removes the files that it replaces. A crash in between leaves both. That is
    /// harmless: readers prefer the snapshot, and the next run removes the rest.
    ///
    /// NB: the files are walked twice, because the first line of a segment states the number of entries. So no
    /// entries are held in memory.
    ///
    /// - Parameters:
    ///   - collected: The number up to which tombstones were dropped. Called after all records were visited.
    ///   - relied: The devices whose entries stand for dropped ones, with the numbers that are there. Called then, too.
    func replace(
        _ old: [NumberedFile],
        by range: ClosedRange<Int64>,
        collected: () -> Int64 = { 0 },
        relied: () -> [DeviceID: Int64] = { [:] },
        keeping keeper: Keeper
    ) async throws {
        // Files never change: a snapshot of this range stays as it is.
        guard !old.contains(where: { $0.isSnapshot && $0.range == range }) else { return }
        var entries = 0
        var bytes = 0
        // The tag depends on the content, and the name is needed before writing.
        var digest = RunningDigest()
        func count(_ line: ArraySlice<UInt8>) {
            entries += 1
            bytes += line.count + 1
            line.withUnsafeBytes { digest.append($0) }
            digest.append(number: line.count)
        }
        try await files.forEachRecord { versions in
            for version in try keeper(versions) { count(version.line) }
        }
        try await unknownLines.forEachUnknownLine { count($0) }
        guard bytes + Self.frameBytes <= reader.limits.maxFileBytes else { return }
        var header = SegmentHeader(device: device, range: range, kind: .snapshot, entries: entries)
        header.collected = max(collected(), unknownLines.headers.map(\.header.collected).max() ?? 0)
        for former in unknownLines.headers {
            header.relied.merge(former.header.relied, uniquingKeysWith: max)
        }
        header.relied.merge(relied(), uniquingKeysWith: max)
        let notes = unknownLines.headers.reduce(into: TagNotes()) { notes, file in
            notes.formUnion(TagNotes(of: file.file, header: file.header, withSnapshots: false))
        }
        header.files = notes.isEmpty ? nil : notes.text
        digest.append(number: Int(header.collected))
        Array(header.reliedText.utf8).withUnsafeBytes { digest.append($0) }
        Array(notes.text.utf8).withUnsafeBytes { digest.append($0) }
        header.tag = NumberedFile.tag(of: digest.digest)
        let snapshot = NumberedFile(snapshot: range, tag: header.tag)
        let key = FolderLayout.key(device: device, file: snapshot)
        try await reader.storage.put(key, ifAbsent: true) { object in
            try await write(header, to: object, keeping: keeper)
        }
        try await reader.delete(old.map { FolderLayout.key(device: device, file: $0) })
    }

    /// An upper bound for header and footer.
    private static let frameBytes = 16 << 10

    private func write(
        _ header: SegmentHeader,
        to object: ObjectWriter,
        keeping keeper: Keeper
    ) async throws {
        var writer = SegmentWriter(header)
        var entries = 0
        func append(_ line: ArraySlice<UInt8>) async throws {
            writer.append(line: line)
            entries += 1
            if writer.waitingBytes >= reader.limits.mergePieceBytes {
                try await object.write(writer.takePiece())
            }
        }
        try await files.forEachRecord { versions in
            for version in try keeper(versions) { try await append(version.line) }
        }
        try await unknownLines.forEachUnknownLine { try await append($0) }
        guard entries == header.entries else { throw SortedFiles.SortError.changed }
        try await object.write(writer.finish().bytes)
    }

    /// The heads of one record: versions that no other one has seen, in the given order.
    static func heads(versions: [SegmentEntry]) -> [SegmentEntry] {
        guard versions.count > 1 else { return versions }
        var kept: [Int] = []
        // From the greatest edit timestamp down: it is nearly always the only head, so there are few comparisons.
        for index in versions.indices.reversed() {
            if kept.contains(where: { versions[$0].supersedes(versions[index]) }) { continue }
            kept.removeAll { versions[index].supersedes(versions[$0]) }
            kept.append(index)
        }
        return kept.reversed().map { versions[$0] }
    }
}

extension RunningDigest {
    fileprivate mutating func append(number: Int) {
        withUnsafeBytes(of: UInt64(number).littleEndian) { append($0) }
    }
}
