/// Samples of invalid names in Swift, SQL or on the wire.
enum NameSamples {
    static let all: [Sample] = [
        .file(
            text: Sample.entity(title: "▸x", fields: field).replacing("\"▸x", with: "▸\"x"),
            rules: "title-name"
        ),
        titled(title: "Read Status", rules: "title-name"), titled(title: "9Lives", rules: "title-name"),
        titled(title: "Bücher", rules: "title-name"),
        titled(title: "A; import Darwin", rules: "title-name"),
        titled(title: #"A\\\"B"#, rules: "title-name"),
        titled(title: #"A{}\nstruct B"#, rules: "title-name"), titled(title: "_A", rules: "title-name"),
        titled(title: "", rules: "title-name"),
        titled(title: String(repeating: "A", count: 65), rules: "title-name"),
        titled(title: "Task", rules: "title-reserved"), titled(title: "Data", rules: "title-reserved"),
        titled(title: "String", rules: "title-reserved"),
        titled(title: "Type", rules: "title-reserved"), titled(title: "Self", rules: "title-reserved"),
        titled(title: "Any", rules: "title-reserved"),
        titled(title: "Entity", rules: "title-reserved"), titled(title: "RawValue", rules: "title-reserved"),
        titled(title: "Identifiable", rules: "title-reserved"),
        titled(title: "FieldDescriptor", rules: "title-reserved"),
        titled(title: "Transaction", rules: "title-shadows"), titled(title: "View", rules: "title-shadows"),
        titled(title: "VersionMetadata", rules: "title-shadows"),
        titled(title: "Project"),
        named(name: "a-b", rules: "field-name"), named(name: "a b", rules: "field-name"),
        named(name: "1a", rules: "field-name"),
        named(name: "", rules: "field-name"),
        named(name: "_a", rules: "field-name"), named(name: "é", rules: "field-name"),
        named(name: "a\\u0000", rules: "field-name"),
        named(name: "a\\\"); DROP TABLE item; --", rules: "field-name"),
        named(name: "a`b", rules: "field-name"),
        named(name: "a\\nb", rules: "field-name"),
        named(name: "\\u212A", rules: "field-name"),
        named(name: String(repeating: "a", count: 65), rules: "field-name"),
        named(name: String(repeating: "a", count: 64)), named(name: "default"), named(name: "class"),
        named(name: "in"),
        named(name: "order"),
        named(name: "description"), named(name: "type"),
        named(name: "self", rules: "field-name-reserved"), named(name: "init", rules: "field-name-reserved"),
        named(name: "Type", rules: "field-name-reserved"),
        named(name: "hashValue", rules: "field-name-reserved"),
        named(name: "unknownFields", rules: "field-name-reserved"),
        named(name: "CodingKeys", rules: "field-name-reserved"),
        named(name: "Adapter", rules: "field-name-reserved"),
        named(name: "EntityKey", rules: "field-name-reserved"),
        named(name: "Date", rules: "field-name-reserved"), named(name: "Item", rules: "field-name-reserved"),
        named(name: "ItemAdapter", rules: "field-name-reserved"), named(name: "adapter"), named(name: "date"),
        named(name: "URL"),
        named(name: "get"),
        named(name: "encode"), named(name: "hash"),
        named(name: "rowid", rules: "column-reserved"), named(name: "ROWID", rules: "column-reserved"),
        named(name: "oid", rules: "column-reserved"),
        named(name: "sync_state", rules: "column-reserved"), named(name: "Sync_x", rules: "column-reserved"),
        named(name: "synced"),
        .field(
            field:
                #""a":{"type":"object","properties":{"rowid":{"type":"string"},▸"hashValue":{"type":"string"}}}"#,
            rules: "field-name-reserved"
        ),
        .field(field: #""name":{"type":"string"},▸"NAME":{"type":"string"}"#, rules: "duplicate-field"),
        .field(
            field: #""part":{"type":"object","properties":{"x":{"type":"string"},▸"X":{"type":"string"}}}"#,
            rules: "duplicate-field"
        ),
        .field(
            field: #"▸"\u00e9":{"type":"string"},▸"e\u0301":{"type":"string"}"#,
            rules: "field-name",
            "field-name+duplicate-field"
        ),
        wire(name: "", rules: "wire-name"), wire(name: "a\\\"b", rules: "wire-name"),
        wire(name: "a\\\\b", rules: "wire-name"),
        wire(name: "a\\nb", rules: "wire-name"),
        wire(name: "/a//b", rules: "wire-name"), wire(name: "/", rules: "wire-name"),
        wire(name: "/a~2b", rules: "wire-name"),
        wire(name: "/a~", rules: "wire-name"),
        wire(name: "a\\u202Eb", rules: "wire-name"),
        wire(name: String(repeating: "a", count: 129), rules: "wire-name"),
        wire(name: "@odata.type"), wire(name: "/a~1b/c~0d"), wire(name: "größe"), wire(name: "/address/lat"),
        wire(name: "id", rules: "wire-name-clash"), wire(name: "/id/x", rules: "wire-name-clash"),
        .field(
            field:
                #""a":{"type":"string","sync":{"name":"/x/y"}},"b":{"type":"string","sync":{"name":▸"x"}}"#,
            rules: "wire-name-clash"
        ),
        .field(
            field: #""userId":{"type":"string"},▸"user_id":{"type":"string"}"#,
            rules: "wire-name-clash",
            sync: #""naming":"snake_case""#
        ),
        .field(
            field: #""part":{"type":"object","properties":{"x":{"type":"string","sync":{"name":▸"/a/b"}}}}"#,
            rules: "nested-sync"
        ),
        .field(field: #""part":{"type":"object","properties":{"x":{"type":"string","sync":{"name":"y"}}}}"#),
        .sync(#""remote":▸"../etc""#, rules: "remote-name"), .sync(#""remote":▸"a/b""#, rules: "remote-name"),
        .sync(#""remote":▸"""#, rules: "remote-name"), .sync(#""remote":▸"9""#, rules: "remote-name"),
        .sync(#""remote":▸"größen""#, rules: "remote-name"), .sync(#""remote":"my_items-2.0""#),
        .field(field: field, rules: "definition-name", root: #""$defs":{▸"a b":{"type":"string"}},"#),
        .sync(#""created":"at""#, rules: "field-name-reserved", key: #""key":"text""#, required: #","text""#)
            .marking(text: #""id":{"#),
    ]

    private static let field = #""a":{"type":"string"}"#

    private static func titled(title: String, rules: String...) -> Sample {
        let text = Sample.entity(title: title, fields: field)
        return Sample(files: [("item.schema.json", text)], rules: rules)
            .marking(text: "\"\(title)\"", if: !rules.isEmpty)
    }

    private static func named(name: String, rules: String...) -> Sample {
        let editTimestamp = rules.isEmpty ? "" : "▸"
        let text = Sample.entity(fields: "\(editTimestamp)\"\(name)\":{\"type\":\"string\"}")
        return Sample(files: [("item.schema.json", text)], rules: rules)
    }

    private static func wire(name: String, rules: String...) -> Sample {
        let editTimestamp = rules.isEmpty ? "" : "▸"
        let text = Sample.entity(
            fields: "\"a\":{\"type\":\"string\",\"sync\":{\"name\":\(editTimestamp)\"\(name)\"}}"
        )
        return Sample(files: [("item.schema.json", text)], rules: rules)
    }
}

extension Sample {
    /// The sample with a mark before the first occurrence of a text.
    func marking(text: String, if condition: Bool = true) -> Sample {
        guard condition, let range = files[0].text.firstRange(of: text) else { return self }
        var copy = self
        copy.files[0].text.insert("▸", at: range.lowerBound)
        return copy
    }
}
