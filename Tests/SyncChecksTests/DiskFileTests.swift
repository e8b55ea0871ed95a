import Foundation
import SyncChecks
import SyncCore
import SyncHTTPClient
import SyncServer
import SyncServerBackend
import SyncWire
import Testing

@testable import SyncFileBackend

/// Files, folders and servers on a simulated disk.
@Suite struct DiskFileTests {
    static let old = [UInt8](repeating: 1, count: 3000)
    static let new = [UInt8](repeating: 2, count: 5000)

    @Test(arguments: DiskCrashTests.survivals, [true, false])
    func anAtomicWriteIsWholeOrAbsentAfterACrashAtAnyStep(survival: Survival, replaces: Bool) throws {
        var (isDone, step) = (false, 0)
        while !isDone {
            step += 1
            let disk = SimulatedDisk()
            if replaces { try disk.writeAtomically(Self.old, to: "/file", replaces: false) }
            let before = disk.steps
            disk.crash(at: step)
            do { try disk.writeAtomically(Self.new, to: "/file", replaces: replaces) } catch {}
            isDone = !disk.isCrashed
            if isDone { #expect(disk.steps - before == (replaces ? 5 : 6)) }
            disk.restart(keeping: survival)
            let found = try disk.kind(path: "/file") == nil ? nil : disk.read(path: "/file", maxBytes: 10_000)
            #expect(found == Self.new || !isDone && found == (replaces ? Self.old : nil), "step \(step)")
            // The remains of an earlier write do not interfere.
            try disk.writeAtomically(Self.new, to: "/file", replaces: true)
            #expect(try disk.list(path: "/") == ["file"])
        }
    }

    @Test func aWriteThatFailsLeavesNothing() throws {
        for fault in DiskFault.allCases {
            for step in 1...4 {
                let disk = SimulatedDisk()
                try disk.makeFolder("/folder")
                disk.fail(step: step, with: fault)
                let kind: StorageError.Kind = fault == .noSpace ? .noSpace : .failed
                #expect { try disk.writeAtomically(Self.new, to: "/folder/file", replaces: true) } throws: {
                    ($0 as? StorageError)?.kind == kind
                }
                #expect(try disk.list(path: "/folder").isEmpty)
            }
        }
    }

    @Test func unsyncedNamesAreKeptOrLost() throws {
        var outcomes: Set<[String]> = []
        for seed in UInt64(1)...50 {
            let disk = SimulatedDisk()
            for name in ["a", "b"] { try disk.writeAtomically(Self.old, to: "/\(name)", replaces: true) }
            for name in ["a", "b"] { try disk.remove("/\(name)") }
            #expect(try disk.list(path: "/").isEmpty)
            disk.restart(keeping: .some(seed: seed))
            outcomes.insert(try disk.list(path: "/"))
        }
        #expect(outcomes == [[], ["a"], ["b"], ["a", "b"]])
    }

    @Test func aTornWriteIsTornAtSectors() throws {
        var kept: Set<Int> = []
        for seed in UInt64(1)...50 {
            // The name exists, but the bytes were never synced.
            let disk = SimulatedDisk(flaws: [.ignoresFileSync])
            try disk.writeAtomically(Self.new, to: "/file", replaces: true)
            disk.restart(keeping: .some(seed: seed))
            let bytes = try disk.read(path: "/file", maxBytes: 10_000)
            for start in stride(from: 0, to: bytes.count, by: 512) {
                #expect(Set(bytes[start..<min(start + 512, bytes.count)]).count == 1)
            }
            kept.insert(bytes.count { $0 == 2 })
        }
        #expect(kept.isSuperset(of: [0, Self.new.count]) && kept.count > 4)
    }

    @Test func aDiskRefusesWhatARealOneRefuses() throws {
        let disk = SimulatedDisk()
        try disk.makeFolder("/folder")
        try disk.makeFolder("/folder")
        try disk.writeAtomically([1], to: "/folder/file", replaces: false)
        let cases: [(StorageError.Kind, () throws -> Void)] = [
            (.exists, { try disk.writeAtomically([2], to: "/folder/file", replaces: false) }),
            (.notFound, { try disk.writeAtomically([2], to: "/none/file", replaces: true) }),
            (.notFound, { _ = try disk.read(path: "/folder/none", maxBytes: 9) }),
            (.notFound, { _ = try disk.list(path: "/none") }),
            (.notFound, { try disk.makeFolder("/none/folder") }),
            (.notAnObject, { _ = try disk.list(path: "/folder/file") }),
            (.notAnObject, { _ = try disk.read(path: "/folder", maxBytes: 9) }),
            (.notAnObject, { try disk.writeAtomically([2], to: "/folder/file/file", replaces: true) }),
            (.tooLarge, { _ = try disk.read(path: "/folder/file", maxBytes: 0) }),
        ]
        for (kind, attempt) in cases {
            #expect { try attempt() } throws: { ($0 as? StorageError)?.kind == kind }
        }
        disk.isReadOnly = true
        #expect { try disk.remove("/folder/file") } throws: { ($0 as? StorageError)?.kind == .notPermitted }
        #expect(try disk.kind(path: "/folder/file") == .object(bytes: 1))
        #expect(try disk.kind(path: "/folder/.") == .folder)
        #expect(try disk.kind(path: "/none/file") == nil)
    }

