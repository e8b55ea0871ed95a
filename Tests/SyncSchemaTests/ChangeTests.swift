import SyncSchema
import Testing

/// Two versions of an entity, and what telling them apart must find: `rule`, `!` where it is breaking, and the field.
struct ChangePair: Sendable, CustomStringConvertible {
    var old: String
    var new: String
    var expected: [String]

    var description: String { expected.joined(separator: ", ") }

    /// Fields beside `id`; the newer version is 2.
    static func fields(
        _ old: String,
        _ new: String,
        _ expected: String...,
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

    /// Members of `sync` beside key and strategy, over fields of every type.
    static func sync(_ old: String?, _ new: String?, _ expected: String...) -> ChangePair {
        func text(_ sync: String?, _ version: String) -> String {
            Sample.entity(
                fields: Sample.fieldsOfEveryType,
                sync: [sync, version].compactMap { $0 }.joined(separator: ",")
            )
        }
        return ChangePair(
            old: text(old, #""version":1"#),
            new: text(new, #""version":2"#),
            expected: expected
        )
    }

    /// The findings as `expected` has them.
    var found: [String] {
        SchemaDiff.compare(old: Self.schemas(old), new: Self.schemas(new)).map { change in
            change.rule + (change.severity == .breaking ? "!" : "") + (change.field.map { " " + $0 } ?? "")
        }
    }

    static func schemas(_ text: String, name: String = "item") -> [Schema] {
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
    static let fields: [ChangePair] = [
        .fields(text, text),
        .fields(text, #""a":{"type":"string","description":"d"}"#),
        .fields(text, text + #","b":{"type":"integer"}"#, "field-added b"),
        .fields(text, text + #","b":{"type":"integer"}"#, "required-added! b", required: ("", #","b""#)),
        .fields(
            text,
            text + #","b":{"type":"integer","default":1}"#,
            "field-added b",
            required: ("", #","b""#)
        ),
        .fields(text + #","b":{"type":"integer"}"#, text, "field-removed b"),
        .fields(text + #","b":{"type":"integer"}"#, text, "field-removed! b", required: (#","b""#, "")),
        .fields(text, #""b":{"type":"string"}"#, "field-removed a", "field-added b"),
        .fields(text, #""b":{"type":"string","sync":{"renamedFrom":"a","name":"a"}}"#, "field-renamed b"),
        .fields(
            text,
            #""b":{"type":"string","sync":{"renamedFrom":"a"}}"#,
            "field-renamed b",
            "wire-name-changed! b"
        ),
        .fields(text, #""a":{"type":"string","sync":{"name":"/x/a"}}"#, "wire-name-changed! a"),
        .fields(text, #""a":{"type":"string","sync":{"localOnly":true}}"#, "local-only-changed! a"),
        .fields(text, text, "required-added! a", required: ("", #","a""#)),
        .fields(text, text, "required-removed! a", required: (#","a""#, "")),
        .fields(text, #""a":{"type":["string","null"]}"#, "null-allowed! a"),
        .fields(#""a":{"type":["string","null"]}"#, text, "null-forbidden! a"),
        .fields(
            #""a":{"type":"string","default":"x"}"#,
            #""a":{"type":"string","default":"y"}"#,
            "default-changed! a",
            required: (#","a""#, #","a""#)
        ),
        .fields(
            text,
            #""a":{"type":"string","default":"y"}"#,
            "default-changed a",
            required: (#","a""#, #","a""#)
        ),
        .fields(
            #""o":{"type":"object","properties":{"x":{"type":"integer"}}}"#,
            #""o":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}}}"#,
            "member-type-changed! o.x",
            "field-added o.y"
        ),
        .fields(
            #""l":{"type":"array","items":{"type":"integer"}}"#,
            #""l":{"type":"array","uniqueItems":true,"items":{"type":"number"},"maxItems":3}"#,
            "constraint-tightened! l",
            "set-changed! l",
            "type-widened! l[]"
        ),
        .fields(text, #""a":{"type":"string","sync":{"merge":"preserve-local"}}"#, "merge-rule-added! a"),
        .fields(#""a":{"type":"string","sync":{"merge":"preserve-local"}}"#, text, "merge-rule-removed! a"),
        .fields(
            #""a":{"type":"integer","sync":{"merge":"max"}}"#,
            #""a":{"type":"integer","sync":{"merge":"min"}}"#,
            "merge-rule-changed! a"
        ),
    ]

    /// The type before, after, and what it comes to.
    static let types: [(String, String, String)] = [
        (#""type":"integer""#, #""type":"number""#, "type-widened! a"),
        (#""type":"number""#, #""type":"integer""#, "type-changed! a"),
        (#""type":"integer""#, #""type":"string""#, "type-changed! a"),
        (#""type":"string","format":"uuid""#, #""type":"string""#, "type-widened! a"),
        (#""type":"string","format":"date""#, #""type":"string""#, "type-widened! a"),
        (#""type":"string","format":"uri""#, #""type":"string""#, "type-widened! a"),
        (#""type":"string","format":"decimal""#, #""type":"string""#, "type-widened! a"),
        (#""type":"string""#, #""type":"string","format":"uuid""#, "type-narrowed! a"),
        (#""type":"string""#, #""type":"string","format":"date""#, "type-changed! a"),
        (#""type":"string""#, #""type":"string","format":"date-time""#, "type-changed! a"),
        (#""enum":["x","y"]"#, #""type":"string""#, "enum-changed a"),
        (#""enum":["x","y"]"#, #""enum":["x","z"]"#, "enum-changed a"),
        (#""enum":["x","y"]"#, #""enum":["y","x"]"#, ""),
        (#""type":"string","maxLength":3"#, #""type":"string","maxLength":4"#, "constraint-loosened! a"),
        (#""type":"string","maxLength":3"#, #""type":"string","maxLength":2"#, "constraint-tightened! a"),
        (#""type":"string""#, #""type":"string","minLength":2"#, "constraint-tightened! a"),
        (#""type":"string","pattern":"x""#, #""type":"string""#, "constraint-loosened! a"),
        (#""type":"string","pattern":"x""#, #""type":"string","pattern":"y""#, "constraint-tightened! a"),
        (#""type":"integer","minimum":1"#, #""type":"integer","minimum":2"#, "constraint-tightened! a"),
        (#""type":"number","maximum":1"#, #""type":"number""#, "constraint-loosened! a"),
    ]

    static let entities: [ChangePair] = [
        .sync(nil, #""remote":"things""#, "remote-changed!"),
        .sync(nil, #""indexes":[["text"]]"#, "indexes-changed"),
        .sync(nil, #""limit":5"#, "limit-lowered!"),
        .sync(#""limit":5"#, #""limit":6"#, "limit-raised"),
        .sync(nil, #""granularity":"field""#, "granularity-changed!"),
        .sync(nil, #""created":"at""#, "created-changed!"),
        .sync(#""updated":"at""#, nil, "updated-changed!"),
        .sync(#""deleted":"at2""#, #""deleted":"flag""#, "deleted-changed!"),
        .sync(nil, #""unique":[["text"]]"#, "settling-changed!"),
        .sync(
            #""unique":[["text"],["day"]]"#,
            #""unique":[["text"],["uid"]]"#,
            "unique-added!",
            "unique-removed"
        ),
        .sync(nil, #""tombstoneDays":9"#, "tombstones-shortened!"),
        .sync(#""tombstoneDays":9"#, #""tombstoneDays":30"#, "tombstones-lengthened"),
        .sync(
            nil,
            #""references":{"text":{"entity":"parent","onDelete":"cascade"}}"#,
            "reference-added! text"
        ),
        .sync(
            #""references":{"text":{"entity":"parent","onDelete":"cascade"}}"#,
            nil,
            "reference-removed! text"
        ),
        .sync(
            #""references":{"text":{"entity":"parent","onDelete":"cascade"}}"#,
            #""references":{"text":{"entity":"parent","onDelete":"restrict"}}"#,
            "delete-rule-changed! text"
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
        let pair = ChangePair.fields(#""a":{\#(old)}"#, #""a":{\#(new)}"#)
        #expect(pair.found == (expected.isEmpty ? [] : [expected]))
    }

    @Test func tellsChangesOfKeyStrategyVersionAndUnknownFields() {
        let old = Sample.entity(fields: #""a":{"type":"string"}"#, required: #","a""#)
        func found(_ new: String) -> [String] { ChangePair(old: old, new: new, expected: []).found }
        let coded = old.replacing(#""id""#, with: #""code""#)
        let composite = coded.replacing(#""key":"code""#, with: #""version":2,"key":["code","a"]"#)
        #expect(ChangePair(old: coded, new: composite, expected: []).found == ["key-changed!"])
        #expect(
            found(
                old.replacing("last-write-wins", with: "preserve-local").replacing(
                    #""key""#,
                    with: #""version":2,"key""#
                )
            )
                == ["strategy-changed!"]
        )
        let closed = old.replacing(#""key""#, with: #""version":2,"key""#)
        #expect(
            found("{\"additionalProperties\":false," + closed.dropFirst()) == ["unknown-fields-forbidden"]
        )
        let newer = old.replacing(#""key""#, with: #""version":3,"key""#)
        #expect(ChangePair(old: newer, new: closed, expected: []).found == ["version-lowered!"])
        #expect(found(newer).isEmpty)
        let more = old.replacing(#""a":{"#, with: #""b":{"type":"string"},"a":{"#)
        #expect(found(more) == ["version-not-raised", "field-added b"])
        let stricter = old.replacing(#""a":{"#, with: #""a":{"maxLength":2,"#)
        #expect(found(stricter) == ["version-not-raised!", "constraint-tightened! a"])
    }

    @Test func tellsEntitiesThatCameWentAndMovedToAnotherFile() {
        let text = Sample.entity(fields: Self.text)
        let other = Sample.entity(title: "Other", fields: Self.text)
        func rules(_ old: [Schema], _ new: [Schema]) -> [String] {
            SchemaDiff.compare(old: old, new: new).map { "\($0.entity) \($0.rule) \($0.severity)" }
        }
        let item = ChangePair.schemas(text)
        #expect(rules([], item) == ["item entity-added safe"])
        #expect(rules(item, []) == ["item entity-removed breaking"])
        #expect(rules(item, ChangePair.schemas(text, name: "thing")) == ["thing entity-renamed breaking"])
        #expect(
            rules(item, ChangePair.schemas(other, name: "thing"))
                == ["item entity-removed breaking", "thing entity-added safe"]
        )
    }

    @Test func everyRuleIsExplainedAndNoRuleIsNamedTwice() {
        for rule in ChangeRule.allCases { #expect(!rule.explanation.isEmpty, "\(rule.rawValue)") }
        #expect(Set(ChangeRule.allCases.map(\.rawValue)).count == ChangeRule.allCases.count)
    }

    @Test func everyFindingSaysWhatToDoInOneLine() {
        for pair in Self.fields + Self.entities {
            for change in SchemaDiff.compare(
                old: ChangePair.schemas(pair.old),
                new: ChangePair.schemas(pair.new)
            ) {
                #expect(!change.help.isEmpty && !change.message.isEmpty && !change.message.hasSuffix("."))
                #expect(!change.message.contains("\n") && !change.help.contains("\n"))
            }
        }
    }
}
