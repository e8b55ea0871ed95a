public import EntitySync
public import Observation

/// A record with its sync state for views, which update with its properties.
///
/// The article on SwiftUI shows it in use.
@Observable
@MainActor
public final class SyncRecordModel<Entity: SyncEntity> {
    /// The record; nil while there is none.
    public private(set) var record: Entity?
    /// Where the record stands towards the remote; nil while there is no record.
    public private(set) var state: RecordSyncState?
    /// Whether the first result is still to come.
    public private(set) var isLoading = true
    /// Why the record could not be read; nil while all is well. What may pass is tried again after a while.
    public private(set) var error: SyncError?

    @ObservationIgnored private var observation = StartedObservation()
    private let sleeper: any SyncSleeper

    /// Makes a model without a record.
    ///
    /// - Parameter sleeper: Waits before a read that failed is tried again.
    public init(sleeper: any SyncSleeper = SystemSleeper()) { self.sleeper = sleeper }

    /// Observes a record until the task is cancelled or the space is closed.
    public func follow(_ key: Entity.EntityKey, in space: SyncSpace) async {
        if observation.enters(space) { clear() }
        begin()
        let results = space.collection(Entity.self).observeStated(key)
        await results.follow(sleeper: sleeper, show: { show($0) }, fail: { end(with: $0) })
    }

    /// Reads the record once, for previews and tests.
    public func load(_ key: Entity.EntityKey, in space: SyncSpace) {
        begin()
        do { show(try space.collection(Entity.self).findStated(key)) } catch { end(with: error) }
    }

    /// Observes a record until the model is released. The same record of the same space is not started again.
    func start(_ key: Entity.EntityKey, in space: SyncSpace) {
        let subject = StartedObservation.Subject(key: Entity.recordKey(key))
        guard let isSameSpace = observation.begins(subject, in: space) else { return }
        if !isSameSpace { clear() }
        begin()
        let results = space.collection(Entity.self).observeStated(key)
        observation.task = Task { [weak self, sleeper] in
            await results.follow(
                sleeper: sleeper,
                show: { self?.show($0) },
                fail: { self?.end(with: $0) }
            )
        }
    }

    /// Ends the observation where there is no space any more, as after a sign-out.
    func stop() {
        guard observation.ends() else { return }
        clear()
        begin()
    }

    /// Nobody sees the record of another account.
    private func clear() { if record != nil { (record, state) = (nil, nil) } }

    private func begin() {
        if error != nil { error = nil }
        if !isLoading { isLoading = true }
    }

    private func show(_ stated: StatedRecord<Entity>?) {
        (record, state) = (stated?.value, stated?.state)
        isLoading = false
        if error != nil { error = nil }
    }

    private func end(with error: any Error) {
        isLoading = false
        self.error = SyncError(shown: error)
    }
}
