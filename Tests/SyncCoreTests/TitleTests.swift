import SyncCore
import Testing

/// What people call a record.
@Suite struct TitleTests {
    private func entity(_ fields: [FieldDescriptor], references: [ReferenceDescriptor] = [])
        -> EntityDescriptor
    {
        let id = FieldDescriptor(name: "id", type: .string(), isRequired: true)
        return EntityDescriptor(
            name: "thing",
            typeName: "Thing",
            fields: [id] + fields,
            key: ["id"],
            strategy: .lastWriteWins,
            references: references
        )
    }

    private func text(_ name: String, maxLength: Int? = nil, isRequired: Bool = false) -> FieldDescriptor {
        FieldDescriptor(name: name, type: .string(maxLength: maxLength), isRequired: isRequired)
    }

    private func titles(_ entity: EntityDescriptor) -> [String] {
        entity.titleFields.map { entity.fields[$0].name }
    }

    @Test func aFieldThatIsCalledATitleComesFirstAndTheOrderOfTheSchemaDecidesNothing() {
        let fields = [
            text("summary", isRequired: true), text("fileName"), text("name"), text("label"), text("title"),
            text("place", maxLength: 200),
        ]
        let expected = ["title", "name", "label", "fileName", "summary", "place"]
        #expect(titles(entity(fields)) == expected)
        #expect(Set(titles(entity(fields.reversed()))) == Set(expected))
        #expect(titles(entity(fields.reversed())).prefix(3) == expected.prefix(3))
    }

    @Test func keysReferencesIdentifiersCodesLongTextsAndLocalOnesNameNothing() {
        var draft = text("draft", maxLength: 100)
        draft.isLocalOnly = true
        let fields = [
            text("ownerId", maxLength: 200, isRequired: true), text("parent"), draft,
            text("currency", maxLength: 32, isRequired: true), text("notes", maxLength: 100_000),
            FieldDescriptor(name: "name", type: .enumeration(["a"])),
        ]
        let reference = ReferenceDescriptor(field: "parent", entity: "thing", onDelete: .nullify)
        #expect(titles(entity(fields, references: [reference])).isEmpty)
    }

    @Test func theFirstTitleFieldWithATextNamesTheRecord() {
        let thing = entity([text("title"), text("place", maxLength: 200)])
        func title(_ title: FieldValue?, place: FieldValue?) -> String? {
            thing.title(of: Record(values: [.text("k"), title, place]))
        }
        #expect(title(.text(" A roof\n"), place: .text("Here")) == "A roof")
        for blank in [.null, .text(""), .text(" \n\t")] as [FieldValue?] {
            #expect(title(blank, place: .text("Here")) == "Here")
        }
        #expect(title(nil, place: nil) == nil)
    }

    @Test(arguments: [
        ("surahNumber", "Surah number"), ("due_date", "Due date"), ("in-progress", "In progress"),
        ("IN_PROGRESS", "In progress"), ("feedURL", "Feed URL"), ("teamMemberIds", "Team member ids"),
        ("größe", "größe"), ("on hold", "on hold"), ("$", "$"), ("", ""),
    ])
    func aNameBecomesASentence(name: String, sentence: String) {
        #expect(Words.sentence(name: name) == sentence)
    }

    @Test func aFieldIsCalledByItsNameInWords() { #expect(text("dueOn").label == "Due on") }
}