    @Test func aCopyStaysAsItWas() throws {
        let disk = SimulatedDisk()
        try disk.makeFolder("/data")
        try disk.writeAtomically(Self.old, to: "/data/file", replaces: true)
        let copy = disk.snapshot(of: "/data")
        try disk.writeAtomically(Self.new, to: "/data/file", replaces: true)
        try disk.writeAtomically(Self.new, to: "/data/more", replaces: true)
        #expect(disk.bytes(under: "/data") == 10_000)
        disk.restore(copy)
        // Restored content counts as synced.
        disk.restart(keeping: .syncedOnly)
        #expect(disk.snapshot().files == ["/data/file": Self.old])
        let other = SimulatedDisk()
        other.restore(copy, to: "/deep/down")
        #expect(other.snapshot().files == ["/deep/down/file": Self.old])
        other.restore(disk.snapshot())
        #expect(other.snapshot() == disk.snapshot())
    }

    /// A sync created the remote folder but failed before it was synced. The next one found it and bound the
    /// store to it.
    @Test(arguments: 1...4)
    func aRemoteFolderThatAStoreIsBoundToOutlivesAPowerCut(failing step: Int) async throws {
        let disk = SimulatedDisk()
        let backend = FolderBackend(storage: disk.objects(in: "/share"))
        var request = SessionRequest(
            device: DeviceID(bits: 1),
            label: "A",
            entities: ScratchEntities.all,
            binding: nil,
            cursor: nil,
            intent: nil
        )
        disk.fail(step: step, with: .noSpace)
        do {
            _ = try await backend.open(request)
        } catch {
            request.binding = try await backend.open(request).greeting.binding
            disk.restart(keeping: .syncedOnly)
            #expect(try await backend.open(request).greeting.binding == request.binding)
        }
    }

    @Test func aFolderOnTheDiskKeepsEveryGuarantee() async {
        let disk = SimulatedDisk()
        for result in await BackendSuite.run(subject: DiskFolderSubject(disk: disk)) {
            #expect(!result.isFailure, "\(result)")
        }
        #expect(disk.steps > 1000)
    }

    @Test func aServerOnTheDiskKeepsEveryGuarantee() async throws {
        let disk = SimulatedDisk()
        let server = LoopbackServer(path: "/server", entities: ScratchEntities.all, disk: disk)
        server.add(Account(id: "account-1", name: "one"), token: "token")
        let subject = ServerSubject(
            url: try ServerURL(LoopbackServer.url),
            credentials: FixedToken(text: "token"),
            entities: ScratchEntities.all,
            environment: HTTPEnvironment(
                clock: server.clock,
                random: SeededRandom(1),
                sleeper: NoSleep(),
                transport: server
            )
        )
        for result in await BackendSuite.run(subject: subject) { #expect(!result.isFailure, "\(result)") }
        #expect(disk.bytes(under: "/server/logs") > 0)
        #expect(!FileManager.default.fileExists(atPath: "/server"))
    }
}

/// A subject of scratch folders on a simulated disk.
final class DiskFolderSubject: BackendSubject, @unchecked Sendable {
    let entities = ScratchEntities.all
    private let disk: SimulatedDisk
    // Guarded by `lock`.
    private var count = 0
    private let lock = NSLock()

    init(disk: SimulatedDisk) { self.disk = disk }

    func makeRemote() async throws -> any ScratchRemote {
        let number = lock.withLock {
            count += 1
            return count
        }
        try disk.makeFolder("/remote-\(number)")
        return Remote(disk: disk, root: "/remote-\(number)")
    }

    private struct Remote: ScratchRemote {
        let disk: SimulatedDisk
        let root: String
        let profile = SuiteProfile.folder(pageRecords: .max)

        func backend(for device: DeviceID) async throws -> any RemoteBackend {
            FolderBackend(storage: disk.objects(in: root))
        }

        func restart() async throws {
            let empty = SimulatedDisk()
            try empty.makeFolder(root)
            disk.restore(empty.snapshot(of: root))
        }
    }
}
