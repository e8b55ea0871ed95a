// Apple platforms only: on Linux it is checked against a stand-in of SwiftUI.
#if canImport(SwiftUI)
    public import EntitySync
    public import SwiftUI

    /// Both versions of a record in conflict, field by field, with a choice for each and one for all.
    public struct ConflictSheet<Entity: SyncEntity>: View {
        private let model: ConflictModel<Entity>
        private let space: SyncSpace
        @Environment(\.dismiss) private var dismiss

        /// A sheet for a conflict, which it resolves in the space.
        public init(_ model: ConflictModel<Entity>, space: SyncSpace) {
            self.model = model
            self.space = space
        }

        /// The fields, and the buttons.
        public var body: some View {
            List {
                Section {
                    Button("Keep this device's version") { model.chooseAll(.local) }
                    Button("Take the other version") { model.chooseAll(.remote) }
                }
                ForEach(model.fields) { field in
                    Section {
                        row(field, side: .local, name: "This device", value: field.local)
                        row(field, side: .remote, name: "Other version", value: field.remote)
                    } header: {
                        Text(field.title)
                    }
                }
                Section {
                    if let error = model.error { Text(error.message + " " + error.help) }
                    Button("Save") { if model.resolve(in: space) { dismiss() } }
                    Button("Cancel", role: .cancel) { dismiss() }
                }
            }
        }

        /// One version of a field, which a tap chooses.
        private func row(
            _ field: ConflictField,
            side: ConflictModel<Entity>.Side,
            name: String,
            value: String?
        ) -> some View {
            let isChosen = model.choice(of: field) == side
            return Button {
                model.choose(side, for: field)
            } label: {
                Label {
                    Text(value ?? "No value")
                } icon: {
                    Image(systemName: isChosen ? "checkmark.circle.fill" : "circle")
                }
            }
            .accessibilityLabel(Text(field.title + ", " + name + ": " + (value ?? "no value")))
            .accessibilityValue(Text(isChosen ? "chosen" : "not chosen"))
        }
    }
#endif
