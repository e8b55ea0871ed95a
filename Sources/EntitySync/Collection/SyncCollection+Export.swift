public import Foundation
import SyncCore
import SyncRuntime

/// Records as text: one JSON object on each line, as `synccheck export` and `synccheck import` have it.
///
/// All of these work on the calling thread until they are done: call them from a task that is not the main actor's.
/// They notice when their task is cancelled, and throw `CancellationError` then.
extension SyncCollection {
    /// Writes the records as they are now into a file, sorted by key, while the space is in use.
    ///
    /// Fields are in the order of the schema, and what a newer app has added comes after them. A file of that name is
    /// replaced once the new one is whole; a store or a backup is refused. The new file is written beside it first:
    /// where an app may write one file only, give a `FileHandle`. Records that this version of the app cannot read are left
    /// out, as in all lists: `rejected()` has them, and a backup.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - includingDeleted: Whether deleted records are written, too, with `"$deleted": true` and their last values.
    ///   - progress: Called after each thousand records and at the end. If it throws, the export is given up.
    /// - Returns: How many records were written.
    /// - Throws: `SyncError`, or the error of `progress`. An earlier file is as it was then.
    @discardableResult
    public func export(
        to url: URL,
        includingDeleted: Bool = false,
        progress: (RecordProgress) throws -> Void = { _ in }
    ) throws -> Int {
        let file = try LineFile(path: url.checkedPath)
        let count = try export(to: file.sink, includingDeleted: includingDeleted, progress: progress)
        try file.seal()
        try file.publish()
        return count
    }

    /// Writes the records to an open file, a pipe or a socket. What was written before an error stays there.
    @discardableResult
    public func export(
        to handle: FileHandle,
        includingDeleted: Bool = false,
        progress: (RecordProgress) throws -> Void = { _ in }
    ) throws -> Int {
        let sink = LineSink(descriptor: handle.fileDescriptor)
        return try export(to: sink, includingDeleted: includingDeleted, progress: progress)
    }

    /// Takes in the records of a file, all or nothing. They are synced as a person's edits are.
    ///
    /// A line replaces the whole record of its key and keeps the times that it gives. A line with `"$deleted": true`
    /// deletes its record. Records that the file does not have stay as they are.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - format: How it holds the records.
    ///   - progress: Called after each thousand records and at the end. If it throws, nothing was imported.
    /// - Returns: How many records were read.
    /// - Throws: `ImportError` if there is a record that does not fit, or a key for the second time; `SyncError`; or
    ///   the error of `progress`. Nothing was imported then.
    @discardableResult
    public func importRecords(
        from url: URL,
        as format: ImportFormat = .lines,
        progress: (RecordProgress) throws -> Void = { _ in }
    ) throws -> Int {
        try importRecords(from: FileSource(url: url), as: format, rejects: nil, progress: progress).imported
    }

    /// Takes in the records of an open file or a pipe, from its present position to its end.
    @discardableResult
    public func importRecords(
        from handle: FileHandle,
        as format: ImportFormat = .lines,
        progress: (RecordProgress) throws -> Void = { _ in }
    ) throws -> Int {
        try importRecords(from: FileSource(handle: handle), as: format, rejects: nil, progress: progress)
            .imported
    }

    /// Takes in the records of a file that fit, in one transaction, and writes the others into a file of rejects.
    ///
    /// That file has the format of the imported one. It holds each refused record unchanged, with its line and the
    /// reason before it: in JSON as the member `"$rejected"`, in CSV as the first column. It can be mended and imported
    /// again; both are left out then. It gets its name once the records are in the store. It may be the imported file,
    /// which it replaces then; any other file that is not empty is an error.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - format: How it holds the records.
    ///   - rejects: The file for what is refused.
    ///   - progress: Called after each thousand records and at the end. If it throws, nothing was imported.
    /// - Returns: How many records were imported, and how many are in the file of rejects.
    /// - Throws: `SyncError` if the file as a whole cannot be read, such as for an array without an end, or a column
    ///   that is no field; or the error of `progress`. Nothing was imported then. Only if the file of rejects cannot get
    ///   its name, the records are imported: the error says where the others are.
    @discardableResult
    public func importRecords(
        from url: URL,
        as format: ImportFormat = .lines,
        rejects: URL,
        progress: (RecordProgress) throws -> Void = { _ in }
    ) throws -> (imported: Int, rejected: Int) {
        let source = try FileSource(url: url)
        let file = try RejectFile(path: rejects.checkedPath, format: format, source: source.descriptor)
        return try importRecords(from: source, as: format, rejects: file, progress: progress)
    }

