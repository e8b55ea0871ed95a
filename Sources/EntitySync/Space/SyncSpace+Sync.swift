public import SyncCore
public import SyncRuntime

/// Syncing: when asked to, and by itself.
extension SyncSpace {
    /// Brings the space and its remote together. Calls made while a sync runs share one more sync after it, and calls at
    /// about the same time while `run()` runs share one.
    ///
    /// Throws `SyncError`; what was exchanged until then stays.
    @discardableResult
    public func sync(_ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
        guard let automation else { throw missingRemote() }
        return try await automation.sync(options)
    }

    /// Syncs by itself, until its task is cancelled or the space is closed: half a second after the last write, when the
    /// remote tells of a change, when the app becomes active or the network returns, and now and then.
    ///
    /// ```swift
    /// .task { await space.run() }
    /// .onChange(of: scenePhase) { _, phase in
    ///     if phase == .active { space.appBecameActive() }
    ///     if phase == .background { space.appEnteredBackground() }
    /// }
    /// ```
    ///
    /// Failures are tried again by themselves; `statuses()` tells when. Nothing outlives the call. A space runs once: a
    /// second call, and one of a space without remote, returns at once.
    ///
    /// - Parameter startsActive: Whether the app is in the foreground already. An app that the system started in the
    ///   background gives false.
    public func run(startsActive: Bool = true) async {
        await automation?.run(startsActive: startsActive)
    }

    /// The app is in the foreground: it syncs at once, unless a sync just began.
    public func appBecameActive() { automation?.tell(.appBecameActive) }

    /// The app is not in the foreground any more: what waits is synced, in background time where the system grants any.
    public func appEnteredBackground() { automation?.tell(.appEnteredBackground) }

    /// Something may have changed at the remote, as a push notification told; all types where none is named.
    public func remoteMayHaveChanged(_ types: [any SyncEntity.Type] = []) {
        let names = Set(types.map { $0.adapter.descriptor.name })
        automation?.tell(.hint(entities: names.isEmpty ? nil : names))
    }

    /// The account may be used again, after the remote had refused it: what waits is synced.
    public func accountResumed() async { await automation?.accountResumed() }

    private func missingRemote() -> SyncError {
        isGuest ? .guestHasNoRemote() : .noRemote()
    }
}
