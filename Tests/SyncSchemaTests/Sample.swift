import SyncSchema

/// A small set of schema files in which `▸` marks the expected positions of diagnostics.
struct Sample: Sendable, CustomStringConvertible {
    /// Paths and texts, marks included.
    var files: [(path: String, text: String)]
    /// The rules expected at the marks, by file and in text order. Several rules at one mark are joined with
    /// `+`.
    var rules: [String]

    /// The lines with marks, or the first line.
    var description: String {
        let lines = files.flatMap { $0.text.split(whereSeparator: \.isNewline) }
        let marked = lines.filter { $0.contains("▸") }
        return (marked.isEmpty ? lines.prefix(3) : marked[...]).map { $0.prefix(160) }.joined(separator: " ")
            .replacing("\0", with: "\\0")
    }

    /// A whole file.
    static func file(text: String, rules: String..., path: String = "item.schema.json") -> Sample {
        Sample(files: [(path, text)], rules: rules)
    }

    /// Several files.
    static func files(files: [(path: String, text: String)], rules: String...) -> Sample {
        Sample(files: files, rules: rules)
    }

    /// A field in addition to `id` in an otherwise valid schema, optionally with more members of `sync`.
    static func field(field: String, rules: String..., sync: String? = nil, root: String = "") -> Sample {
        Sample(files: [("item.schema.json", entity(fields: field, sync: sync, root: root))], rules: rules)
    }

    /// Members of `sync` in an otherwise valid schema with fields of every type.
    static func sync(_ sync: String, rules: String..., key: String = #""key":"id""#, required: String = "")
        -> Sample
    {
        let text = entity(fields: fieldsOfEveryType, sync: sync, key: key, required: required)
        return Sample(files: [("item.schema.json", text)], rules: rules)
    }

    /// The text of a schema with a string field `id` as key.
    static func entity(
        title: String = "Item",
        fields: String,
        sync: String? = nil,
        key: String = #""key":"id""#,
        required: String = "",
        root: String = ""
    ) -> String {
        """
        {\(root)"title":"\(title)","type":"object","properties":{
        "id":{"type":"string"},
        \(fields)
        },"required":["id"\(required)],"sync":{
        \(key),"strategy":"last-write-wins"\(sync.map { ",\n" + $0 } ?? "")
        }}
        """
    }

    static let fieldsOfEveryType = """
        "text":{"type":"string"},"maybe":{"type":["string","null"]},"whole":{"type":"integer"},
        "real":{"type":"number"},"flag":{"type":"boolean"},"uid":{"type":"string","format":"uuid"},
        "at":{"type":"string","format":"date-time"},"at2":{"type":["string","null"],"format":"date-time"},
        "day":{"type":"string","format":"date"},"link":{"type":"string","format":"uri"},
        "amount":{"type":"string","format":"decimal"},"blob":{"type":"string","contentEncoding":"base64"},
        "grade":{"enum":[1,2]},"grades":{"type":"array","items":{"enum":[1,2]}},
        "kind":{"enum":["a","b"]},"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true,"sync":{"ordered":false}},
        "list":{"type":"array","items":{"type":"string"}},"part":{"type":"object","properties":{"x":{"type":"number"}}},
        "here":{"type":"string","sync":{"localOnly":true}}
        """

    /// The files without marks.
    var sources: [SchemaSource] {
        files.map { SchemaSource(path: $0.path, bytes: Array($0.text.replacing("▸", with: "").utf8)) }
    }

    /// `path:line:column rule` of each expected finding, sorted.
    var expected: [String] {
        var places: [String] = []
        for (path, text) in files {
            var (line, column) = (1, 1)
            for scalar in text.unicodeScalars {
                switch scalar {
                case "▸": places.append("\(path):\(line):\(column)")
                case "\n": (line, column) = (line + 1, 1)
                default: column += String(scalar).utf8.count
                }
            }
        }
        guard places.count == rules.count else { return ["\(places.count) marks for \(rules.count) rules"] }
        return zip(places, rules).flatMap { place, rules in
            rules.split(separator: "+").map { "\(place) \($0)" }
        }.sorted()
    }

    /// `path:line:column rule` of each diagnostic, sorted.
    var found: [String] {
        SchemaLoader.load(sources).diagnostics.map { "\($0.path):\($0.line):\($0.column) \($0.rule)" }
            .sorted()
    }
}
