// Apple platforms only: on Linux it is checked against a stand-in of SwiftUI.
#if canImport(SwiftUI)
    public import EntitySync
    public import SwiftUI

    /// Past syncs, and the decisions of strategies with a button that brings back what was lost.
    public struct SyncLogView: View {
        private let space: SyncSpace
        private let texts: SyncLogTexts
        @State private var model = SyncLogModel()

        /// The log of a space.
        public init(space: SyncSpace, texts: SyncLogTexts = SyncLogTexts()) {
            self.space = space
            self.texts = texts
        }

        /// The two lists.
        public var body: some View {
            List {
                if let error = model.error { Text(error.message + " " + error.help) }
                Section {
                    ForEach(model.decisions) { decision in
                        Text(decision.entity + " " + decision.key.text + ": " + texts.rule(decision.rule))
                        Button(texts.bringBack) { model.restore(decision, in: space) }
                            .disabled(model.restored.contains(decision.id))
                            .accessibilityLabel(
                                Text(texts.bringBack + ": " + decision.entity + " " + decision.key.text)
                            )
                    }
                } header: {
                    Text(texts.decisions)
                }
                Section {
                    ForEach(model.syncs) { entry in
                        Label {
                            Text(entry.started, style: .date) + Text(" ") + Text(entry.started, style: .time)
                            Text(texts.summary(of: entry.sync))
                            if let advice = entry.advice { Text(advice) }
                        } icon: {
                            Image(systemName: entry.isFailure ? "exclamationmark.triangle" : "checkmark")
                                .accessibilityLabel(Text(entry.isFailure ? texts.failed : texts.done))
                        }
                    }
                } header: {
                    Text(texts.syncs)
                }
            }
            .task(id: ObjectIdentifier(space)) { await model.follow(space) }
        }
    }
#endif
