/// Samples of names that Swift, SQL or the wire cannot take.
enum NameSamples {
    static let all: [Sample] = [
        .file(Sample.entity(title: "▸x", fields: field).replacing("\"▸x", with: "▸\"x"), "title-name"),
        titled("Read Status", "title-name"), titled("9Lives", "title-name"), titled("Bücher", "title-name"),
        titled("A; import Darwin", "title-name"), titled(#"A\\\"B"#, "title-name"),
        titled(#"A{}\nstruct B"#, "title-name"), titled("_A", "title-name"), titled("", "title-name"),
        titled(String(repeating: "A", count: 65), "title-name"),
        titled("Task", "title-reserved"), titled("Data", "title-reserved"),
        titled("String", "title-reserved"),
        titled("Type", "title-reserved"), titled("Self", "title-reserved"), titled("Any", "title-reserved"),
        titled("Entity", "title-reserved"), titled("RawValue", "title-reserved"),
        titled("Identifiable", "title-reserved"), titled("FieldDescriptor", "title-reserved"),
        titled("Transaction", "title-shadows"), titled("View", "title-shadows"),
        titled("Stamp", "title-shadows"),
        titled("Project"),
        named("a-b", "field-name"), named("a b", "field-name"), named("1a", "field-name"),
        named("", "field-name"),
        named("_a", "field-name"), named("é", "field-name"), named("a\\u0000", "field-name"),
        named("a\\\"); DROP TABLE item; --", "field-name"), named("a`b", "field-name"),
        named("a\\nb", "field-name"),
        named("\\u212A", "field-name"), named(String(repeating: "a", count: 65), "field-name"),
        named(String(repeating: "a", count: 64)), named("default"), named("class"), named("in"),
        named("order"),
        named("description"), named("type"),
        named("self", "field-name-reserved"), named("init", "field-name-reserved"),
        named("Type", "field-name-reserved"), named("hashValue", "field-name-reserved"),
        named("unknownFields", "field-name-reserved"), named("CodingKeys", "field-name-reserved"),
        named("Adapter", "field-name-reserved"), named("EntityKey", "field-name-reserved"),
        named("Date", "field-name-reserved"), named("Item", "field-name-reserved"),
        named("ItemAdapter", "field-name-reserved"), named("adapter"), named("date"), named("URL"),
        named("get"),
        named("encode"), named("hash"),
        named("rowid", "column-reserved"), named("ROWID", "column-reserved"), named("oid", "column-reserved"),
        named("sync_state", "column-reserved"), named("Sync_x", "column-reserved"), named("synced"),
        .field(
            #""a":{"type":"object","properties":{"rowid":{"type":"string"},▸"hashValue":{"type":"string"}}}"#,
            "field-name-reserved"
        ),
        .field(#""name":{"type":"string"},▸"NAME":{"type":"string"}"#, "duplicate-field"),
        .field(
            #""part":{"type":"object","properties":{"x":{"type":"string"},▸"X":{"type":"string"}}}"#,
            "duplicate-field"
        ),
        .field(
            #"▸"\u00e9":{"type":"string"},▸"e\u0301":{"type":"string"}"#,
            "field-name",
            "field-name+duplicate-field"
        ),
        wire("", "wire-name"), wire("a\\\"b", "wire-name"), wire("a\\\\b", "wire-name"),
        wire("a\\nb", "wire-name"),
        wire("/a//b", "wire-name"), wire("/", "wire-name"), wire("/a~2b", "wire-name"),
        wire("/a~", "wire-name"),
        wire("a\\u202Eb", "wire-name"), wire(String(repeating: "a", count: 129), "wire-name"),
        wire("@odata.type"), wire("/a~1b/c~0d"), wire("größe"), wire("/address/lat"),
        wire("id", "wire-name-clash"), wire("/id/x", "wire-name-clash"),
        .field(
            #""a":{"type":"string","sync":{"name":"/x/y"}},"b":{"type":"string","sync":{"name":▸"x"}}"#,
            "wire-name-clash"
        ),
        .field(
            #""userId":{"type":"string"},▸"user_id":{"type":"string"}"#,
            "wire-name-clash",
            sync: #""naming":"snake_case""#
        ),
        .field(
            #""part":{"type":"object","properties":{"x":{"type":"string","sync":{"name":▸"/a/b"}}}}"#,
            "nested-sync"
        ),
        .field(#""part":{"type":"object","properties":{"x":{"type":"string","sync":{"name":"y"}}}}"#),
        .sync(#""remote":▸"../etc""#, "remote-name"), .sync(#""remote":▸"a/b""#, "remote-name"),
        .sync(#""remote":▸"""#, "remote-name"), .sync(#""remote":▸"9""#, "remote-name"),
        .sync(#""remote":▸"größen""#, "remote-name"), .sync(#""remote":"my_items-2.0""#),
        .field(field, "definition-name", root: #""$defs":{▸"a b":{"type":"string"}},"#),
        .sync(#""created":"at""#, "field-name-reserved", key: #""key":"text""#, required: #","text""#)
            .marking(#""id":{"#),
    ]

    private static let field = #""a":{"type":"string"}"#

    private static func titled(_ title: String, _ rules: String...) -> Sample {
        let text = Sample.entity(title: title, fields: field)
        return Sample(files: [("item.schema.json", text)], rules: rules)
            .marking("\"\(title)\"", if: !rules.isEmpty)
    }

    private static func named(_ name: String, _ rules: String...) -> Sample {
        let mark = rules.isEmpty ? "" : "▸"
        let text = Sample.entity(fields: "\(mark)\"\(name)\":{\"type\":\"string\"}")
        return Sample(files: [("item.schema.json", text)], rules: rules)
    }

    private static func wire(_ name: String, _ rules: String...) -> Sample {
        let mark = rules.isEmpty ? "" : "▸"
        let text = Sample.entity(fields: "\"a\":{\"type\":\"string\",\"sync\":{\"name\":\(mark)\"\(name)\"}}")
        return Sample(files: [("item.schema.json", text)], rules: rules)
    }
}

extension Sample {
    /// The sample with a mark before the first occurrence of a text.
    func marking(_ text: String, if condition: Bool = true) -> Sample {
        guard condition, let range = files[0].text.firstRange(of: text) else { return self }
        var copy = self
        copy.files[0].text.insert("▸", at: range.lowerBound)
        return copy
    }
}
