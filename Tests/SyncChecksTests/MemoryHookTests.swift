import SyncCore
import Testing

@testable import SyncChecks

/// A memory remote can lose requests and answers.
@Suite struct MemoryHookTests {
    private let remote = MemoryRemote(entities: ScratchEntities.all)
    private let lost = SyncError(kind: .unreachable, message: "The line is cut.", help: "", retry: .later)

    @Test func anAnswerThatIsLostLeavesTheEditStoredAndWaiting() async throws {
        let (writer, material) = try client(number: 1)
        let id = try writer.edit(material, key: material.key(number: 1))
        remote.hooks.afterPush = { [lost] _ in throw lost }
        await #expect(throws: lost) { try await writer.sync() }
        remote.hooks = MemoryHooks()
        let (reader, _) = try client(number: 2)
        try await reader.sync()
        #expect(reader.shown[id] != nil)
        #expect(writer.outgoing.count == 1)
        try await writer.sync()
        #expect(writer.outgoing.isEmpty)
        #expect(writer.shown == reader.shown)
    }

    @Test func aRequestThatIsLostLeavesNothingStored() async throws {
        let (writer, material) = try client(number: 1)
        try writer.edit(material, key: material.key(number: 1))
        remote.hooks.beforePush = { [lost] _ in throw lost }
        await #expect(throws: lost) { try await writer.sync() }
        remote.hooks = MemoryHooks()
        let (reader, _) = try client(number: 2)
        try await reader.sync()
        #expect(reader.shown.isEmpty)
        try await writer.sync()
        try await reader.sync()
        #expect(reader.shown.count == 1)
    }

    @Test func aPageThatIsLostComesAgain() async throws {
        let (writer, material) = try client(number: 1)
        for number in 0..<25 { try writer.edit(material, key: material.key(number: number)) }
        try await writer.sync()
        let (reader, _) = try client(number: 2)
        for kind in [\MemoryHooks.beforeFetch, \MemoryHooks.afterFetch] {
            let session = try await reader.open()
            try await reader.pull(session, pages: 1)
            remote.hooks[keyPath: kind] = { [lost] _ in throw lost }
            await #expect(throws: lost) { try await reader.pull(session) }
            await #expect(throws: lost) { _ = try await reader.open() }
            remote.hooks = MemoryHooks()
        }
        try await reader.sync()
        #expect(reader.shown == writer.shown)
        #expect(reader.deliveries.values.allSatisfy { $0 == 1 })
    }

    private func client(number: UInt64) throws -> (Client, Material) {
        (
            Client(number: number, remote: remote, entities: ScratchEntities.all),
            try #require(Material(ScratchEntities.all[0]))
        )
    }
}
