import SyncAccounts
import SyncCore
import SyncRuntime
import SyncStore

/// The remote of a space, and how the space syncs with it.
struct SpaceRemote: Sendable {
    let backend: any RemoteBackend
    private let clock: any SyncClock
    private let run: @Sendable (SyncOptions) async throws -> SyncReport

    /// The remote of an account, until the account is left; nil for the guest.
    init?(session: AccountSession, clock: any SyncClock) {
        guard let backend = session.remote else { return nil }
        self.backend = backend
        self.clock = clock
        run = { try await session.sync($0) }
    }

    /// The remote of a space without accounts.
    init(backend: any RemoteBackend, engine: SyncEngine, clock: any SyncClock) {
        self.backend = backend
        self.clock = clock
        run = { try await engine.sync($0) }
    }

    /// Runs a sync, and reports its progress to the board. Throws `SyncError`.
    func sync(_ options: SyncOptions, reportingTo board: StatusBoard) async throws -> SyncReport {
        let start = clock.now()
        board.beginAttempt()
        let result: Result<SyncReport, any Error>
        do { result = .success(try await run(options)) } catch { result = .failure(error) }
        let conditions = await backend.conditions()
        let end = clock.now()
        board.endAttempt { facts in
            facts.clockSkewSeconds = conditions.clockSkewSeconds ?? facts.clockSkewSeconds
            switch result {
            case .success:
                facts.account = .signedIn
                if !options.isDryRun { facts.lastFailure = nil }
            case .failure(let error):
                if (error as? SyncError)?.retry == .afterSignIn { facts.account = .paused }
                if !options.isDryRun, let error = error.asFailure {
                    facts.lastFailure = SyncStatus.Failure(at: end, error: error)
                }
            }
        }
        let seconds = max(0, Double(end.microseconds - start.microseconds) / 1_000_000)
        switch result {
        case .success(let report):
            for diagnostic in report.diagnostics { board.emit(.remoteDiagnostic(diagnostic)) }
            board.emit(.syncEnded(report, seconds: seconds))
        case .failure(let error):
            let failure = error.asFailure.map { SyncEvent.syncFailed($0, seconds: seconds) }
            board.emit(failure ?? .syncCancelled(seconds: seconds))
        }
        return try result.get()
    }
}

extension Error {
    /// The error as that of a failed sync; nil if this device cancelled the sync.
    fileprivate var asFailure: SyncError? {
        if self is CancellationError { return nil }
        let error = SyncError(shown: self)
        return error == .accountLeft() || error == .storeClosed() ? nil : error
    }
}
