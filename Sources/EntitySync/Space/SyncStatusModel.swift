public import Observation
public import SyncCore
public import SyncRuntime

/// The status of a space for views: they follow its properties by themselves.
///
/// ```swift
/// struct SyncBadge: View {
///     let space: SyncSpace
///     @State private var model = SyncStatusModel()
///     var body: some View {
///         Text(model.status?.isInSync == true ? "Up to date" : "Syncing").task { await model.follow(space) }
///     }
/// }
/// ```
@Observable
@MainActor
public final class SyncStatusModel {
    /// The last status; nil before the first.
    public private(set) var status: SyncStatus?
    /// Why the status is not followed any more; nil while all is well.
    public private(set) var problem: SyncError?

    /// Knows nothing yet.
    public init() {}

    /// Follows a space until the task is cancelled or the space is closed.
    public func follow(_ space: SyncSpace) async {
        problem = nil
        do {
            for try await status in space.statuses() { self.status = status }
        } catch {
            problem = error as? SyncError
        }
    }
}
