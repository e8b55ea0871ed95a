import EntitySync
import SyncCore
import SyncStore

extension Workspace {
    /// Compares full-text indexes with the records, and makes those anew that differ. Returns their entities.
    func mendSearch() throws -> [EntityDescriptor] {
        let searched = entities.filter { !$0.search.isEmpty }
        guard copyPath == nil, !searched.isEmpty else { return [] }
        let store = try open()
        defer { store.close() }
        let unsound = try searched.filter { try !store.hasSoundSearch($0) }
        try store.rebuildSearch(of: unsound)
        return unsound
    }
}
