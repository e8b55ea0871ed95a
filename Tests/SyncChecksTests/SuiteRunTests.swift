import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncSchema
import Testing

/// How the suite uses its subjects.
@Suite struct SuiteRunTests {
    @Test func resultsAreLinesOfText() {
        let check = BackendCheck(id: "repeated-push", guarantee: "a push sent twice changes nothing") { _ in
            .passed
        }
        let lines = [
            CheckOutcome.passed, .failed("Expected this, but that."), .notApplicable("No such thing."),
        ]
        .map { CheckResult(check: check, outcome: $0).description }
        #expect(
            lines == [
                "ok    repeated-push  a push sent twice changes nothing",
                "FAIL  repeated-push  a push sent twice changes nothing: Expected this, but that.",
                "n/a   repeated-push  a push sent twice changes nothing: No such thing.",
            ]
        )
    }

    @Test func aRemoteThatCannotBeMadeFailsEachCheckAndStopsNone() async {
        struct Unreachable: BackendSubject {
            let entities = ScratchEntities.all
            func makeRemote() async throws -> any ScratchRemote {
                throw SyncError(kind: .unreachable, message: "Nobody answers.", help: "")
            }
        }
        var heard: [String] = []
        let results = await BackendSuite.run(subject: Unreachable()) { heard.append($0.check.id) }
        #expect(results.count == BackendSuite.checks.count)
        #expect(heard == BackendSuite.checks.map(\.id))
        for result in results {
            #expect(
                result.outcome == .failed("Expected no error, but the backend threw: Nobody answers."),
                "\(result)"
            )
        }
    }

    @Test func entitiesWhoseValuesCannotBeDrawnMakeNoFailure() async {
        let entity = EntityDescriptor(
            name: "code",
            typeName: "Code",
            fields: [FieldDescriptor(name: "id", type: .string(pattern: "^[0-9]{40}$"), isRequired: true)],
            key: ["id"],
            strategy: .lastWriteWins
        )
        let results = await BackendSuite.run(subject: MemorySubject(entities: [entity]))
        let outcome = CheckOutcome.notApplicable("No entity has values that can be drawn.")
        #expect(results.allSatisfy { $0.outcome == outcome })
    }

    @Test func everyRemoteIsDisposedOf() async throws {
        let subject = CountingSubject()
        await BackendSuite.run(subject: subject)
        #expect(subject.made > BackendSuite.checks.count)
        #expect(subject.made == subject.disposed)
    }

    @Test func theShippedEntitiesAreMaterialForEveryCheck() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Schemas")
        let sources = try ["bookmark", "project", "read-status", "transaction"].map { name in
            let path = name + ".schema.json"
            return SchemaSource(path: path, bytes: Array(try Data(contentsOf: folder.appending(path: path))))
        }
        let entities = EntityDescriptor.descriptors(of: SchemaLoader.load(sources).schemas)
        for result in await BackendSuite.run(subject: MemorySubject(entities: entities)) {
            #expect(result.outcome == .passed, "\(result)")
        }
    }
}

/// Counts created and removed remotes; one flaw makes some checks fail.
private final class CountingSubject: BackendSubject, @unchecked Sendable {
    let entities = ScratchEntities.all
    // Guarded by `lock`.
    private var counts = (made: 0, disposed: 0)
    private let lock = NSLock()
    private let inner = MemorySubject(flaws: [.ignoresBase])

    var made: Int { lock.withLock { counts.made } }
    var disposed: Int { lock.withLock { counts.disposed } }

    func makeRemote() async throws -> any ScratchRemote {
        lock.withLock { counts.made += 1 }
        return Remote(inner: try await inner.makeRemote()) {
            self.lock.withLock { self.counts.disposed += 1 }
        }
    }

    private struct Remote: ScratchRemote {
        let inner: any ScratchRemote
        let onDispose: @Sendable () -> Void
        var profile: SuiteProfile { inner.profile }
        func backend(for device: DeviceID) async throws -> any RemoteBackend {
            try await inner.backend(for: device)
        }
        func purgeTombstones() async throws { try await inner.purgeTombstones() }
        func restart() async throws { try await inner.restart() }
        func dispose() async throws { onDispose() }
    }
}
