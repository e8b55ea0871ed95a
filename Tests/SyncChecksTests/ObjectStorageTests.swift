import Foundation
import SyncChecks
import SyncCore
import SyncFileBackend
import Testing

/// The promises of every object storage.
@Suite struct ObjectStorageTests {
    /// The storages of this package.
    enum Kind: CaseIterable {
        case folder, simulatedDisk, memory
    }

    static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    func withStorage(_ kind: Kind, body: (any ObjectStorage) async throws -> Void) async throws {
        switch kind {
        case .folder: try await withFolder { try await body(FolderStorage(path: $0 + "/root")) }
        case .simulatedDisk: try await body(SimulatedDisk().objects(in: "/root"))
        case .memory: try await body(MemoryObjectStorage())
        }
    }

    /// A storage with its root and the folder `a/`.
    func withPreparedStorage(_ kind: Kind, body: (any ObjectStorage) async throws -> Void) async throws {
        try await withStorage(kind) { storage in
            for prefix in ["", "a/", "a/"] { try await storage.prepare(prefix: prefix) }
            try await body(storage)
        }
    }

    func kind(body: () async throws -> Void) async -> StorageError.Kind? {
        do {
            try await body()
            return nil
        } catch { return (error as? StorageError)?.kind }
    }

    @Test(arguments: Kind.allCases) func getsWhatWasPut(kind: Kind) async throws {
        try await withPreparedStorage(kind) { storage in
            try await storage.put("a/b", bytes: Self.bytes, ifAbsent: false)
            #expect(try await storage.get("a/b", maxBytes: Self.bytes.count) == Self.bytes)
            #expect(try await storage.get("a/b", range: 7..<3000) == Array(Self.bytes[7..<3000]))
            let end = Self.bytes.count
            #expect(try await storage.get("a/b", range: end - 5..<end + 5) == Array(Self.bytes[(end - 5)...]))
            #expect(try await storage.get("a/b", range: end + 5..<end + 9).isEmpty)
            #expect(await self.kind { _ = try await storage.get("a/b", maxBytes: 9) } == .tooLarge)
            #expect(await self.kind { _ = try await storage.get("a/c", maxBytes: 9) } == .notFound)
            #expect(await self.kind { _ = try await storage.get("a/c", range: 0..<9) } == .notFound)
            #expect(await self.kind { _ = try await storage.get("b/c", range: 0..<9) } == .notFound)
            try await storage.delete("a/b")
            try await storage.delete("a/b")
            #expect(await self.kind { _ = try await storage.get("a/b", maxBytes: 9) } == .notFound)
        }
    }

    @Test(arguments: Kind.allCases) func putsIfAbsentOnlyOnce(kind: Kind) async throws {
        try await withPreparedStorage(kind) { storage in
            try await storage.put("a/b", bytes: [1], ifAbsent: true)
            #expect(await self.kind { try await storage.put("a/b", bytes: [2], ifAbsent: true) } == .exists)
            #expect(try await storage.get("a/b", maxBytes: 9) == [1])
            try await storage.put("a/b", bytes: [3], ifAbsent: false)
            #expect(try await storage.get("a/b", maxBytes: 9) == [3])
        }
    }

    @Test(arguments: Kind.allCases) func listsOneLevelByBytes(kind: Kind) async throws {
        try await withPreparedStorage(kind) { storage in
            for name in ["é", "b", "a", "B"] {
                try await storage.put("a/\(name)", bytes: Self.bytes, ifAbsent: true)
            }
            #expect(try await storage.list(prefix: "")?.map(\.name) == ["a"])
            #expect(try await storage.list(prefix: "")?.map(\.kind) == [.folder])
            let entries = try #require(try await storage.list(prefix: "a/"))
            #expect(entries.map(\.name) == ["B", "a", "b", "é"])
            #expect(entries.allSatisfy { $0.kind == .object(bytes: Self.bytes.count) })
            #expect(try await storage.list(prefix: "none/") == nil)
        }
    }

