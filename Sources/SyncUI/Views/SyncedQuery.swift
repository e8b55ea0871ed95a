// Apple platforms only: on Linux it is checked against a stand-in of SwiftUI.
#if canImport(SwiftUI)
    public import EntitySync
    public import SwiftUI

    /// The records of a query, which update the view when they change.
    ///
    /// The article on SwiftUI shows it in use.
    ///
    /// The space is the one of `View.syncSpace(_:)`. The projected value tells whether it is loading, and errors.
    @MainActor
    @propertyWrapper
    public struct SyncedQuery<Entity: SyncEntity>: DynamicProperty {
        @Environment(\.syncSpace) private var space
        @State private var model = SyncQueryModel<Entity>()
        private let query: SyncQuery<Entity>

        /// Observes a query; without one, all records in key order.
        public init(_ query: SyncQuery<Entity> = SyncQuery()) { self.query = query }

        /// The records in the query's order; empty before the first result.
        public var wrappedValue: [Entity] { model.records }

        /// The model with the records, and whether they are loading.
        public var projectedValue: SyncQueryModel<Entity> { model }

        /// Called by SwiftUI before the view is drawn.
        public nonisolated func update() {
            let property = self
            MainActor.assumeIsolated { property.start() }
        }

        private func start() {
            if let space { model.start(query, in: space) } else { model.stop() }
        }
    }
#endif
