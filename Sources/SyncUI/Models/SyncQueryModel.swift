public import EntitySync
public import Observation

/// The records of a query for views, which update with its properties.
///
/// The article on SwiftUI shows it in use.
@Observable
@MainActor
public final class SyncQueryModel<Entity: SyncEntity> {
    /// The records in the query's order; empty before the first result. They stay when a read fails.
    public private(set) var records: [Entity] = []
    /// Whether the first result is still to come.
    public private(set) var isLoading = true
    /// Why the records could not be read; nil while all is well. What may pass is tried again after a while.
    public private(set) var error: SyncError?

    @ObservationIgnored private var observation = StartedObservation()
    private let sleeper: any SyncSleeper

    /// Makes a model without records.
    ///
    /// - Parameter sleeper: Waits before a read that failed is tried again.
    public init(sleeper: any SyncSleeper = SystemSleeper()) { self.sleeper = sleeper }

    /// Observes a query until the task is cancelled or the space is closed.
    public func follow(_ query: SyncQuery<Entity>, in space: SyncSpace) async {
        if observation.enters(space) { clear() }
        begin()
        let records = space.collection(Entity.self).observe(query)
        await records.follow(sleeper: sleeper, show: { show($0) }, fail: { end(with: $0) })
    }

    /// Reads the records once, for previews and tests.
    public func load(_ query: SyncQuery<Entity> = SyncQuery(), in space: SyncSpace) {
        begin()
        do { show(try space.collection(Entity.self).query(query)) } catch { end(with: error) }
    }

    /// Observes a query until the model is released. The same query on the same space is not started again.
    func start(_ query: SyncQuery<Entity>, in space: SyncSpace) {
        guard let isSameSpace = observation.begins(StartedObservation.Subject(query: query), in: space) else {
            return
        }
        if !isSameSpace { clear() }
        begin()
        let records = space.collection(Entity.self).observe(query)
        observation.task = Task { [weak self, sleeper] in
            await records.follow(
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

    /// Nobody sees the records of another account.
    private func clear() { if !records.isEmpty { records = [] } }

    private func begin() {
        // Written only when they change: a view that reads them is drawn anew at each write.
        if error != nil { error = nil }
        if !isLoading { isLoading = true }
    }

    private func show(_ records: [Entity]) {
        self.records = records
        isLoading = false
        if error != nil { error = nil }
    }

    private func end(with error: any Error) {
        isLoading = false
        self.error = SyncError(shown: error)
    }
}
