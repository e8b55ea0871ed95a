// Apple platforms only: on Linux it is checked against a stand-in of SwiftUI.
#if canImport(SwiftUI)
    public import EntitySync
    public import SwiftUI

    /// Carries the space of a view and the views inside it.
    private struct SyncSpaceKey: EnvironmentKey {
        static let defaultValue: SyncSpace? = nil
    }

    extension EnvironmentValues {
        /// The space that `SyncedQuery` and `SyncedRecord` read; nil until a view sets it.
        public var syncSpace: SyncSpace? {
            get { self[SyncSpaceKey.self] }
            set { self[SyncSpaceKey.self] = newValue }
        }
    }

    extension View {
        /// Gives this view, and the views inside it, a space to read from.
        public func syncSpace(_ space: SyncSpace?) -> some View { environment(\.syncSpace, space) }
    }
#endif
