import EntitySync
import Foundation

extension Workspace {
    /// The same schemas with a store of its own in a new temporary folder: what a dry run before the first sync works on.
    var besideNothing: Workspace {
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

    /// Removes the folder that `besideNothing` made, if it was made.
    func removeStoreFolder() {
        try? FileManager.default.removeItem(atPath: (storePath as NSString).deletingLastPathComponent)
    }
}
