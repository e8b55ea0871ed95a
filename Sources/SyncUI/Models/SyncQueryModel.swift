public import EntitySync
public import Observation

/// The records of a query for views, which update with its properties.
///
/// The article on SwiftUI shows it in use.
@Observable
@MainActor
public final class SyncQueryModel<Entity: SyncEntity> {
    /// The records in the query's order; empty before the first result. They stay when an error ends the observation.
    public private(set) var records: [Entity] = []
    /// Whether the first result is still to come.
    public private(set) var isLoading = true
    /// Why the records are no longer observed; nil while all is well.
    public private(set) var error: SyncError?

    @ObservationIgnored private var observation = StartedObservation()

    /// Makes a model without records.
    public init() {}

    /// Observes a query until the task is cancelled or the space is closed.
    public func follow(_ query: SyncQuery<Entity>, in space: SyncSpace) async {
        begin()
        do {
            for try await records in space.collection(Entity.self).observe(query) { show(records) }
        } catch { end(with: error) }
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
        observation.task = Task { [weak self] in
            do {
                for try await records in records {
                    // What was read before a cancel may arrive after it.
                    guard !Task.isCancelled else { return }
                    self?.show(records)
                }
            } catch { if !Task.isCancelled { self?.end(with: error) } }
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
    }

    private func end(with error: any Error) {
        isLoading = false
        self.error = SyncError(shown: error)
    }
}
