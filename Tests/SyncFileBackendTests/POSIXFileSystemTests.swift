import Foundation
import SyncCore
import SyncFiles
import Testing

@testable import SyncFileBackend

/// The operating system's files, in a folder of their own that goes away with the test.
@Suite final class POSIXFileSystemTests {
    let base: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "folder-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        // NB: the temporary folder of macOS is reached through a link.
        base = url.resolvingSymlinksInPath().path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: base)
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(base)/\(name)", withDestinationPath: target)
    }

    func kind(body: () throws -> Void) -> StorageError.Kind? {
        do {
            try body()
            return nil
        } catch { return (error as? StorageError)?.kind }
    }

    @Test func writesReadsListsAndRemoves() throws {
        let files = POSIXFileSystem(confinedTo: base)
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try files.makeFolder("\(base)/sub")
        try files.makeFolder("\(base)/sub")
        try files.writeAtomically(bytes, to: "\(base)/sub/b", replaces: false)
        try files.writeAtomically([], to: "\(base)/sub/a", replaces: false)
        #expect(try files.read(path: "\(base)/sub/b", maxBytes: 1 << 20) == bytes)
        #expect(try files.read(path: "\(base)/sub/a", maxBytes: 0).isEmpty)
        #expect(try files.list(path: "\(base)/sub") == ["a", "b"])
        #expect(try files.kind(path: "\(base)/sub/b") == .object(bytes: 200_000))
        #expect(try files.kind(path: "\(base)/sub") == .folder)
        #expect(try files.kind(path: "\(base)/sub/missing") == nil)
        #expect(try files.kind(path: "\(base)/missing/deeper") == nil)
        try files.remove("\(base)/sub/b")
        try files.remove("\(base)/sub/b")
        #expect(try files.list(path: "\(base)/sub") == ["a"])
    }

    /// What virtiofs, DrvFs and FUSE answer to a flush of a folder.
    @Test(arguments: [EBADF, EIO, EACCES, EPERM, EINVAL, ENOTSUP, ENOSYS])
    func aFileSystemThatCannotFlushFoldersStillSyncsAndIsToldOfOnce(number: Int32) async throws {
        let files = POSIXFileSystem(confinedTo: base, flushingFolders: { _ in number })
        let device = TestDevice(number: 1, files: files, root: base)
        device.edit("a", value: "1")
        let first = try await device.sync()
        #expect(first.rules == ["names-not-flushed"])
        #expect(first.serious.isEmpty)
        device.edit("b", value: "2")
        #expect(try await device.sync().diagnostics.isEmpty, "told once")
        let again = POSIXFileSystem(confinedTo: base, flushingFolders: { _ in number })
        device.files = again
        device.edit("c", value: "3")
        #expect(try await device.sync().diagnostics.isEmpty, "not in another process either")
        let other = TestDevice(number: 2, files: POSIXFileSystem(confinedTo: base), root: base)
        try await other.sync()
        #expect(other.heads == device.heads)
    }

    @Test(arguments: [ENOSPC, EDQUOT, ENOMEM])
    func anyOtherFailureOfAFlushIsOne(number: Int32) {
        let files = POSIXFileSystem(confinedTo: base, flushingFolders: { _ in number })
        #expect(throws: StorageError.self) { try files.makeFolder("\(base)/sub") }
        #expect(throws: StorageError.self) {
            try files.writeAtomically([1], to: "\(base)/a", replaces: false)
        }
        #expect(!files.refusesFlush)
    }

    @Test func replacesOnlyWhenAsked() throws {
        let files = POSIXFileSystem(confinedTo: base)
        try files.writeAtomically([1], to: "\(base)/a", replaces: false)
        #expect(kind { try files.writeAtomically([2], to: "\(base)/a", replaces: false) } == .exists)
        #expect(try files.read(path: "\(base)/a", maxBytes: 10) == [1])
        try files.writeAtomically([2], to: "\(base)/a", replaces: true)
        #expect(try files.read(path: "\(base)/a", maxBytes: 10) == [2])
        #expect(try files.list(path: base) == ["a"], "no temporary file is left")
    }

    @Test func writesOverWhatACutOffWriteLeft() throws {
        let files = POSIXFileSystem(confinedTo: base)
        try Data("half".utf8).write(to: URL(filePath: "\(base)/.tmp-a"))
        try files.writeAtomically([1], to: "\(base)/a", replaces: false)
        #expect(try files.list(path: base) == ["a"])
    }

    @Test func saysWhatIsWrong() throws {
        let files = POSIXFileSystem(confinedTo: base)
        try files.writeAtomically([1, 2, 3], to: "\(base)/a", replaces: false)
        #expect(kind { _ = try files.read(path: "\(base)/a", maxBytes: 2) } == .tooLarge)
        #expect(kind { _ = try files.read(path: "\(base)/b", maxBytes: 2) } == .notFound)
        #expect(kind { _ = try files.read(path: base, maxBytes: 2) } == .notAnObject)
        #expect(kind { _ = try files.list(path: "\(base)/a") } == .notAnObject)
        #expect(kind { _ = try files.list(path: "\(base)/b") } == .notFound)
        #expect(kind { try files.makeFolder("\(base)/b/c") } == .notFound)
        #expect(kind { try files.writeAtomically([], to: "\(base)/b/c", replaces: true) } == .notFound)
        #expect(kind { _ = try files.kind(path: "\(base)/x/../a") } == nil)
        #expect(try files.kind(path: "\(base)/x/../a") == nil)
    }

    @Test func doesNotWaitForAPipe() throws {
        let files = POSIXFileSystem(confinedTo: base)
        #expect(mkfifo("\(base)/pipe", 0o600) == 0)
        #expect(try files.kind(path: "\(base)/pipe") == .other)
        #expect(kind { _ = try files.read(path: "\(base)/pipe", maxBytes: 10) } == .notAnObject)
    }

    @Test func followsNoLinkBelowItsRoot() throws {
        let outside = "\(base)/outside"
        let root = "\(base)/root"
        let open = POSIXFileSystem()
        for folder in [outside, root] { try open.makeFolder(folder) }
        try open.writeAtomically([1], to: "\(outside)/secret", replaces: false)
        try link("root/file", to: "\(outside)/secret")
        try link("root/folder", to: outside)
        let files = POSIXFileSystem(confinedTo: root + "/")
        #expect(try files.kind(path: "\(root)/file") == .link)
        #expect(try files.kind(path: "\(root)/folder") == .link)
        #expect(kind { _ = try files.read(path: "\(root)/file", maxBytes: 10) } == .notAnObject)
        #expect(kind { _ = try files.read(path: "\(root)/folder/secret", maxBytes: 10) } == .notAnObject)
        #expect(kind { _ = try files.list(path: "\(root)/folder") } == .notAnObject)
        #expect(
            kind { try files.writeAtomically([2], to: "\(root)/folder/new", replaces: true) } == .notAnObject
        )
        #expect(kind { try files.makeFolder("\(root)/folder/new") } == .notAnObject)
        #expect(kind { try files.remove("\(root)/folder/secret") } == .notAnObject)
        // Replacing a link replaces the link, not what it leads to; removing it does the same.
        try files.writeAtomically([2], to: "\(root)/file", replaces: true)
        #expect(try files.kind(path: "\(root)/file") == .object(bytes: 1))
        try link("root/again", to: "\(outside)/secret")
        try files.remove("\(root)/again")
        #expect(try open.read(path: "\(outside)/secret", maxBytes: 10) == [1])
        #expect(try open.list(path: outside) == ["secret"])
    }

    @Test func reportsMissingPermission() throws {
        guard geteuid() != 0 else { return }
        let files = POSIXFileSystem(confinedTo: base)
        try files.makeFolder("\(base)/closed")
        #expect(chmod("\(base)/closed", 0o500) == 0)
        #expect(
            kind { try files.writeAtomically([1], to: "\(base)/closed/a", replaces: false) } == .notPermitted
        )
        #expect(chmod("\(base)/closed", 0o700) == 0)
    }

    @Test func syncsTwoDevicesThroughARootThatIsALink() async throws {
        try FileManager.default.createDirectory(atPath: "\(base)/real", withIntermediateDirectories: false)
        try link("shared", to: "\(base)/real")
        let root = "\(base)/shared"
        let files = POSIXFileSystem(confinedTo: root)
        let (one, two) = (
            TestDevice(number: 1, files: files, root: root),
            TestDevice(number: 2, files: files, root: root + "//")
        )
        for round in 0..<12 {
            for device in [one, two] {
                device.edit("key \(round)", value: device.label)
                let outcome = try await device.sync()
                #expect(outcome.diagnostics.isEmpty)
            }
        }
        try await one.sync()
        #expect(one.heads == two.heads)
        #expect(try files.list(path: "\(base)/real") == ["entitysync"])
        try FileManager.default.removeItem(atPath: "\(base)/real")
        await #expect(throws: SyncError.folderMissing()) { try await one.sync() }
    }

    @Test func refusesADeviceFolderThatIsALinkToTheOutside() async throws {
        let root = "\(base)/shared"
        let files = POSIXFileSystem(confinedTo: root)
        let (one, two) = (
            TestDevice(number: 1, files: files, root: root), TestDevice(number: 2, files: files, root: root)
        )
        one.edit("a", value: "value")
        try await one.sync()
        let folder = "\(root)/entitysync/\(one.id)"
        try FileManager.default.moveItem(atPath: folder, toPath: "\(base)/moved")
        try link("shared/entitysync/\(one.id)", to: "\(base)/moved")
        let before = try POSIXFileSystem().list(path: "\(base)/moved")
        #expect(try await two.sync().serious == ["link"])
        #expect(two.heads.isEmpty)
        one.edit("b", value: "value")
        let error = await #expect(throws: SyncError.self) { try await one.sync() }
        #expect(error?.kind == .wrongRemote)
        #expect(try POSIXFileSystem().list(path: "\(base)/moved") == before)
    }
}
