import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// What happens to a store while a backup takes its place.
@Suite struct RestoreWindowTests {
    private func configuration(_ scratch: Scratch) -> SpaceConfiguration {
        SpaceConfiguration(
            folder: scratch.path + "/a",
            entities: [Project.self],
            remote: scratch.remote,
            environment: SpaceEnvironment(clock: ManualClock(), random: SeededRandom(99))
        )
    }

    private func titles(_ space: SyncSpace) throws -> [String] { try space.projects.all().map(\.title) }

    private func add(_ id: String, to space: SyncSpace) throws {
        try space.projects.insert(.named(id: id))
    }

    /// Another process writes into the store while the backup is copied.
    @Test(arguments: [true, false])
    func anEditThatIsMadeDuringARestoreIsNotDropped(replacesUnsentEdits: Bool) throws {
        let scratch = try Scratch()
        let space = try SyncSpace.open(configuration(scratch))
        let backup = scratch.path + "/backup"
        try space.backup(to: backup)
        space.close()
        var isWritten = false
        let error = #expect(throws: SyncError.self) {
            try SyncSpace.restore(
                from: backup,
                configuration(scratch),
                replacesUnsentEdits: replacesUnsentEdits
            ) { _ in
                guard !isWritten else { return }
                isWritten = true
                let other = try SyncSpace.open(configuration(scratch))
                defer { other.close() }
                try add("new", to: other)
            }
        }
        #expect(isWritten && error?.kind == .busy)
        let again = try SyncSpace.open(configuration(scratch))
        #expect(try titles(again) == ["new"])
        #expect(
            try !FileManager.default.contentsOfDirectory(atPath: scratch.path + "/a").contains {
                $0.contains("restor")
            }
        )
    }

    /// The store's file is a link to another one.
    @Test func aStoreBehindALinkIsRestoredItself() async throws {
        let scratch = try Scratch()
        let space = try SyncSpace.open(configuration(scratch))
        try add("old", to: space)
        let backup = scratch.path + "/backup"
        try space.backup(to: backup)
        try add("new", to: space)
        space.close()
        let (link, real) = (scratch.path + "/a/store.sqlite", scratch.path + "/real.sqlite")
        try FileManager.default.moveItem(atPath: link, toPath: real)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
        let linked = try SyncSpace.open(configuration(scratch))
        try await linked.sync()
        #expect(FileManager.default.fileExists(atPath: real + ".lock"))
        linked.close()
        let restored = try SyncSpace.restore(from: backup, configuration(scratch), replacesUnsentEdits: true)
        #expect(try titles(restored) == ["old"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == real)
        #expect(FileManager.default.fileExists(atPath: real + ".before-restore"))
    }
}
