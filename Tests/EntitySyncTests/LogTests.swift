import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// What an app's log is told, and what its people are told.
@Suite struct LogTests {
    let stage: Stage
    private let events = Guarded<[SyncEvent]>([])

    init() throws { stage = try Stage() }

    private func space(remote: any RemoteBackend) throws -> SyncSpace {
        var configuration = SpaceConfiguration(
            folder: stage.scratch.path + "/phone",
            entities: Stage.entities,
            remote: remote,
            environment: SpaceEnvironment(
                clock: stage.time,
                random: SeededRandom(1),
                sleeper: stage.time,
                connectivity: stage.network
            )
        )
        configuration.log = { [events] event in events.use { $0.append(event) } }
        return try SyncSpace.open(configuration)
    }

    private var told: [SyncEvent] { events.use { $0 } }

    @Test func aSyncIsLoggedFromItsStartToItsEnd() async throws {
        let space = try space(remote: try stage.remote(device: "phone", person: "ada"))
        try await space.bookmarks.insert(.verse(verse: 1, notes: "a secret"))
        let report = try await space.sync()
        #expect(told.first == .syncStarted)
        #expect(told.contains(.progress(.pushing(count: 1))))
        #expect(told.last == .syncEnded(report, seconds: 0))
        #expect(told.last?.level == .info)
        #expect(
            told.last?.message
                == "sync synced: pushed 1, pulled 0, merged 0, conflicts 0, rejected 0 after 0.0 s"
        )
        #expect(!told.contains { $0.message.contains("secret") })
    }

    @Test func aFailureIsLoggedWithItsSentenceAndByWhetherTryingAgainHelps() async throws {
        let space = try space(remote: try stage.remote(device: "phone", person: "ada"))
        stage.network.set(false)
        await #expect(throws: SyncError.self) { try await space.sync() }
        #expect(told.last == .syncFailed(.offline(), seconds: 0))
        #expect(told.last?.level == .warning)
        stage.network.set(true)
        stage.server.remove(token: "token-ada")
        await #expect(throws: SyncError.self) { try await space.sync() }
        #expect(told.last?.level == .error)
        #expect(told.last?.message.hasSuffix(": The server does not accept the token.") == true)
    }

    @Test func whatAFolderHoldsThatIsNoneOfOursIsLogged() async throws {
        let space = try space(remote: stage.scratch.remote)
        try await space.sync()
        try Data("x".utf8).write(
            to: URL(fileURLWithPath: stage.scratch.path + "/shared/entitysync/stray.txt")
        )
        try await space.sync()
        let diagnostic = try #require(
            told.compactMap { event in
                if case .remoteDiagnostic(let diagnostic) = event { diagnostic } else { nil }
            }.first
        )
        #expect(diagnostic.rule == "foreign-file")
    }

    @Test func theSchedulerLogsWhatItGoesOverTo() async throws {
        let space = try space(remote: try stage.remote(device: "phone", person: "ada"))
        async let run: Void = space.run()
        try await stage.until(what: "the first sync") { try space.status().isInSync }
        try await stage.until(what: "it rests") { told.contains(.scheduled(.idle)) }
        space.close()
        await run
        #expect(told.contains { if case .scheduled(.syncing) = $0 { true } else { false } })
    }

    @Test func aCancelledSyncIsNoFailureInTheLog() async throws {
        let silent = SilentRemote()
        let space = try space(remote: silent)
        let sync = Task { try await space.sync() }
        try await silent.untilAsked()
        silent.fail(with: CancellationError())
        await #expect(throws: CancellationError.self) { try await sync.value }
        #expect(told.last == .syncCancelled(seconds: 0))
    }

    @Test func theAccountsOfADeviceLogThroughTheSameClosure() async throws {
        var configuration = AccountsConfiguration(
            folder: stage.scratch.path + "/phone",
            entities: Stage.entities
        ) { [stage] account in try stage.remote(device: "phone", person: account.text ?? "") }
        configuration.log = { [events] event in events.use { $0.append(event) } }
        let accounts = try await SyncAccounts.open(configuration)
        try await accounts.signIn(AccountID("ada"))
        try await accounts.space.sync()
        #expect(told.first == .syncStarted)
        #expect(told.last?.level == .info)
        await accounts.close()
    }

    @Test func anErrorIsShownAsTheSystemsOwnAre() {
        let error: any Error = SyncError.noConflict(entity: "bookmark")
        #expect(error.localizedDescription == "That bookmark record is not in conflict.")
        let localized = error as? any LocalizedError
        #expect(localized?.errorDescription == error.localizedDescription)
        #expect(localized?.recoverySuggestion == SyncError.noConflict(entity: "bookmark").help)
    }

    @Test func anAppAndACommandLineAreHelpedInTheirOwnWords() {
        let error = SyncError.noSuchRecord(entity: "bookmark")
        #expect(!error.help.contains("--") && !error.help.contains("'"))
        #expect(error.commandLineHelp?.contains("'export bookmark'") == true)
        #expect(SyncError.offline().commandLineHelp == nil)
    }
}
