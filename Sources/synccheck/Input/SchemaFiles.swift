import EntitySync
import Foundation
import SyncSchema

/// Finds and reads schema files.
enum SchemaFiles {
    /// The suffix of schema files.
    static let suffix = ".schema.json"
    /// The most bytes of a file.
    static let maxBytes = 256 << 20

    /// Reads the schema files at the paths: files as given, folders recursively. Skips hidden folders and
    /// links to folders. Throws `SyncError` if a path does not exist or has no schema.
    static func read(paths: [String]) throws -> [SchemaSource] {
        let files = try paths.flatMap { try find($0) }
        guard !files.isEmpty else { throw SyncError.emptySchemaFolder(paths) }
        return try files.map { path in
            SchemaSource(
                path: path,
                bytes: try ByteSource(path: path, isFile: true).readAll(maxBytes: maxBytes)
            )
        }
    }

    private static func find(_ path: String) throws -> [String] {
        guard !path.isEmpty else { throw SyncError.emptyPath() }
        return switch try PathKind(path) {
        case .nothing: throw SyncError.noSchemas(at: path)
        case .folder: try inside(folder: path)
        case .file: [path]
        }
    }

    private static func inside(folder: String) throws -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw SyncError.cannotRead(path: folder, number: SyncError.posixCode(error: error) ?? EIO)
        }
        let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return try sorted.flatMap { name -> [String] in
            if name.hasPrefix(".") { return [] }
            let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
            switch try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType {
            // What is named as a schema is read as one, so that a link to nothing or a folder is an error of its own.
            case _ where name.hasSuffix(suffix): return [path]
            // NB: a link to a folder may form a cycle.
            case .typeDirectory?: return try inside(folder: path)
            default: return []
            }
        }
    }
}
