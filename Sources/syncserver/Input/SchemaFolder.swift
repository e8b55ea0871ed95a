import Foundation
import SyncCore
import SyncDynamic
import SyncSchema
import SyncServer

/// Loads the server's schemas from a folder.
enum SchemaFolder {
    /// The suffix of schema files.
    static let suffix = ".schema.json"

    /// Loads the entities of all schema files below a folder, parents before children. Throws like `schemas`.
    static func load(_ folder: String) throws -> [EntityDescriptor] {
        EntityDescriptor.descriptors(of: try schemas(folder))
    }

    /// Loads all schema files below a folder. Skips hidden files. Throws `SchemaFolderError` with all diagnostics if
    /// a schema has errors, `SyncError` if there is no schema.
    static func schemas(_ folder: String) throws -> [Schema] {
        let report = SchemaLoader.load(try read(folder: folder), isInUse: true)
        let errors = report.diagnostics.count { $0.severity == .error }
        guard errors == 0 else {
            throw SchemaFolderError(
                diagnostics: report.rendered(format: .text),
                error: .brokenSchemas(errors: errors)
            )
        }
        for diagnostic in report.diagnostics where diagnostic.rule == "unsupported-pattern" {
            Streams.printError(text: diagnostic.text() + "\n")
        }
        return report.schemas
    }

    private static func read(folder: String) throws -> [SchemaSource] {
        if FilePermissions.isDenied(path: folder) {
            throw SyncError.notPermitted(what: "Reading '\(folder)'")
        }
        guard let names = FileManager.default.enumerator(atPath: folder) else {
            throw SyncError.noSchemas(folder: folder)
        }
        let paths = names.compactMap { $0 as? String }
            .filter { $0.hasSuffix(suffix) && !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        guard !paths.isEmpty else { throw SyncError.noSchemas(folder: folder) }
        return try paths.map { name in
            let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
            // NB: reading a pipe without a writer would block for ever.
            let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            let type = try? FileManager.default.attributesOfItem(atPath: place)[.type] as? FileAttributeType
            guard type == .typeRegular else { throw SyncError.schemaIsNoFile(path: path) }
            guard let bytes = FileManager.default.contents(atPath: path) else {
                throw SyncError.notPermitted(what: "Reading '\(path)'")
            }
            return SchemaSource(path: path, bytes: Array(bytes))
        }
    }
}

/// Thrown for schemas with errors.
struct SchemaFolderError: Error {
    /// Lines for standard error, each with its line feed.
    var diagnostics: String
    /// The summary error.
    var error: SyncError
}
