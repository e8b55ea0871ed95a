import EntitySync
import Foundation

/// The folder that the demo creates and leaves in place.
struct DemoFolder {
    /// Its absolute path.
    let path: String

    /// Creates the folder with the schemas. Throws if the path exists already.
    init(given: String?, material: DemoMaterial) throws {
        let files = FileManager.default
        if let given {
            path = given.hasPrefix("/") ? given : files.currentDirectoryPath + "/" + given
            let standing = (try? files.contentsOfDirectory(atPath: path)) ?? []
            guard standing.isEmpty else { throw SyncError.folderInUse(path: given) }
        } else {
            let name = "entitysync-demo-" + SystemRandom().uuid().prefix(8)
            path = files.temporaryDirectory.appendingPathComponent(name).path(percentEncoded: false)
        }
        do {
            try files.createDirectory(atPath: path + "/Schemas", withIntermediateDirectories: true)
            for schema in material.schemas {
                let file = URL(fileURLWithPath: path + "/Schemas/" + schema.name + SchemaFiles.suffix)
                try Data(schema.text.utf8).write(to: file)
            }
        } catch {
            throw SyncError.cannotWrite(path: path, error: error)
        }
    }

    /// Makes a device with its own store that syncs with the shared folder.
    func device(name: String) throws -> DemoDevice {
        let workspace = try Workspace(
            schemaPaths: [path + "/Schemas"],
            storePath: path + "/" + name + "/store.sqlite"
        )
        return try DemoDevice(name: name, workspace: workspace, shared: path + "/shared")
    }
}
