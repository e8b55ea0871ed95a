import Foundation
import SyncChecks
import SyncCore
import SyncHTTPClient
import SyncServer
import SyncServerBackend
import Testing

/// A server keeps every guarantee of a remote, whatever keeps its logs.
@Suite struct LogStoreConformanceTests {
    enum Kind: CaseIterable {
        case files, memory, sharedMemory
    }

    private func server(kind: Kind, path: String) -> LoopbackServer {
        switch kind {
        case .files: LoopbackServer(path: path, entities: ScratchEntities.all)
        case .memory, .sharedMemory:
            LoopbackServer(
                store: MemoryLogStore(random: SeededRandom(1), isExclusive: kind == .memory),
                entities: ScratchEntities.all
            )
        }
    }

    @Test(arguments: Kind.allCases) func everyLogStoreKeepsEveryGuarantee(kind: Kind) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/entitysync-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let server = server(kind: kind, path: path)
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
        let results = await BackendSuite.run(subject: subject)
        #expect(results.count > 40)
        for result in results { #expect(!result.isFailure, "\(result)") }
    }
}