    private func export(
        to sink: LineSink,
        includingDeleted: Bool,
        progress: (RecordProgress) throws -> Void
    ) throws -> Int {
        try store.read { snapshot in
            let total = includingDeleted ? nil : try snapshot.counts(entity: descriptor).records
            var meter = ProgressMeter(totalRecords: total)
            let export = RecordExport(entity: descriptor, includesDeleted: includingDeleted)
            try export.write(snapshot, to: sink, meter: &meter, progress: progress)
            try sink.flush()
            try meter.finish(bytes: sink.bytes, report: progress)
            return meter.progress.records
        }
    }

    private func importRecords(
        from source: FileSource,
        as format: ImportFormat,
        rejects: RejectFile?,
        progress: (RecordProgress) throws -> Void
    ) throws -> (imported: Int, rejected: Int) {
        var meter = ProgressMeter(totalBytes: source.totalBytes)
        // The file of rejects may take the place of the source, so the records are on disk before.
        let refused = try writer.write(durability: rejects == nil ? nil : .full) { session in
            let (bytes, refused) = try RecordImport(entity: descriptor)
                .run(source, as: format, rejects: rejects, in: session) { bytes in
                    try meter.pass(bytes: bytes, report: progress)
                }
            try meter.finish(bytes: bytes, report: progress)
            return refused
        }
        try rejects?.publish()
        return (meter.progress.records - refused, refused)
    }
}

/// The same on a thread of the space, for code that may wait. `progress` is called there. Once their task is cancelled they
/// throw `CancellationError` at the next thousand records.
extension SyncCollection {
    /// Writes the records into a file. See the one that blocks.
    @discardableResult
    public func export(
        to url: URL,
        includingDeleted: Bool = false,
        progress: @escaping @Sendable (RecordProgress) throws -> Void = { _ in }
    ) async throws -> Int {
        let collection = self
        return try await Self.untilCancelled(progress) { progress in
            try await store.calls.read {
                try collection.export(to: url, includingDeleted: includingDeleted, progress: progress)
            }
        }
    }

    /// Takes in the records of a file, all or nothing. See the one that blocks.
    @discardableResult
    public func importRecords(
        from url: URL,
        as format: ImportFormat = .lines,
        progress: @escaping @Sendable (RecordProgress) throws -> Void = { _ in }
    ) async throws -> Int {
        let collection = self
        return try await Self.untilCancelled(progress) { progress in
            try await store.calls.write {
                try collection.importRecords(from: url, as: format, progress: progress)
            }
        }
    }

    /// Takes in the records of a file that fit, and writes the others into a file of rejects. See the one that blocks.
    @discardableResult
    public func importRecords(
        from url: URL,
        as format: ImportFormat = .lines,
        rejects: URL,
        progress: @escaping @Sendable (RecordProgress) throws -> Void = { _ in }
    ) async throws -> (imported: Int, rejected: Int) {
        let collection = self
        return try await Self.untilCancelled(progress) { progress in
            try await store.calls.write {
                try collection.importRecords(from: url, as: format, rejects: rejects, progress: progress)
            }
        }
    }

    /// Work on another thread, which learns by its progress that the task is cancelled.
    private static func untilCancelled<Result: Sendable>(
        _ progress: @escaping @Sendable (RecordProgress) throws -> Void,
        body: (@escaping @Sendable (RecordProgress) throws -> Void) async throws -> Result
    ) async throws -> Result {
        let isCancelled = Guarded(false)
        return try await withTaskCancellationHandler {
            try await body { done in
                if isCancelled.use({ $0 }) { throw CancellationError() }
                try progress(done)
            }
        } onCancel: {
            isCancelled.use { $0 = true }
        }
    }
}

extension RecordExport {
    /// Writes all lines and counts them.
    func write(
        _ snapshot: any StoreSnapshot,
        to sink: LineSink,
        meter: inout ProgressMeter,
        bytesBefore: Int64 = 0,
        progress: (RecordProgress) throws -> Void
    ) throws {
        try forEachLine(in: snapshot) { line in
            try sink.append(line)
            try meter.pass(bytes: bytesBefore + sink.bytes, report: progress)
        }
    }
}
