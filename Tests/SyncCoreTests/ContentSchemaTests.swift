import Foundation
import SyncCore
import Testing

/// The fingerprint of a schema goes to other devices: it must stay what it was, whatever the compiler prints of a type.
@Suite struct ContentSchemaTests {
    private static let part = FieldDescriptor(
        name: "a\"é\u{1}\n",
        wirePath: ["x", "y"],
        type: .string(),
        isNullable: true,
        merge: .lastWriteWins,
        renamedFrom: "old",
        isLocalOnly: true,
        hasUniqueItems: true,
        defaultJSON: "\"d\""
    )

    /// Each with the text that the first versions wrote.
    static let texts: [(type: FieldType, text: String)] = [
        (.string(), "string(minLength: nil, maxLength: nil, pattern: nil)"),
        (.string(maxBytes: 5), "string(minLength: nil, maxLength: nil, pattern: nil, maxBytes: 5)"),
        (
            .string(minLength: 1, maxLength: 2, pattern: "^\\d+\u{301}\u{200D}$"),
            "string(minLength: Optional(1), maxLength: Optional(2), pattern: Optional(\"^\\\\d+\u{301}\u{200D}$\"))"
        ),
        (
            .integer(minimum: -1, maximum: .max),
            "integer(minimum: Optional(-1), maximum: Optional(9223372036854775807))"
        ),
        (
            .number(minimum: -0.5, maximum: 1e300),
            "number(minimum: Optional(-0.5), maximum: Optional(1e+300))"
        ),
        (.number(minimum: 1), "number(minimum: Optional(1.0), maximum: nil)"),
        (.boolean, "boolean"), (.uuid, "uuid"), (.dateTime, "dateTime"), (.date, "date"),
        (.uri(), "uri(maxLength: nil)"), (.uri(maxLength: 7), "uri(maxLength: Optional(7))"),
        (.decimal, "decimal"), (.data, "data"), (.enumeration([]), "enumeration([])"),
        (.enumeration(["a", "b\"\t😀"]), "enumeration([\"a\", \"b\\\"\\t😀\"])"),
        (
            .array(
                element: .enumeration(["x"]),
                elementIsNullable: true,
                isSet: true,
                minItems: 1,
                maxItems: 4
            ),
            "array(element: SyncModel.FieldType.enumeration([\"x\"]), elementIsNullable: true, isSet: true, "
                + "minItems: Optional(1), maxItems: Optional(4))"
        ),
        (
            .map(value: .array(element: .date), valueIsNullable: true),
            "map(value: SyncModel.FieldType.array(element: SyncModel.FieldType.date, elementIsNullable: false, "
                + "isSet: false, minItems: nil, maxItems: nil), valueIsNullable: true)"
        ),
        (.object([]), "object([])"),
        (
            .object([part, FieldDescriptor(name: "b", type: .boolean, isRequired: true)]),
            "object([SyncModel.FieldDescriptor(name: \"a\\\"é\\u{01}\\n\", wirePath: [\"x\", \"y\"], "
                + "type: SyncModel.FieldType.string(minLength: nil, maxLength: nil, pattern: nil), "
                + "isNullable: true, isRequired: false, merge: Optional(SyncModel.MergeRule.lastWriteWins), "
                + "renamedFrom: Optional(\"old\"), isLocalOnly: true, hasUniqueItems: true, "
                + "defaultJSON: Optional(\"\\\"d\\\"\")), SyncModel.FieldDescriptor(name: \"b\", wirePath: [\"b\"], "
                + "type: SyncModel.FieldType.boolean, isNullable: false, isRequired: true, merge: nil, "
                + "renamedFrom: nil, isLocalOnly: false, defaultJSON: nil)])"
        ),
    ]

    @Test(arguments: 0..<texts.count)
    func theTextOfATypeStaysTheSame(number: Int) {
        let (type, text) = Self.texts[number]
        let entity = EntityDescriptor(
            name: "thing",
            typeName: "Thing",
            fields: [FieldDescriptor(name: "field", type: type)],
            key: ["field"],
            strategy: .lastWriteWins
        )
        #expect(
            entity.contentSchema == String(Digest(Array("field \(text) false".utf8)).description.prefix(8))
        )
    }

    @Test(arguments: MergeRule.allCases)
    func theNameOfAMergeRuleStaysTheSame(rule: MergeRule) {
        let names: [MergeRule: String] = [
            .union: "union", .max: "max", .min: "min", .or: "or", .and: "and",
            .lastWriteWins: "lastWriteWins", .preserveLocal: "preserveLocal",
        ]
        let entity = EntityDescriptor(
            name: "thing",
            typeName: "Thing",
            fields: [
                FieldDescriptor(
                    name: "field",
                    type: .object([FieldDescriptor(name: "b", type: .boolean, merge: rule)])
                )
            ],
            key: ["field"],
            strategy: .lastWriteWins
        )
        let text =
            "field object([SyncModel.FieldDescriptor(name: \"b\", wirePath: [\"b\"], "
            + "type: SyncModel.FieldType.boolean, isNullable: false, isRequired: false, "
            + "merge: Optional(SyncModel.MergeRule.\(names[rule] ?? "")), renamedFrom: nil, isLocalOnly: false, "
            + "defaultJSON: nil)]) false"
        #expect(entity.contentSchema == String(Digest(Array(text.utf8)).description.prefix(8)))
    }
}
