// Apple platforms only: on Linux it is checked against a stand-in of SwiftUI.
#if canImport(SwiftUI)
    public import EntitySync
    public import SwiftUI

    /// Both versions of a record in conflict, field by field, with a choice for each and one for all.
    public struct ConflictSheet<Entity: SyncEntity>: View {
        private let model: ConflictModel<Entity>
        private let space: SyncSpace
        private let texts: ConflictTexts
        @Environment(\.dismiss) private var dismiss
        @Environment(\.locale) private var locale
        @Environment(\.timeZone) private var timeZone

        /// A sheet for a conflict, which it resolves in the space.
        public init(
            _ model: ConflictModel<Entity>,
            space: SyncSpace,
            texts: ConflictTexts = ConflictTexts()
        ) {
            self.model = model
            self.space = space
            self.texts = texts
        }

        /// The fields, and the buttons.
        public var body: some View {
            List {
                Section {
                    Button(texts.keepLocal) { model.chooseAll(.local) }
                    Button(texts.takeRemote) { model.chooseAll(.remote) }
                } header: {
                    Text(model.title)
                }
                ForEach(model.fields) { field in
                    Section {
                        row(field, side: .local, name: texts.local)
                        row(field, side: .remote, name: texts.remote)
                    } header: {
                        Text(field.title)
                    }
                }
                Section {
                    if let error = model.error { Text(error.message + " " + error.help) }
                    Button(texts.save) { if model.resolve(in: space) { dismiss() } }
                    Button(texts.cancel, role: .cancel) { dismiss() }
                }
            }
        }

        /// One version of a field, which a tap chooses.
        private func row(_ field: ConflictField, side: ConflictModel<Entity>.Side, name: String)
            -> some View
        {
            let isChosen = model.choice(of: field) == side
            let value = model.text(of: field, side: side, texts: texts, locale: locale, timeZone: timeZone)
            return Button {
                model.choose(side, for: field)
            } label: {
                Label {
                    Text(name)
                    Text(value)
                } icon: {
                    Image(systemName: isChosen ? "checkmark.circle.fill" : "circle")
                }
            }
            .accessibilityLabel(Text(field.title + ", " + name + ": " + value))
            .accessibilityValue(Text(isChosen ? texts.chosen : texts.notChosen))
        }
    }
#endif
