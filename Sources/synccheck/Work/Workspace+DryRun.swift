import EntitySync
import Foundation

extension Workspace {
    /// The same schemas with a new store in a temporary folder, for a dry run before the first sync.
    var inTemporaryFolder: Workspace {
        let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        let name = "synccheck-\(random.uuid())"
        return Workspace(
            entities: entities,
            warnings: warnings,
            storePath: (folder as NSString).appendingPathComponent(name + "/store.sqlite"),
            clock: clock,
            random: random
        )
    }

    /// Removes the temporary folder of a dry run.
    func removeStoreFolder() {
        try? FileManager.default.removeItem(atPath: (storePath as NSString).deletingLastPathComponent)
    }
}
