public import EntitySync
public import Observation

/// What happened in a space, for views: past syncs, and the decisions that strategies took by themselves.
@Observable
@MainActor
public final class SyncLogModel {
    /// The last syncs, newest first.
    public private(set) var syncs: [SyncLogEntry] = []
    /// The automatic decisions that took away something a person wrote, newest first.
    public private(set) var decisions: [AutomaticDecision] = []
    /// The decisions whose lost value was brought back here.
    public private(set) var restored: Set<AutomaticDecision.ID> = []
    /// What failed last: observing, or bringing a value back; nil while all is well.
    public private(set) var error: SyncError?

    /// Makes an empty log.
    public init() {}

    /// Observes a space until the task is cancelled or the space is closed.
    public func follow(_ space: SyncSpace) async {
        error = nil
        async let syncs: Void = followSyncs(space)
        await followDecisions(space)
        await syncs
    }

    private func followSyncs(_ space: SyncSpace) async {
        do {
            for try await history in space.observeSyncHistory() { show(history: history) }
        } catch { self.error = SyncError(shown: error) }
    }

    private func followDecisions(_ space: SyncSpace) async {
        do {
            for try await list in space.observeDecisions(since: Self.beginning) { show(decisions: list) }
        } catch { self.error = SyncError(shown: error) }
    }

    /// Reads the log once, for previews and tests.
    public func load(_ space: SyncSpace) {
        do {
            show(history: try space.syncHistory())
            show(decisions: try space.decisions(since: Self.beginning))
            error = nil
        } catch { self.error = SyncError(shown: error) }
    }

    /// Brings back the value that lost, as a new edit. Returns whether it did; otherwise `error` says why not.
    @discardableResult
    public func restore(_ decision: AutomaticDecision, in space: SyncSpace) -> Bool {
        do {
            try space.restore(decision)
            restored.insert(decision.id)
            error = nil
            return true
        } catch {
            self.error = SyncError(shown: error)
            return false
        }
    }

    private static let beginning = Timestamp(microseconds: .min)

    private func show(history: [PastSync]) { syncs = history.map { SyncLogEntry($0) } }

    private func show(decisions: [AutomaticDecision]) { self.decisions = decisions.reversed() }
}
