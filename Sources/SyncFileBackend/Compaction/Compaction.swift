import SyncCore
import SyncWire

/// Writes one snapshot in place of several own files, with what of their entries is to be kept.
struct Compaction {
    let reader: FolderReader
    let device: DeviceID
    /// The files, and where the device has read them those of others.
    let files: SortedFiles
    /// Lines of own files that are no entries, which stay as they are.
    let unknownLines: SortedFiles

    /// Those of a record's versions in own files that are to be kept.
    typealias Keeper = ([SegmentEntry]) throws -> [SegmentEntry]

    /// Writes the snapshot, then removes the files that it stands for. A crash between leaves both, which is
    /// harmless: the snapshot is preferred by readers, and the rest is removed next time.
    ///
    /// NB: the files are walked twice, as the first line of a segment says how many follow; so none of it is held.
    ///
    /// - Parameter collected: The number up to which tombstones were dropped, asked for once all records were visited.
    func replace(
        _ old: [NumberedFile],
        by range: ClosedRange<Int64>,
        collected: () -> Int64 = { 0 },
        keeping keeper: Keeper
    ) async throws {
        // Files never change: one of this very range stays as it is.
        guard !old.contains(where: { $0.isSnapshot && $0.range == range }) else { return }
        var entries = 0
        var bytes = 0
        // The tag follows from what is written, and the name is needed before.
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
        let notes = unknownLines.headers.reduce(into: TagNotes()) { notes, file in
            notes.formUnion(TagNotes(of: file.file, header: file.header, withSnapshots: false))
        }
        header.files = notes.isEmpty ? nil : notes.text
        digest.append(number: Int(header.collected))
        Array(notes.text.utf8).withUnsafeBytes { digest.append($0) }
        if !Mutation.disables(.contentsByName) { header.tag = NumberedFile.tag(of: digest.digest) }
        let snapshot = NumberedFile(snapshot: range, tag: header.tag)
        let key = FolderLayout.key(device: device, file: snapshot)
        try await reader.storage.put(key, ifAbsent: true) { object in
            try await write(header, to: object, keeping: keeper)
        }
        try await reader.delete(old.map { FolderLayout.key(device: device, file: $0) })
    }

    /// More than header and footer take.
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

    /// The versions of one record of which no other has seen more, in the order given.
    static func heads(versions: [SegmentEntry]) -> [SegmentEntry] {
        guard versions.count > 1 else { return versions }
        var kept: [Int] = []
        // From the greatest mark down: it is nearly always the only head, so each version meets few others.
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
