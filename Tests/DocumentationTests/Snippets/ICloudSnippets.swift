import EntitySync
import EntitySyncFolder
import SyncEntities
import Testing

@Suite struct ICloudSnippets {
    @Test func aFolderThatAServiceFillsIsARemote() async throws {
        let desk = try Desk()
        // snippet: icloud-remote
        func configuration(folder: String, iCloudFolder: String) -> SpaceConfiguration {
            let remote = FolderBackend(root: iCloudFolder, maxDownloadSeconds: 20)
            return SpaceConfiguration(folder: folder, entities: [Bookmark.self], remote: remote)
        }
        // snippet end
        let space = try SyncSpace.open(
            configuration(folder: desk.path + "/own", iCloudFolder: desk.sharedFolder)
        )
        defer { space.close() }
        #expect(try await space.sync().outcome == .synced)
    }
}
