import Foundation
import SyncChecks
import SyncCore
import Testing

@testable import SyncFileBackend

/// All backends of this package that need no server pass the suite.
@Suite struct BackendSuiteTests {
    @Test(arguments: BackendSuite.checks.map(\.id))
    func aRemoteInMemoryKeepsEveryGuarantee(id: String) async throws {
        let check = try #require(BackendSuite.checks.first { $0.id == id })
        #expect(await check.outcome(subject: MemorySubject()) == .passed)
    }

    @Test func aRemoteInMemoryWithOneRecordPerPageKeepsEveryGuarantee() async {
        let limits = MemoryLimits(pageRecords: 1, pushChanges: 1)
        let results = await BackendSuite.run(subject: MemorySubject(limits: limits))
        for result in results { #expect(!result.isFailure, "\(result)") }
        #expect(Self.notApplicable(results: results) == ["two-entities"])
    }

    @Test func aFolderWithSmallPagesKeepsEveryGuarantee() async throws {
        try await withFolder { path in
            let subject = FolderSubject(path: path, pageRecords: 10) { root in
                var limits = FolderLimits()
                limits.pageItems = 10
                return FolderBackend(storage: FolderStorage(path: root), limits: limits)
            }
            let results = await BackendSuite.run(subject: subject)
            for result in results { #expect(!result.isFailure, "\(result)") }
            // These checks need a base, a schema validation, or purged tombstones.
            #expect(
                Self.notApplicable(results: results) == [
                    "unseen-vector", "cursor-expiry", "edit-of-purged", "purge-while-paging", "partial-batch",
                    "key-in-body",
                ]
            )
            let left = try FileManager.default.contentsOfDirectory(atPath: path)
            #expect(left.isEmpty)
        }
    }

    @Test func aFolderThatCompactsAfterEachPushKeepsEveryGuarantee() async throws {
        try await withFolder { path in
            let subject = FolderSubject(path: path) { root in
                var limits = FolderLimits()
                (limits.maxOwnFiles, limits.collectBytes) = (1, 0)
                return FolderBackend(storage: FolderStorage(path: root), limits: limits)
            }
            for result in await BackendSuite.run(subject: subject) { #expect(!result.isFailure, "\(result)") }
        }
    }

    @Test func aFolderAsAppsHaveItKeepsEveryGuarantee() async throws {
        try await withFolder { path in
            for result in await BackendSuite.run(subject: FolderSubject(path: path)) {
                #expect(!result.isFailure, "\(result)")
            }
        }
    }

    @Test func checksHaveNamesOfTheirOwn() {
        let ids = BackendSuite.checks.map(\.id)
        #expect(Set(ids).count == ids.count)
        for id in ids {
            #expect(id.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == UInt8(ascii: "-") }, "\(id)")
        }
    }

    private static func notApplicable(results: [CheckResult]) -> [String] {
        results.compactMap { result in
            if case .notApplicable = result.outcome { result.check.id } else { nil }
        }
    }
}

/// Runs `body` with an empty folder, which is removed afterwards.
func withFolder(body: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.path + "/entitysync-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
}
