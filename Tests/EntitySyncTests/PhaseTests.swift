import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import SyncServer
import Testing
import Waits

/// What syncing is about, why it failed last, and what it decided, as an app can show it.
@Suite(.timeLimit(.minutes(30))) struct PhaseTests {
    let stage: Stage

    init() throws { stage = try Stage() }

    @Test func syncingIsShownFromTheStartOfAnAttemptAlsoAgainstASilentServer() async throws {
        let silent = SilentRemote()
        let space = try SyncSpace.open(scratch: stage.scratch, name: "phone", remote: silent)
        var phases = space.statuses().changes(of: \.phase).makeAsyncIterator()
        #expect(try await phases.next() == .idle)
        let sync = Task { try await space.sync() }
        try await silent.untilAsked()
        try #require(try space.status().phase == .syncing(.started))
        #expect(try await phases.next() == .syncing(.started))
        #expect(try !space.status().isInSync)
        silent.fail(with: SyncError.offline())
        await #expect(throws: SyncError.offline()) { try await sync.value }
        #expect(try await phases.next() == .idle)
    }

    @Test func syncingIsShownUntilTheLastOfSeveralAttemptsHasEnded() async throws {
        let silent = SilentRemote()
        let space = try SyncSpace.open(scratch: stage.scratch, name: "phone", remote: silent)
        let first = Task { try await space.sync() }
        try await silent.untilAsked()
        let second = Task { try await space.sync() }
        silent.fail(with: SyncError.offline())
        await #expect(throws: SyncError.self) { try await first.value }
        try await silent.untilAsked()
        #expect(try space.status().phase == .syncing(.started))
        silent.fail(with: SyncError.offline())
        await #expect(throws: SyncError.self) { try await second.value }
        #expect(try space.status().phase == .idle)
    }

    @Test func withoutASchedulerAWriteWaitsUntilSomebodySyncs() async throws {
        let space = try stage.space(device: "phone")
        try await space.bookmarks.insert(.verse(verse: 1))
        #expect(try space.status().phase == .waiting(until: nil))
        try await space.sync()
        #expect(try space.status().phase == .idle)
    }

    @Test func whoHasNobodyToSyncWithWaitsForNothing() throws {
        let space = try SyncSpace.open(scratch: stage.scratch, name: "alone")
        try space.bookmarks.insert(.verse(verse: 1))
        #expect(try space.status().phase == .idle)
    }

    @Test func eachPhaseOfTheSchedulerIsShown() async throws {
        let space = try stage.space(device: "phone")
        try await running(space: space) {
            try await stage.until(what: "the first sync") { try space.status().isInSync }
            try await stage.until(what: "it rests") { try space.status().phase == .idle }
            try await space.bookmarks.insert(.verse(verse: 1))
            try await stage.until(what: "a sync is planned") {
                if case .waiting(until: .some) = try space.status().phase { true } else { false }
            }
            stage.server.setFaults { _, _ in .unreachable }
            try await stage.until(what: "it backs off") {
                if case .backingOff = try space.status().phase { true } else { false }
            }
            stage.network.set(false)
            try await stage.until(what: "it has no network") { try space.status().phase == .offline }
            stage.network.set(true)
            stage.server.setFaults { _, _ in .answer(HTTPResponse(status: 418)) }
            try await stage.until(what: "it is halted") {
                if case .halted = try space.status().phase { true } else { false }
            }
            stage.server.setFaults(nil)
            stage.server.remove(token: "token-ada")
            try await space.bookmarks.insert(.verse(verse: 2))
            try await stage.until(what: "it is paused") { try space.status().phase == .paused }
        }
    }

    @Test func theLastFailureIsShownWithItsSentenceAndAdviceUntilASyncSucceeds() async throws {
        let space = try stage.space(device: "phone")
        stage.network.set(false)
        var failures = space.statuses().changes(of: \.lastFailure).makeAsyncIterator()
        #expect(try await failures.next() == .some(nil))
        await #expect(throws: SyncError.self) { try await space.sync() }
        let failure = try #require(try await failures.next() ?? nil)
        #expect(failure == SyncStatus.Failure(at: stage.time.now(), error: .offline()))
        #expect(failure.error.retry == .later)
        stage.network.set(true)
        try await space.sync()
        #expect(try await failures.next() == .some(nil))
    }

    @Test func theLastFailureIsKnownAfterARestartAndToOtherProcesses() async throws {
        let space = try stage.space(device: "phone")
        stage.server.remove(token: "token-ada")
        let error = await #expect(throws: SyncError.self) { try await space.sync() }
        space.close()
        let again = try stage.space(device: "phone")
        let failure = try #require(try again.status().lastFailure)
        #expect(failure.error.message == error?.message)
        #expect(failure.error.help == error?.help)
        #expect(failure.error.retry == .afterSignIn)
        stage.server.add(Account(id: "ada", name: "ada"), token: "token-ada")
        let other = try stage.space(device: "phone")
        await stage.time.advance(seconds: 1)
        try await other.sync()
        #expect(try again.status().lastFailure == nil)
    }

    @Test func aSyncThatWasCancelledIsNoFailure() async throws {
        let silent = SilentRemote()
        let space = try SyncSpace.open(scratch: stage.scratch, name: "phone", remote: silent)
        let sync = Task { try await space.sync() }
        try await silent.untilAsked()
        silent.fail(with: CancellationError())
        await #expect(throws: CancellationError.self) { try await sync.value }
        #expect(try space.status().lastFailure == nil)
    }

    @Test func anErrorOfTheAppsOwnClosureIsAFailureThatNamesNoValue() async throws {
        struct Locked: Error { var password = "hunter2" }
        let silent = SilentRemote()
        let space = try SyncSpace.open(scratch: stage.scratch, name: "phone", remote: silent)
        let sync = Task { try await space.sync() }
        try await silent.untilAsked()
        silent.fail(with: Locked())
        await #expect(throws: Locked.self) { try await sync.value }
        let failure = try #require(try space.status().lastFailure)
        #expect(failure.error.message.contains("Locked") && !failure.error.message.contains("hunter2"))
        #expect(failure.error.retry == .later)
    }

    @Test func automaticDecisionsAreCountedFromADateOn() async throws {
        let (phone, tablet) = (try stage.space(device: "phone"), try stage.space(device: "tablet"))
        var decisions = phone.observeDecisions(since: stage.time.now()).makeAsyncIterator()
        #expect(try await decisions.next() == [])
        try await phone.projects.insert(.named(id: "p1"))
        try await phone.sync()
        try await tablet.sync()
        for (space, title) in [(phone, "from the phone"), (tablet, "from the tablet")] {
            await stage.time.advance(seconds: 1)
            var project = try #require(try await space.projects.find("p1"))
            project.title = title
            try await space.projects.update(project)
        }
        try await tablet.sync()
        try await phone.sync()
        let made = try #require(try await decisions.next())
        #expect(made.map(\.entity) == ["project"])
        #expect(made.map(\.rule) == ["last-write-wins"])
        #expect(made.map(\.id) == (try phone.projects.journal().map(\.id)))
        #expect(try phone.decisions(since: made[0].at) == made)
        #expect(try phone.decisions(since: made[0].at.next).isEmpty)
    }
}

/// A remote that answers when the story says so.
final class SilentRemote: RemoteBackend {
    let capabilities: RemoteCapabilities = .versionMetadata
    private let waiting = Guarded<[CheckedContinuation<any RemoteSession, any Error>]>([])

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        try await withCheckedThrowingContinuation { answer in waiting.use { $0.append(answer) } }
    }

    /// Returns once somebody waits for an answer.
    func untilAsked() async throws {
        try await eventually(what: "the remote is asked") { waiting.use { !$0.isEmpty } }
    }

    func fail(with error: any Error) {
        let answers = waiting.use { waiting in
            defer { waiting = [] }
            return waiting
        }
        for answer in answers { answer.resume(throwing: error) }
    }
}
