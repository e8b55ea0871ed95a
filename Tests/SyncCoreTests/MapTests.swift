import SyncCore
import Testing

/// Objects whose members the schema does not name: maps, and objects of any form.
@Suite struct MapTests {
    private static func entity(_ value: FieldType, isNullable: Bool = false) -> EntityDescriptor {
        EntityDescriptor(
            name: "word",
            typeName: "Word",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "map", type: .map(value: value, valueIsNullable: isNullable)),
                FieldDescriptor(name: "any", wirePath: ["ANY"], type: .object([])),
            ],
            key: ["id"],
            strategy: .lastWriteWins
        )
    }

    private func wire(_ members: String, in entity: EntityDescriptor) throws -> String {
        var decoder = RecordDecoder(descriptor: entity, form: .plain)
        let record = try decoder.record(Array(#"{"id":"x",\#(members)}"#.utf8))
        return String(decoding: RecordEncoder(descriptor: entity, form: .wire).bytes(record), as: UTF8.self)
    }

    @Test func aMapIsKeptByNameWithItsValuesInCanonicalForm() throws {
        let decimals = Self.entity(.decimal, isNullable: true)
        #expect(
            try wire(#""map":{ "b":"01.50", "a":null, "\u00e9":"2", "":"-0" }"#, in: decimals)
                == #"{"id":"x","map":{"":"0","a":null,"b":"1.5","é":"2"}}"#
        )
        #expect(try wire(#""map":{}"#, in: decimals) == #"{"id":"x","map":{}}"#)
        let times = Self.entity(.dateTime)
        #expect(
            try wire(#""map":{"a":"2020-01-01T01:00:00+01:00"}"#, in: times)
                == #"{"id":"x","map":{"a":"2020-01-01T00:00:00Z"}}"#
        )
    }

    @Test(arguments: [
        (#"{"a":1,"b":"1"}"#, "map.b", "type"), (#"{"a":-1}"#, "map.a", "minimum"), ("[]", "map", "type"),
        (#"{"a":null}"#, "map.a", "type"), (#"{"\u00e9":1,"e\u0301":2}"#, "map", "map-names"),
        (#"{"a":1,"a":1}"#, "map", "map-names"), ("null", "map", "type"),
    ])
    func whatDoesNotFitIsRefusedWithItsName(json: String, field: String, rule: String) throws {
        let error = #expect(throws: FieldError.self) {
            try wire(#""map":\#(json)"#, in: Self.entity(.integer(minimum: 0)))
        }
        #expect(error?.field == field && error?.rule == rule)
    }

    @Test func anObjectOfAnyFormIsKeptAsItWasWritten() throws {
        #expect(
            try wire(#""any":{ "b":[1.50, {"z":1, "y":null}], "a":"\u00e9" }"#, in: Self.entity(.boolean))
                == #"{"id":"x","ANY":{"a":"\u00e9","b":[1.50,{"z":1,"y":null}]}}"#
        )
        #expect(throws: FieldError.self) { try wire(#""any":[]"#, in: Self.entity(.boolean)) }
    }

    /// A value that an older schema allowed is shown.
    @Test func whatIsThereAlreadyStaysReadableUnlessItsTypeIsAnother() throws {
        var decoder = RecordDecoder(descriptor: Self.entity(.integer()), form: .plain)
        let record = try decoder.record(Array(#"{"id":"x","map":{"a":-1}}"#.utf8))
        #expect(RecordFit(Self.entity(.integer(minimum: 0))).fits(record))
        #expect(!RecordFit(Self.entity(.string())).fits(record))
        #expect(
            EntityDescriptor.checksDigest(of: [Self.entity(.integer())])
                != EntityDescriptor.checksDigest(of: [Self.entity(.integer(minimum: 0))])
        )
    }
}
