import EntitySync
import EntitySyncServer
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import SyncHTTPClient
import SyncServer
import Testing

/// What spares an app some lines.
@Suite struct ConvenienceTests {
    let stage: Stage

    init() throws { stage = try Stage() }

    /// A space of ada's at the stage's server, with the tokens that come one after the other.
    private func space(device: String, tokens: [String]) throws -> SyncSpace {
        let left = Guarded(tokens)
        let environment = HTTPEnvironment(
            clock: stage.time,
            random: SeededRandom(1),
            sleeper: stage.time,
            transport: stage.server
        )
        let backend = try HTTPBackend(url: LoopbackServer.url, environment: environment) {
            left.use { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
        return try SyncSpace.open(
            SpaceConfiguration(
                folder: stage.scratch.path + "/" + device,
                entities: Stage.entities,
                remote: backend
            )
        )
    }

    @Test func aServerIsAUrlAndAToken() async throws {
        let phone = try space(device: "phone", tokens: ["token-ada"])
        try await phone.bookmarks.insert(.verse(verse: 1, notes: "from the phone"))
        try await phone.sync()
        let tablet = try stage.space(device: "tablet")
        try await tablet.sync()
        #expect(try tablet.notes == [1: "from the phone"])
    }

    @Test func aRefusedTokenIsReplacedByTheNextOne() async throws {
        let phone = try space(device: "phone", tokens: ["an-old-one", "token-ada"])
        try await phone.sync()
        #expect(try phone.status().isInSync)
        #expect(stage.server.requests == 2)
    }

    @Test func aTokenThatStaysRefusedPausesTheAccount() async throws {
        let phone = try space(device: "phone", tokens: ["an-old-one"])
        let error = await #expect(throws: SyncError.self) { try await phone.sync() }
        #expect(error?.kind == .notPermitted)
        #expect(stage.server.requests == 1)
        #expect(try phone.status().outside.account == .paused)
    }

    @Test(arguments: ["http://sync.example.org", "https://ada:secret@sync.example.org", "sync.example.org"])
    func aUrlThatNoTokenMayBeSentToIsRefused(url: String) throws {
        let error = #expect(throws: SyncError.self) { try HTTPBackend(url: url) { "token" } }
        #expect(error?.kind == .usage)
    }

    @Test func theAccountInUseIsThatOfTheSpaceInUse() async throws {
        let accounts = try await stage.accounts(device: "phone")
        #expect(accounts.account == .guest)
        try await accounts.signIn(AccountID("ada"))
        #expect(accounts.account == AccountID("ada"))
        try await accounts.signOut(.keep)
        #expect(accounts.account == .guest)
    }

    @Test func eachErrorCanBeShown() async throws {
        let accounts = try await stage.accounts(device: "phone")
        try await accounts.signIn(AccountID("ada"))
        for verse in 1...3 { try await accounts.bookmarks.insert(.verse(verse: verse)) }
        let refusal = await #expect(throws: UnsentRecords.self) { try await accounts.signOut(.requireSynced) }
        let shown = SyncError(shown: try #require(refusal))
        #expect(shown.kind == .notPermitted)
        #expect(shown.message.hasSuffix("on this device alone: 3."))
        #expect(SyncError(shown: SyncError.offline()) == .offline())

        struct Secret: Error { var password = "hunter2" }
        let foreign = SyncError(shown: Secret())
        #expect(foreign.kind == .inputOutput)
        #expect(foreign.message.contains("Secret"))
        #expect(!foreign.message.contains("hunter2"))
    }

    @Test func whoFollowsAPartOfTheStatusHearsNothingOfTheRest() async throws {
        let space = try stage.space(device: "phone")
        var pending = space.statuses().changes(of: \.pending).makeAsyncIterator()
        #expect(try await pending.next() == 0)
        try await space.bookmarks.insert(.verse(verse: 1))
        #expect(try await pending.next() == 1)
        let rest = Task { [pending] in
            var pending = pending
            return try await pending.next()
        }
        for second in 1...20 {
            space.report { $0.clockSkewSeconds = Double(second) }
            try await Task.sleep(for: .milliseconds(1))
        }
        try await space.bookmarks.insert(.verse(verse: 2))
        #expect(try await rest.value == 2)
    }

    @Test func openingWaitsForAnotherProcessThatOpensOrChangesTheAccounts() async throws {
        let folder = stage.scratch.path + "/phone"
        let lock = try AccountFiles(root: folder, entities: []).lock()
        let configuration = AccountsConfiguration(folder: folder, entities: Stage.entities) {
            [stage] account in
            try stage.remote(device: "phone", person: account.text ?? "")
        }
        let opening = Task { try await SyncAccounts.open(configuration) }
        try await Task.sleep(for: .milliseconds(200))
        lock.close()
        #expect(try await opening.value.account == .guest)
    }
}
