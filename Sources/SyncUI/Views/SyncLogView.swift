// Apple platforms only: on Linux it is checked against a stand-in of SwiftUI.
#if canImport(SwiftUI)
    public import EntitySync
    public import SwiftUI

    /// Past syncs, and the decisions of strategies with a button that brings back what was lost.
    public struct SyncLogView: View {
        private let space: SyncSpace
        @State private var model = SyncLogModel()

        /// The log of a space.
        public init(space: SyncSpace) { self.space = space }

        /// The two lists.
        public var body: some View {
            List {
                if let error = model.error { Text(error.message + " " + error.help) }
                Section {
                    ForEach(model.decisions) { decision in
                        Text(decision.entity + " " + decision.key.text + ": " + decision.rule)
                        Button("Bring back what was lost") { model.restore(decision, in: space) }
                            .disabled(model.restored.contains(decision.id))
                            .accessibilityLabel(
                                Text(
                                    "Bring back what was lost of " + decision.entity + " " + decision.key.text
                                )
                            )
                    }
                } header: {
                    Text("Automatic decisions")
                }
                Section {
                    ForEach(model.syncs) { entry in
                        Label {
                            Text(entry.started, style: .date) + Text(" ") + Text(entry.started, style: .time)
                            Text(entry.summary)
                            if let advice = entry.advice { Text(advice) }
                        } icon: {
                            Image(systemName: entry.isFailure ? "exclamationmark.triangle" : "checkmark")
                                .accessibilityLabel(Text(entry.isFailure ? "Failed" : "Done"))
                        }
                    }
                } header: {
                    Text("Past syncs")
                }
            }
            .task(id: ObjectIdentifier(space)) { await model.follow(space) }
        }
    }
#endif
