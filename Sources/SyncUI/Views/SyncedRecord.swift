// Apple platforms only: on Linux it is checked against a stand-in of SwiftUI.
#if canImport(SwiftUI)
    public import EntitySync
    public import SwiftUI

    /// A record with its sync state, which updates the view when either changes.
    ///
    /// The article on SwiftUI shows it in use.
    ///
    /// The space is the one of `View.syncSpace(_:)`. The projected value has the state: `$bookmark.state`.
    @MainActor
    @propertyWrapper
    public struct SyncedRecord<Entity: SyncEntity>: DynamicProperty {
        @Environment(\.syncSpace) private var space
        @State private var model = SyncRecordModel<Entity>()
        private let key: Entity.EntityKey

        /// Observes the record of a key.
        public init(_ key: Entity.EntityKey) { self.key = key }

        /// The record; nil while there is none.
        public var wrappedValue: Entity? { model.record }

        /// The model with the record and its state.
        public var projectedValue: SyncRecordModel<Entity> { model }

        /// Called by SwiftUI before the view is drawn.
        public nonisolated func update() {
            let property = self
            MainActor.assumeIsolated { property.start() }
        }

        private func start() {
            if let space { model.start(key, in: space) } else { model.stop() }
        }
    }
#endif
