import EntitySync
import Foundation
import SyncSchema

/// The schemas of a release: a folder, or the file that `diff --write-baseline` wrote.
extension SchemaFiles {
    /// The checked schemas at a path.
    static func release(path: String) throws -> [Schema] {
        try PathKind(path) == .folder ? try schemas(folder: path) : try schemas(baseline: path)
    }

    /// The checked schemas of a folder. A wrong path is reported in the terms of a comparison.
    static func schemas(folder: String) throws -> [Schema] {
        try sound(report: SchemaLoader.load(try sources(folder: folder), isInUse: true))
    }

    /// The schema files of a folder. A wrong path is reported in the terms of a comparison.
    static func sources(folder: String) throws -> [SchemaSource] {
        do { return try read(paths: [folder]) } catch var error as SyncError {
            if error.kind == .invalidInput { error.help = SyncError.comparedFoldersHelp }
            throw error
        }
    }

    /// The checked schemas of a baseline file.
    static func schemas(baseline path: String) throws -> [Schema] {
        let bytes: [UInt8]
        do { bytes = try ByteSource(path: path).readAll(maxBytes: maxBytes) } catch var error as SyncError {
            if error.kind == .invalidInput { error.help = SyncError.baselineHelp }
            throw error
        }
        let report = SchemaBaseline.read(SchemaSource(path: path, bytes: bytes))
        guard !report.diagnostics.contains(where: { $0.severity == .error }) else {
            throw InputError(details: report.rendered(format: .text), error: .brokenBaseline(path: path))
        }
        return report.schemas
    }

    /// The schemas of a report without errors.
    static func sound(report: SchemaReport) throws -> [Schema] {
        let errors = report.diagnostics.count { $0.severity == .error }
        guard errors == 0 else {
            throw InputError(details: report.rendered(format: .text), error: .brokenSchemas(errors: errors))
        }
        return report.schemas
    }
}
