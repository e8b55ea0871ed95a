import EntitySync
import EntitySyncServer
import Foundation
import SyncChecks
import SyncEntities
import SyncServer
import Testing

@Suite struct DirectWriteSnippets {
    let desk: Desk
    let server: LoopbackServer

    init() throws {
        desk = try Desk()
        let entities: [any SyncEntity.Type] = [Bookmark.self]
        server = LoopbackServer(
            path: desk.path + "/server",
            entities: entities.map { $0.adapter.descriptor }
        )
        server.add(Account(id: "ada", name: "Ada"), token: "secret")
    }

    private var backend: HTTPBackend {
        get throws { try server.backend(token: "secret", clock: SystemClock(), random: SystemRandom()) }
    }

    @Test func aWebhookIsDecodedAndAnswered() throws {
        let body = Data(
            #"""
            {"id":"379066e4-6dd5-4050-8470-004e08da28bd","user_id":"ada","surah_number":2,"verse_number":255,
            "created_at":"2025-12-25T09:21:01Z","updated_at":"2025-12-25T09:21:01Z","colour":"green"}
            """#.utf8
        )
        // snippet: wire-read
        func receive(body: Data) throws -> Bookmark {
            let object = try BookmarkDTO(json: body)
            return try Bookmark(object)
        }
        // snippet end
        // snippet: wire-write
        func answer(_ bookmark: Bookmark) throws -> Data {
            Data(try BookmarkDTO(bookmark).json())
        }
        // snippet end
        let bookmark = try receive(body: body)
        #expect(bookmark.verseNumber == 255)
        #expect(try receive(body: answer(bookmark)) == bookmark)
        #expect(throws: FieldError.self) { try receive(body: Data("{}".utf8)) }
    }

    @Test func anExtensionSendsARecordAndTheAppPullsIt() async throws {
        let (backend, waiting) = (try backend, URL(fileURLWithPath: desk.path + "/waiting.json"))
        var shown: [SyncError] = []
        func show(_ error: SyncError) { shown.append(error) }
        // snippet: direct-send
        func share(_ bookmark: Bookmark) async throws {
            let write = try DirectWrite(bookmark)
            // The extension may end at any moment: what is kept can be sent again, by the app too.
            try Data(write.bytes).write(to: waiting, options: .atomic)
            try await deliver(write)
        }

        func deliver(_ write: DirectWrite) async throws {
            let errors = try await backend.send(write).compactMap(\.error)
            // What another program holds just now is sent again.
            if !errors.contains(where: { $0.retry == .later }) {
                try FileManager.default.removeItem(at: waiting)
            }
            for error in errors { show(error) }
        }
        // snippet end
        // snippet: direct-again
        func deliverWaiting() async throws {
            guard let bytes = try? Data(contentsOf: waiting) else { return }
            try await deliver(try DirectWrite(bytes: Array(bytes)))
        }
        // snippet end
        server.setFaults { _, _ in .unreachable }
        let bookmark = Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255)
        await #expect(throws: SyncError.self) { try await share(bookmark) }
        server.setFaults(nil)
        try await deliverWaiting()
        #expect(!FileManager.default.fileExists(atPath: waiting.path))
        try await share(Bookmark(userId: "ada", surahNumber: 2, verseNumber: 256))
        let app = try SyncSpace.open(
            SpaceConfiguration(folder: desk.path + "/app", entities: [Bookmark.self], remote: backend)
        )
        try await app.sync()
        #expect(try await app.collection(Bookmark.self).all().count == 2 && shown.isEmpty)
    }
}
