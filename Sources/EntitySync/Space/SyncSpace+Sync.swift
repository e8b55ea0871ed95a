public import SyncCore
public import SyncRuntime

/// Syncing: on request, and automatically.
extension SyncSpace {
    /// Syncs the space with its remote. Calls made while a sync runs share one more sync after it. While `run()`
    /// runs, calls made at about the same time share one sync. Options that name entities sync these, even if the person
    /// excludes them (`SpaceConfiguration.excludes`).
    ///
    /// Throws `SyncError`; what was exchanged until then stays.
    @discardableResult
    public func sync(_ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
        guard let automation else { throw missingRemote() }
        return try await automation.sync(options)
    }

    /// Syncs automatically until its task is cancelled or the space is closed: half a second after the last write,
    /// when the remote reports a change, when the app becomes active or the network returns, and periodically.
    ///
    /// An app calls it in a `.task` of its first view: <doc:SyncingByItself>.
    ///
    /// Failed syncs are retried; `statuses()` shows when. Nothing outlives the call. A space runs once: a second
    /// call, or a call on a space without a remote, returns at once.
    ///
    /// - Parameter startsActive: Whether the app is in the foreground already. Pass false if the system started the
    ///   app in the background.
    public func run(startsActive: Bool = true) async {
        await automation?.run(startsActive: startsActive)
    }

    /// The app is in the foreground. It syncs at once, unless a sync has just begun.
    public func appBecameActive() { automation?.send(.appBecameActive) }

    /// The app is no longer in the foreground. Pending changes are synced, in background time if the system grants
    /// any.
    public func appEnteredBackground() { automation?.send(.appEnteredBackground) }

    /// Something may have changed at the remote, for example after a push notification. Without types, all of them.
    public func remoteMayHaveChanged(_ types: [any SyncEntity.Type] = []) {
        let names = Set(types.map { $0.adapter.descriptor.name })
        automation?.send(.hint(entities: names.isEmpty ? nil : names))
    }

    /// The account may be used again after the remote had refused it. Pending changes are synced.
    public func accountResumed() async { await automation?.accountResumed() }

    private func missingRemote() -> SyncError {
        isGuest ? .guestHasNoRemote() : .noRemote()
    }
}
