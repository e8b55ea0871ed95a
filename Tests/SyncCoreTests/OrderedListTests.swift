import SyncCore
import Testing

/// Lists that keep their order and hold no element twice.
@Suite struct OrderedListTests {
    private static func trip(hasUniqueItems: Bool) -> EntityDescriptor {
        let stops = FieldDescriptor(
            name: "stops",
            type: .array(element: .string()),
            hasUniqueItems: hasUniqueItems
        )
        return EntityDescriptor(
            name: "trip",
            typeName: "Trip",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true), stops,
                FieldDescriptor(name: "part", type: .object([stops])),
                FieldDescriptor(
                    name: "fares",
                    wirePath: ["all_fares"],
                    type: .array(element: .decimal),
                    hasUniqueItems: hasUniqueItems
                ),
            ],
            key: ["id"],
            strategy: .lastWriteWins
        )
    }

    private let entity = trip(hasUniqueItems: true)

    @Test(arguments: [RecordForm.plain, .wire]) func theOrderIsKept(form: RecordForm) throws {
        let fares = form == .plain ? "fares" : "all_fares"
        let json = #"{"id":"x","stops":["z","b","a"],"part":{"stops":["c","a"]},"\#(fares)":["2","1"]}"#
        var decoder = RecordDecoder(descriptor: entity, form: form)
        let record = try decoder.record(Array(json.utf8))
        let text = String(
            decoding: RecordEncoder(descriptor: entity, form: form).bytes(record),
            as: UTF8.self
        )
        #expect(text == json)
    }

    @Test(arguments: [
        (#""stops":["b","a","b"]"#, "stops[2]"), (#""part":{"stops":["a","a"]}"#, "part.stops[1]"),
        (#""fares":["1","1.0"]"#, "fares[1]"), (#""stops":["a", "\u0061"]"#, "stops[1]"),
    ])
    func anElementThatIsThereTwiceIsRefusedWithItsPlace(member: String, place: String) throws {
        let json = Array(#"{"id":"x",\#(member)}"#.utf8)
        var decoder = RecordDecoder(descriptor: entity, form: .plain)
        let message = "'\(place)' is in the list already."
        #expect(throws: FieldError(field: place, rule: "unique-items", message: message)) {
            try decoder.record(json)
        }
        var plain = RecordDecoder(descriptor: Self.trip(hasUniqueItems: false), form: .plain)
        #expect(throws: Never.self) { try plain.record(json) }
    }

    /// A row that an older schema allowed is shown, and a record that was refused for it is checked again without it.
    @Test func whatIsThereAlreadyStaysReadable() throws {
        let plain = Self.trip(hasUniqueItems: false)
        var decoder = RecordDecoder(descriptor: plain, form: .plain)
        let record = try decoder.record(
            Array(#"{"id":"x","stops":["a","a"],"part":{"stops":["a","a"]}}"#.utf8)
        )
        #expect(RecordFit(entity).fits(record))
        #expect(entity.fields.allSatisfy { !$0.lenient.hasUniqueItems })
        #expect(
            EntityDescriptor.checksDigest(of: [entity]) != EntityDescriptor.checksDigest(of: [plain])
        )
    }

    /// Another digest would make devices with and without this version compare all their records.
    @Test func aSchemaThatDoesNotSayItHasTheDigestThatItHad() {
        let part = FieldType.object([FieldDescriptor(name: "a", type: .boolean)])
        let entity = EntityDescriptor(
            name: "thing",
            typeName: "Thing",
            fields: [FieldDescriptor(name: "part", type: part)],
            key: ["part"],
            strategy: .lastWriteWins
        )
        let text =
            "part object([SyncModel.FieldDescriptor(name: \"a\", wirePath: [\"a\"], type: SyncModel.FieldType.boolean,"
            + " isNullable: false, isRequired: false, merge: nil, renamedFrom: nil, isLocalOnly: false,"
            + " defaultJSON: nil)]) false"
        #expect(entity.contentSchema == String(Digest(Array(text.utf8)).description.prefix(8)))
    }
}
