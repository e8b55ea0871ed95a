public import Foundation
import SyncCore
import SyncRuntime

/// All records of a space as text. See `SyncCollection.export` and `SyncCollection.importRecords`.
extension SyncSpace {
    /// Writes the records of all entities as they are now into a folder, one file for each entity: `bookmark.ndjson`.
    ///
    /// The folder is made if it does not exist. Files of these names are replaced once all new ones are whole.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - includingDeleted: Whether deleted records are written, too.
    ///   - progress: Called after each thousand records and at the end. If it throws, the export is given up.
    /// - Returns: How many records were written.
    /// - Throws: `SyncError`, or the error of `progress`. Earlier files are as they were then, unless taking their
    ///   place failed.
    @discardableResult
    public func export(
        toFolder folder: URL,
        includingDeleted: Bool = false,
        progress: (RecordProgress) throws -> Void = { _ in }
    ) throws -> Int {
        let path = try folder.checkedPath
        let isNew = !FileManager.default.fileExists(atPath: path)
        if isNew {
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            } catch { throw SyncError.noExportFolder() }
        }
        do {
            let (files, count) = try write(to: path, includingDeleted: includingDeleted, progress: progress)
            for file in files { try file.publish() }
            return count
        } catch {
            // Only an empty folder is removed.
            if isNew { removeEmptyFolder(path) }
            throw error
        }
    }

    /// Takes in the files of a folder that `export(toFolder:)` has written, all or nothing, parents before children.
    ///
    /// An entity without a file stays as it is.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - progress: Called after each thousand records and at the end. If it throws, nothing was imported.
    /// - Returns: How many records were read.
    /// - Throws: `ImportError` for the first file with a line that cannot be imported; `SyncError`, also if a file is
    ///   named after no entity of this space; or the error of `progress`. Nothing was imported then.
    @discardableResult
    public func importRecords(
        fromFolder folder: URL,
        progress: (RecordProgress) throws -> Void = { _ in }
    ) throws -> Int {
        let sources = try sources(in: folder)
        var meter = ProgressMeter(totalBytes: sources.reduce(0) { $0 + ($1.source.totalBytes ?? 0) })
        try writer.write { session in
            var before: Int64 = 0
            for (entity, source) in sources {
                before += try RecordImport(entity: entity).run(source, in: session) { bytes in
                    try meter.pass(bytes: before + bytes, report: progress)
                }.bytes
            }
            try meter.finish(bytes: before, report: progress)
        }
        return meter.progress.records
    }

    /// Writes all files under their temporary names.
    private func write(
        to path: String,
        includingDeleted: Bool,
        progress: (RecordProgress) throws -> Void
    ) throws -> (files: [LineFile], count: Int) {
        try store.read { snapshot in
            let total = try entities.reduce(0) { try $0 + snapshot.counts(entity: $1).records }
            var meter = ProgressMeter(totalRecords: includingDeleted ? nil : total)
            var files: [LineFile] = []
            var bytes: Int64 = 0
            for entity in entities {
                let file = try LineFile(path: path + "/" + entity.name + Self.exportSuffix)
                try RecordExport(entity: entity, includesDeleted: includingDeleted)
                    .write(snapshot, to: file.sink, meter: &meter, bytesBefore: bytes, progress: progress)
                try file.seal()
                bytes += file.sink.bytes
                files.append(file)
            }
            try meter.finish(bytes: bytes, report: progress)
            return (files, meter.progress.records)
        }
    }

    private static let exportSuffix = ".ndjson"

    /// The files of a folder, in the order of their entities.
    private func sources(in folder: URL) throws -> [(entity: EntityDescriptor, source: FileSource)] {
        let path = try folder.checkedPath
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw SyncError.emptyExportFolder()
        }
        let found = Set(names.filter { $0.hasSuffix(Self.exportSuffix) })
        guard !found.isEmpty else { throw SyncError.emptyExportFolder() }
        let known = entities.filter { found.contains($0.name + Self.exportSuffix) }
        guard known.count == found.count else { throw SyncError.foreignExportFile() }
        return try known.map { entity in
            let url = folder.appendingPathComponent(entity.name + Self.exportSuffix)
            return (entity, try FileSource(url: url))
        }
    }
}
