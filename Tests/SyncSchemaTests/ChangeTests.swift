import SyncSchema
import Testing

/// Two versions of an entity and the expected changes: the rule, `!` for a breaking one, and the field.
struct ChangePair: Sendable, CustomStringConvertible {
    var old: String
    var new: String
    var expected: [String]

    var description: String { expected.joined(separator: ", ") }

    /// Fields in addition to `id`. The newer schema has version 2.
    static func fields(
        old: String,
        new: String,
        expected: String...,
        required: (String, String) = ("", "")
    )
        -> ChangePair
    {
        ChangePair(
            old: Sample.entity(fields: old, required: required.0),
            new: Sample.entity(fields: new, sync: #""version":2"#, required: required.1),
            expected: expected
        )
    }

    /// Members of `sync` in addition to key and strategy, with fields of every type.
    static func sync(_ old: String?, new: String?, expected: String...) -> ChangePair {
        func text(sync: String?, version: String) -> String {
            Sample.entity(
                fields: Sample.fieldsOfEveryType,
                sync: [sync, version].compactMap { $0 }.joined(separator: ",")
            )
        }
        return ChangePair(
            old: text(sync: old, version: #""version":1"#),
            new: text(sync: new, version: #""version":2"#),
            expected: expected
        )
    }

    /// The found changes in the form of `expected`.
    var found: [String] {
        SchemaDiff.compare(old: Self.schemas(text: old), new: Self.schemas(text: new)).map { change in
            change.rule + (change.severity == .breaking ? "!" : "") + (change.field.map { " " + $0 } ?? "")
        }
    }

    static func schemas(text: String, name: String = "item") -> [Schema] {
        let parent = Sample.entity(title: "Parent", fields: #""a":{"type":"string"}"#)
        let report = SchemaLoader.load([
            SchemaSource(path: "\(name).schema.json", bytes: Array(text.utf8)),
            SchemaSource(path: "parent.schema.json", bytes: Array(parent.utf8)),
        ])
        for diagnostic in report.diagnostics where diagnostic.severity == .error {
            Issue.record("\(diagnostic.text())")
        }
        return report.schemas.filter { $0.name == name }
    }
}

@Suite struct ChangeTests {
    static let text = #""a":{"type":"string"}"#
    /// An array with `uniqueItems`, ordered or not.
    static func words(_ isOrdered: String) -> String {
        #""a":{"type":"array","items":{"type":"string"},"uniqueItems":true,"sync":{"ordered":\#(isOrdered)}}"#
    }
    static let fields: [ChangePair] = [
        .fields(old: text, new: text),
        .fields(
            old: #""a":{"type":"string","sync":{"localOnly":true}}"#,
            new: #""a":{"type":"string","format":"uuid","sync":{"localOnly":true}}"#,
            expected: "type-narrowed! a"
        ),
        .fields(
            old: #""a":{"type":["string","null"],"sync":{"localOnly":true}}"#,
            new: #""a":{"type":"string","sync":{"localOnly":true}}"#,
            expected: "null-forbidden! a"
        ),
        .fields(old: text, new: #""a":{"type":"string","description":"d"}"#),
        .fields(old: text, new: text + #","b":{"type":"integer"}"#, expected: "field-added b"),
        .fields(
            old: text,
            new: text + #","b":{"type":"integer"}"#,
            expected: "required-added! b",
            required: ("", #","b""#)
        ),
        .fields(
            old: text,
            new: text + #","b":{"type":"integer","default":1}"#,
            expected: "field-added b",
            required: ("", #","b""#)
        ),
        .fields(old: text + #","b":{"type":"integer"}"#, new: text, expected: "field-removed b"),
        .fields(
            old: text + #","b":{"type":"integer"}"#,
            new: text,
            expected: "field-removed! b",
            required: (#","b""#, "")
        ),
        .fields(old: text, new: #""b":{"type":"string"}"#, expected: "field-removed a", "field-added b"),
        .fields(
            old: text,
            new: #""b":{"type":"string","sync":{"renamedFrom":"a","name":"a"}}"#,
            expected: "field-renamed b"
        ),
        .fields(
            old: text + #","b":{"type":"string"}"#,
            new: #""b":{"type":"string","sync":{"renamedFrom":"a","name":"a"}}"#,
            expected: "field-removed b",
            "field-renamed! b",
            "field-renamed b"
        ),
        .fields(
            old: text,
            new: #""b":{"type":"string","sync":{"renamedFrom":"a"}}"#,
            expected: "field-renamed b",
            "wire-name-changed! b"
        ),
        .fields(
            old: #""b":{"type":"string","sync":{"renamedFrom":"a","name":"a"}}"#,
            new: #""c":{"type":"string","sync":{"renamedFrom":["b","a"],"name":"a"}}"#,
            expected: "field-renamed c"
        ),
        .fields(
            old: #""b":{"type":"string","sync":{"renamedFrom":"a","name":"a"}}"#,
            new: #""c":{"type":"string","sync":{"renamedFrom":"b","name":"a"}}"#,
            expected: "field-renamed! c"
        ),
        .fields(
            old: text,
            new: #""c":{"type":"string","sync":{"renamedFrom":["b","a"]}}"#,
            expected: "field-renamed c",
            "wire-name-changed! c"
        ),
        .fields(
            old: text,
            new: #""a":{"type":"string","sync":{"name":"/x/a"}}"#,
            expected: "wire-name-changed! a"
        ),
        .fields(
            old: text,
            new: #""a":{"type":"string","sync":{"localOnly":true}}"#,
            expected: "local-only-changed! a"
        ),
        .fields(old: text, new: text, expected: "required-added! a", required: ("", #","a""#)),
        .fields(old: text, new: text, expected: "required-removed! a", required: (#","a""#, "")),
        .fields(old: text, new: #""a":{"type":["string","null"]}"#, expected: "null-allowed! a"),
        .fields(old: #""a":{"type":["string","null"]}"#, new: text, expected: "null-forbidden! a"),
        .fields(
            old: #""a":{"type":"string","default":"x"}"#,
            new: #""a":{"type":"string","default":"y"}"#,
            expected: "default-changed! a",
            required: (#","a""#, #","a""#)
        ),
        .fields(
            old: text,
            new: #""a":{"type":"string","default":"y"}"#,
            expected: "default-changed a",
            required: (#","a""#, #","a""#)
        ),
        .fields(
            old: #""o":{"type":"object","properties":{"x":{"type":"integer"}}}"#,
            new: #""o":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}}}"#,
            expected: "member-type-changed! o.x",
            "field-added o.y"
        ),
        .fields(
            old: #""l":{"type":"array","items":{"type":"integer"}}"#,
            new: #""l":{"type":"array","uniqueItems":true,"items":{"type":"number"},"maxItems":3}"#,
            expected: "constraint-tightened! l",
            "set-changed! l",
            "type-widened! l[]"
        ),
        .fields(old: words("false"), new: words("true"), expected: "set-changed! a"),
        .fields(old: words("true"), new: words("false"), expected: "set-changed! a"),
        .fields(old: words("true"), new: words("true")),
        .fields(
            old: words("true"),
            new: #""a":{"type":"array","items":{"type":"string"}}"#,
            expected: "set-changed! a"
        ),
        .fields(
            old: #""a":{"type":"array","items":{"type":"string"}}"#,
            new: words("true"),
            expected: "set-changed! a"
        ),
        .fields(
            old: #""o":{"type":"object","properties":{\#(words("false"))}}"#,
            new: #""o":{"type":"object","properties":{\#(words("true"))}}"#,
            expected: "set-changed! o.a"
        ),
        .fields(
            old: text,
            new: #""a":{"type":"string","sync":{"merge":"preserve-local"}}"#,
            expected: "merge-rule-added! a"
        ),
        .fields(
            old: #""a":{"type":"string","sync":{"merge":"preserve-local"}}"#,
            new: text,
            expected: "merge-rule-removed! a"
        ),
        .fields(
            old: #""a":{"type":"integer","sync":{"merge":"max"}}"#,
            new: #""a":{"type":"integer","sync":{"merge":"min"}}"#,
            expected: "merge-rule-changed! a"
        ),
    ]

    /// The type before and after, and the expected change.
    static let types: [(String, String, String)] = [
        (#""type":"integer""#, #""type":"number""#, "type-widened! a"),
        (#""type":"number""#, #""type":"integer""#, "type-changed! a"),
        (#""type":"integer""#, #""type":"string""#, "type-changed! a"),
        (#""type":"string","format":"uuid""#, #""type":"string""#, "type-widened! a"),
        (#""type":"string","format":"date""#, #""type":"string""#, "type-widened! a"),
        (#""type":"string","format":"uri""#, #""type":"string""#, "type-widened! a"),
        (#""type":"string","format":"decimal""#, #""type":"string""#, "type-widened! a"),
        (#""type":"string""#, #""type":"string","format":"uuid""#, "type-narrowed! a"),
        (#""type":"string""#, #""type":"string","format":"uri""#, "constraint-tightened! a"),
        (#""type":"string""#, #""type":"string","format":"date""#, "type-changed! a"),
        (#""type":"string""#, #""type":"string","format":"date-time""#, "type-changed! a"),
        (#""enum":["x","y"]"#, #""type":"string""#, "enum-changed a"),
        (#""enum":["x","y"]"#, #""enum":["x","z"]"#, "enum-changed a"),
        (#""enum":["x","y"]"#, #""enum":["y","x"]"#, ""),
        (#""enum":[1,2]"#, #""enum":[1,3]"#, "enum-changed a"),
        (#""enum":[1,2]"#, #""enum":[2,1]"#, ""),
        (#""enum":[1,2]"#, #""type":"integer""#, "enum-changed a"),
        (#""type":"integer","minimum":1"#, #""enum":[1,2]"#, "constraint-loosened! a"),
        (#""enum":[1,2]"#, #""enum":["1","2"]"#, "type-changed! a"),
        (#""type":"string","maxLength":3"#, #""type":"string","maxLength":4"#, "constraint-loosened! a"),
        (#""type":"string","maxLength":3"#, #""type":"string","maxLength":2"#, "constraint-tightened! a"),
        (#""type":"string""#, #""type":"string","maxBytes":2"#, "constraint-tightened! a"),
        (#""type":"string","maxBytes":3"#, #""type":"string","maxBytes":4"#, "constraint-loosened! a"),
        (#""type":"string""#, #""type":"string","minLength":2"#, "constraint-tightened! a"),
        (#""type":"string","pattern":"x""#, #""type":"string""#, "constraint-loosened! a"),
        (#""type":"string","pattern":"x""#, #""type":"string","pattern":"y""#, "constraint-tightened! a"),
        (#""type":"integer","minimum":1"#, #""type":"integer","minimum":2"#, "constraint-tightened! a"),
        (#""type":"number","maximum":1"#, #""type":"number""#, "constraint-loosened! a"),
    ]

    static let entities: [ChangePair] = [
        .sync(nil, new: #""remote":"things""#, expected: "remote-changed!"),
        .sync(nil, new: #""indexes":[["text"]]"#, expected: "indexes-changed"),
        .sync(nil, new: #""search":["text"]"#, expected: "indexes-changed"),
        .sync(nil, new: #""limit":5"#, expected: "limit-lowered!"),
        .sync(#""limit":5"#, new: #""limit":6"#, expected: "limit-raised"),
        .sync(nil, new: #""granularity":"field""#, expected: "granularity-changed!"),
        .sync(nil, new: #""created":"at""#, expected: "created-changed!"),
        .sync(#""updated":"at""#, new: nil, expected: "updated-changed!"),
        .sync(#""deleted":"at2""#, new: #""deleted":"flag""#, expected: "deleted-changed!"),
        .sync(nil, new: #""unique":[["text"]]"#, expected: "settling-changed!"),
        .sync(
            #""unique":[["text"],["day"]]"#,
            new: #""unique":[["text"],["uid"]]"#,
            expected: "unique-added!",
            "unique-removed"
        ),
        .sync(nil, new: #""tombstoneDays":9"#, expected: "tombstones-shortened!"),
        .sync(#""tombstoneDays":9"#, new: #""tombstoneDays":30"#, expected: "tombstones-lengthened"),
        .sync(
            nil,
            new: #""references":{"text":{"entity":"parent","onDelete":"cascade"}}"#,
            expected: "reference-added! text"
        ),
        .sync(
            #""references":{"text":{"entity":"parent","onDelete":"cascade"}}"#,
            new: nil,
            expected: "reference-removed! text"
        ),
        .sync(
            #""references":{"text":{"entity":"parent","onDelete":"cascade"}}"#,
            new: #""references":{"text":{"entity":"parent","onDelete":"restrict"}}"#,
            expected: "delete-rule-changed! text"
        ),
        .sync(
            #""references":{"text":{"entity":"item","onDelete":"restrict"}}"#,
            new: #""references":{"text":{"entity":"item","onDelete":"restrict","cyclic":true}}"#,
            expected: "tree-changed! text"
        ),
    ]

    @Test(arguments: fields + entities)
    func tellsEachChangeAndHowGraveItIs(_ pair: ChangePair) {
        #expect(Set(pair.found) == Set(pair.expected))
        #expect(pair.found.count == pair.expected.count)
    }

    @Test(arguments: types.indices)
    func tellsWhatStoreAndCodecDoWithAnotherType(_ index: Int) {
        let (old, new, expected) = Self.types[index]
        let pair = ChangePair.fields(old: #""a":{\#(old)}"#, new: #""a":{\#(new)}"#)
        #expect(pair.found == (expected.isEmpty ? [] : [expected]))
    }

    @Test func tellsChangesOfKeyStrategyVersionAndUnknownFields() {
        let old = Sample.entity(fields: #""a":{"type":"string"}"#, required: #","a""#)
        func found(new: String) -> [String] { ChangePair(old: old, new: new, expected: []).found }
        let coded = old.replacing(#""id""#, with: #""code""#)
        let composite = coded.replacing(#""key":"code""#, with: #""version":2,"key":["code","a"]"#)
        #expect(ChangePair(old: coded, new: composite, expected: []).found == ["key-changed!"])
        #expect(
            found(
                new: old.replacing("last-write-wins", with: "preserve-local").replacing(
                    #""key""#,
                    with: #""version":2,"key""#
                )
            )
                == ["strategy-changed!"]
        )
        let closed = old.replacing(#""key""#, with: #""version":2,"key""#)
        #expect(
            found(new: "{\"additionalProperties\":false," + closed.dropFirst()) == [
                "unknown-fields-forbidden"
            ]
        )
        let newer = old.replacing(#""key""#, with: #""version":3,"key""#)
        #expect(ChangePair(old: newer, new: closed, expected: []).found == ["version-lowered!"])
        #expect(found(new: newer).isEmpty)
        let more = old.replacing(#""a":{"#, with: #""b":{"type":"string"},"a":{"#)
        #expect(found(new: more) == ["version-not-raised", "field-added b"])
        let stricter = old.replacing(#""a":{"#, with: #""a":{"maxLength":2,"#)
        #expect(found(new: stricter) == ["version-not-raised!", "constraint-tightened! a"])
    }

    @Test func tellsEntitiesThatCameWentAndMovedToAnotherFile() {
        let text = Sample.entity(fields: Self.text)
        let other = Sample.entity(title: "Other", fields: Self.text)
        func rules(old: [Schema], new: [Schema]) -> [String] {
            SchemaDiff.compare(old: old, new: new).map { "\($0.entity) \($0.rule) \($0.severity)" }
        }
        let item = ChangePair.schemas(text: text)
        #expect(rules(old: [], new: item) == ["item entity-added safe"])
        #expect(rules(old: item, new: []) == ["item entity-removed breaking"])
        #expect(
            rules(old: item, new: ChangePair.schemas(text: text, name: "thing")) == [
                "thing entity-renamed breaking"
            ]
        )
        #expect(
            rules(old: item, new: ChangePair.schemas(text: other, name: "thing"))
                == ["item entity-removed breaking", "thing entity-added safe"]
        )
    }

    @Test func aNewNameOnTheWireCanLoseAValueUnlessTheFormerOneIsTold() throws {
        func change(sync: String) throws -> SchemaChange {
            let pair = ChangePair.fields(
                old: Self.text,
                new: #""a":{"type":"string","sync":{\#(sync)}}"#,
                expected: "wire-name-changed! a"
            )
            #expect(pair.found == pair.expected)
            let (old, new) = (ChangePair.schemas(text: pair.old), ChangePair.schemas(text: pair.new))
            return try #require(SchemaDiff.compare(old: old, new: new).first)
        }
        let hidden = try change(sync: #""name":"z""#)
        #expect(
            hidden.message.contains("a value can be lost") && hidden.help.contains(#"with "renamedFrom""#)
        )
        let told = try change(sync: #""name":"z","renamedFrom":"a""#)
        #expect(told.message.contains("it is read under both names"))
    }

    @Test func everyRuleIsExplainedAndNoRuleIsNamedTwice() {
        for rule in ChangeRule.allCases { #expect(!rule.explanation.isEmpty, "\(rule.rawValue)") }
        #expect(Set(ChangeRule.allCases.map(\.rawValue)).count == ChangeRule.allCases.count)
    }

    @Test func everyFindingSaysWhatToDoInOneLine() {
        for pair in Self.fields + Self.entities {
            for change in SchemaDiff.compare(
                old: ChangePair.schemas(text: pair.old),
                new: ChangePair.schemas(text: pair.new)
            ) {
                #expect(!change.help.isEmpty && !change.message.isEmpty && !change.message.hasSuffix("."))
                #expect(!change.message.contains("\n") && !change.help.contains("\n"))
            }
        }
    }
}
