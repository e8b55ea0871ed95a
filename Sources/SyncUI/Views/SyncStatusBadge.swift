// Apple platforms only: on Linux it is checked against a stand-in of SwiftUI.
#if canImport(SwiftUI)
    public import EntitySync
    public import SwiftUI

    /// A symbol that shows where a space stands, with the same in words for people who do not see it.
    public struct SyncStatusBadge: View {
        private let space: SyncSpace
        private let texts: SyncStatusTexts
        @State private var model: SyncStatusModel

        /// A badge of a space.
        public init(space: SyncSpace, texts: SyncStatusTexts = SyncStatusTexts()) {
            self.space = space
            self.texts = texts
            _model = State(initialValue: SyncStatusModel(texts: texts))
        }

        /// The symbol.
        public var body: some View {
            let badge = SyncBadge(status: model.status, texts: texts)
            Image(systemName: badge.symbolName)
                .accessibilityLabel(Text(badge.label))
                .task(id: ObjectIdentifier(space)) { await model.follow(space) }
        }
    }
#endif