    @Test(arguments: Kind.allCases) func storesPiecesWholeOrNotAtAll(kind: Kind) async throws {
        struct Failure: Error {}
        try await withPreparedStorage(kind) { storage in
            try await storage.put("a/source", bytes: Self.bytes, ifAbsent: true)
            // The object is written from pieces of another object.
            try await storage.put("a/copy", ifAbsent: true) { object in
                for start in stride(from: 0, to: Self.bytes.count, by: 30_000) {
                    try await object.write(try await storage.get("a/source", range: start..<start + 30_000))
                }
                #expect(await self.kind { _ = try await storage.get("a/copy", maxBytes: 9) } == .notFound)
            }
            #expect(try await storage.get("a/copy", maxBytes: Self.bytes.count) == Self.bytes)
            await #expect(throws: Failure.self) {
                try await storage.put("a/copy", ifAbsent: false) { object in
                    try await object.write([1, 2, 3])
                    throw Failure()
                }
            }
            #expect(try await storage.get("a/copy", maxBytes: Self.bytes.count) == Self.bytes)
            #expect(try await storage.list(prefix: "a/")?.map(\.name) == ["copy", "source"])
        }
    }

    @Test(arguments: [Kind.folder, .simulatedDisk]) func saysWhetherItsRootIsThere(kind: Kind) async throws {
        try await withStorage(kind) { storage in
            #expect(try await storage.root() == .absent)
            #expect(try await storage.list(prefix: "") == nil)
            try await storage.prepare(prefix: "")
            #expect(try await storage.root() == .present)
            #expect(try await storage.list(prefix: "") == [])
            #expect(await self.kind { try await storage.prepare(prefix: "a/b/") } == .notFound)
            #expect(await self.kind { try await storage.put("a/b", bytes: [1], ifAbsent: true) } == .notFound)
            try await storage.put("file", bytes: [1], ifAbsent: true)
            #expect(await self.kind { try await storage.prepare(prefix: "file/") } == .notAFolder)
            #expect(await self.kind { _ = try await storage.list(prefix: "file/") } == .notAFolder)
        }
    }

    @Test func aFolderTellsLinksAndFollowsNoneButItsRoot() async throws {
        try await withFolder { path in
            func link(_ name: String, to target: String) throws {
                let files = FileManager.default
                try files.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
            }
            try link("link", to: path + "/real")
            let storage = FolderStorage(path: path + "/link")
            #expect(try await storage.root() == .away)
            #expect(try await FolderStorage(path: path + "/none/root").root() == .withoutParent)
            try await FolderStorage(path: path + "/real").prepare(prefix: "")
            #expect(try await storage.root() == .present)
            try await storage.prepare(prefix: "")
            try await storage.prepare(prefix: "a/")
            try await storage.put("a/b", bytes: [1], ifAbsent: true)
            #expect(FileManager.default.fileExists(atPath: path + "/real/a/b"))
            try link("real/a/object", to: path + "/real/a/b")
            try link("real/c", to: path + "/real/a")
            let names = try #require(try await storage.list(prefix: ""))
            #expect(names.map(\.kind) == [.folder, .link])
            #expect(try await storage.list(prefix: "a/")?.map(\.kind) == [.object(bytes: 1), .link])
            #expect(await self.kind { _ = try await storage.list(prefix: "c/") } == .isLink)
            #expect(await self.kind { try await storage.prepare(prefix: "c/") } == .isLink)
            #expect(await self.kind { _ = try await storage.get("c/b", maxBytes: 9) } == .notAnObject)
            #expect(await self.kind { _ = try await storage.get("a/object", maxBytes: 9) } == .notAnObject)
            #expect(await self.kind { _ = try await storage.get("../real/a/b", maxBytes: 9) } == .notFound)
            try await FolderStorage(path: path).put("file", bytes: [1], ifAbsent: true)
            #expect(try await FolderStorage(path: path + "/file").root() == .notAFolder)
        }
    }

    @Test func anObjectStoreKeepsEveryGuaranteeOfARemote() async {
        for result in await BackendSuite.run(subject: ObjectSubject()) {
            #expect(!result.isFailure, "\(result)")
        }
    }
}

/// Scratch remotes in memory object storages.
private struct ObjectSubject: BackendSubject {
    let entities = ScratchEntities.all

    func makeRemote() async throws -> any ScratchRemote { Remote() }

    private struct Remote: ScratchRemote {
        let storage = MemoryObjectStorage()
        let profile = SuiteProfile.folder(pageRecords: .max)

        func backend(for device: DeviceID) async throws -> any RemoteBackend {
            FolderBackend(storage: storage)
        }

        func restart() async throws { storage.objects = [:] }
    }
}
